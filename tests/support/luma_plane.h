// A luma plane as decoders hand it out, of any alignment: memory ends with the last sample, so that sanitizers see who reads
// on, and between rows lies noise.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "core/frame.h"

namespace vq::test {

class LumaPlane {
 public:
  // Samples of more than 8 bits, or all where asked for, are words.
  LumaPlane(int width, int height, int bit_depth, int padding = 3, bool are_words = false)
      : width_(width), height_(height), stride_(width + padding), are_words_(are_words || bit_depth > 8) {
    const size_t samples = static_cast<size_t>(stride_) * static_cast<size_t>(height - 1) + static_cast<size_t>(width) + 1;
    std::minstd_rand random(1);
    memory_.resize(samples * (are_words_ ? 2 : 1));
    for (uint8_t& byte : memory_) byte = static_cast<uint8_t>(random() >> 7);
  }

  // With what level(x, y) returns.
  template <typename Level>
  LumaPlane& fill(const Level& level) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) set(x, y, static_cast<int>(level(x, y)));
    }
    return *this;
  }
  void set(int x, int y, int level) {
    const size_t place = 1 + static_cast<size_t>(y) * static_cast<size_t>(stride_) + static_cast<size_t>(x);
    if (are_words_) {
      words()[place] = static_cast<uint16_t>(level);
    } else {
      memory_[place] = static_cast<uint8_t>(level);
    }
  }
  SampleView view() const {
    SampleView view;
    if (are_words_) {
      view.u16 = {reinterpret_cast<const uint16_t*>(memory_.data()) + 1, width_, height_, stride_};
    } else {
      view.u8 = {memory_.data() + 1, width_, height_, stride_};
    }
    return view;
  }

 private:
  uint16_t* words() { return reinterpret_cast<uint16_t*>(memory_.data()); }

  int width_, height_, stride_;
  bool are_words_;
  std::vector<uint8_t> memory_;
};

// Noise between two levels, both included.
inline LumaPlane noise_plane(PlaneSize size, int bit_depth, int low, int high, unsigned seed) {
  std::minstd_rand random(seed);
  LumaPlane plane(size.width, size.height, bit_depth, static_cast<int>(seed % 5));
  plane.fill([&](int, int) { return low + static_cast<int>((random() >> 8) % static_cast<unsigned>(high - low + 1)); });
  return plane;
}

}  // namespace vq::test
