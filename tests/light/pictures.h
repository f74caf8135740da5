// Pictures of noise for tests of light, and their readings.
#pragma once

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "feature/light/light.h"
#include "tests/support/decoded_plane.h"

namespace vq::light::test {

// A picture of its format, whose planes have rows without guards, and noise behind them.
class NoisePicture {
 public:
  NoisePicture(const VideoFormat& format, unsigned seed) : format_(format) {
    std::minstd_rand random(seed);
    frame_.bit_depth = format.bit_depth;
    for (int i = 0; i < plane_count(format.chroma); ++i) {
      const auto [width, height] = plane_size(format, i);
      const int stride = width + 5;
      auto& samples = samples_[static_cast<size_t>(i)];
      for (int k = 0; k < stride * height; ++k)
        samples.push_back(static_cast<uint16_t>(random() >> 7 & ((1U << format.bit_depth) - 1)));
      set_view(static_cast<size_t>(i), width, height, stride);
    }
  }
  NoisePicture(const NoisePicture&) = delete;
  NoisePicture& operator=(const NoisePicture&) = delete;

  const VideoFormat& format() const { return format_; }
  const Frame& frame() const { return frame_; }
  // May be changed before the frame is used; 8-bit pictures are not.
  void set(int plane, uint16_t value) {
    const auto i = static_cast<size_t>(plane);
    std::fill(samples_[i].begin(), samples_[i].end(), value);
    std::fill(bytes_[i].begin(), bytes_[i].end(), static_cast<uint8_t>(value));
  }

 private:
  void set_view(size_t i, int width, int height, int stride) {
    if (format_.bit_depth > 8) {
      frame_.planes[i].u16 = {samples_[i].data(), width, height, stride};
      return;
    }
    bytes_[i].assign(samples_[i].begin(), samples_[i].end());
    frame_.planes[i].u8 = {bytes_[i].data(), width, height, stride};
  }

  const VideoFormat format_;
  std::array<std::vector<uint16_t>, kMaxPlanes> samples_;
  std::array<std::vector<uint8_t>, kMaxPlanes> bytes_;
  Frame frame_;
};

struct Case {
  VideoFormat format = {};
  Reading reading = {};
};

// Every curve, sampling, location, depth and matrix in some combination, and sizes around those of vectors.
inline std::vector<Case> cases() {
  constexpr std::array kLocations = {ChromaLocation::kLeft,       ChromaLocation::kCenter,
                                     ChromaLocation::kTopLeft,    ChromaLocation::kTop,
                                     ChromaLocation::kBottomLeft, ChromaLocation::kBottom};
  constexpr std::array kChromas = {Chroma::k420, Chroma::k422, Chroma::k444, Chroma::k440,
                                   Chroma::k411, Chroma::k410, Chroma::k400};
  constexpr std::array kMatrices = {Matrix::kBt709, Matrix::kBt601, Matrix::kBt2020};
  constexpr std::array kCurves = {Curve::kBt1886, Curve::kSrgb, Curve::kLinear, Curve::kPq, Curve::kHlg};
  constexpr std::array kDepths = {8, 10, 12, 16};
  std::vector<Case> all;
  size_t i = 0;
  const auto add = [&](PlaneSize size, Chroma chroma, Matrix matrix) {
    all.push_back({{.name = "noise",
                    .width = size.width,
                    .height = size.height,
                    .bit_depth = kDepths[i % kDepths.size()],
                    .chroma = chroma},
                   {.matrix = matrix,
                    .curve = kCurves[i % kCurves.size()],
                    .has_bt2020_primaries = i % 3 == 0,
                    .is_full_range = i % 2 == 0,
                    .location = kLocations[i % kLocations.size()],
                    .repeats_chroma = i % 11 == 10}});
    ++i;
  };
  for (const Chroma chroma : kChromas) {
    for (const int width : {1, 2, 3, 7, 8, 9, 16, 17, 31, 33, 63, 65, 130}) {
      add({width, width % 5 + 1}, chroma, kMatrices[i % kMatrices.size()]);
    }
  }
  for (size_t k = 0; k < kCurves.size(); ++k) add({37, 5}, Chroma::k444, Matrix::kRgb);
  return all;
}

}  // namespace vq::light::test
