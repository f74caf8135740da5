// Pictures for tests of the fingerprint: made up of lists of samples, and hashed whole.
#pragma once

#include <string>
#include <vector>

#include "feature/fingerprint/plan.h"

namespace vq::fingerprint::test {

// One plane as decoders hand it out, of 8 bits or deeper. Memory ends with the last sample, so that
// sanitizers see who reads on; between rows, and before the first, is something else.
class DecodedPlane {
 public:
  DecodedPlane(int width, int height, int bit_depth, int padding = 3)
      : width_(width), height_(height), stride_(width + padding), is_u8_(bit_depth == 8) {
    const size_t count =
        static_cast<size_t>(stride_) * static_cast<size_t>(height - 1) + static_cast<size_t>(width) + 1;
    bytes_.assign(is_u8_ ? count : 0, uint8_t{0xA5});
    words_.assign(is_u8_ ? 0 : count, uint16_t{0xA5A5});
  }

  int width() const { return width_; }
  int height() const { return height_; }
  int at(int x, int y) const { return is_u8_ ? bytes_[place(x, y)] : words_[place(x, y)]; }
  void set(int x, int y, int sample) {
    if (is_u8_) {
      bytes_[place(x, y)] = static_cast<uint8_t>(sample);
    } else {
      words_[place(x, y)] = static_cast<uint16_t>(sample);
    }
  }
  // With `level(x, y)` for samples.
  template <typename Level>
  void fill(Level level) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) set(x, y, level(x, y));
    }
  }
  SampleView view() const {
    SampleView view;
    if (is_u8_) {
      view.u8 = {bytes_.data() + 1, width_, height_, stride_};
    } else {
      view.u16 = {words_.data() + 1, width_, height_, stride_};
    }
    return view;
  }

 private:
  size_t place(int x, int y) const { return static_cast<size_t>(y * stride_ + x + 1); }
  int width_, height_, stride_;
  bool is_u8_;
  std::vector<uint8_t> bytes_;
  std::vector<uint16_t> words_;
};

// The hash of a picture whose planes are given, all of which are looked at.
inline std::string hash_of(const std::vector<DecodedPlane>& planes, int bit_depth,
                           PlaneSums plane_sums = scalar::plane_sums) {
  FingerprintPlan plan = {.planes = static_cast<int>(planes.size()), .sizes = {}, .bit_depth = bit_depth};
  std::vector<LaneSums> sums;
  for (size_t i = 0; i < planes.size(); ++i) {
    plan.sizes[i] = {planes[i].width(), planes[i].height()};
    sums.push_back(plane_sums(planes[i].view(), static_cast<int>(i)));
  }
  return fingerprint_text(fingerprint(plan, sums));
}

}  // namespace vq::fingerprint::test
