// A plane as decoders hand it out, of any alignment: memory ends with the last sample, so that sanitizers see
// who reads on, and between rows lies noise.
#pragma once

#include <random>

#include "core/frame.h"

namespace vq::test {

// The samples of a plane of either type.
template <typename T>
SampleView sample_view(PlaneView<const T> plane) {
  SampleView view;
  if constexpr (sizeof(T) == 1) {
    view.u8 = plane;
  } else {
    view.u16 = plane;
  }
  return view;
}

class DecodedPlane {
 public:
  // Samples of more than 8 bits, or all where asked for, are words.
  DecodedPlane(int width, int height, int bit_depth, int padding = 3, bool are_words = false)
      : width_(width),
        height_(height),
        bit_depth_(bit_depth),
        stride_(width + padding),
        are_words_(are_words || bit_depth > 8) {
    std::minstd_rand random(1);
    memory_.resize((place(width - 1, height - 1) + 1) * (are_words_ ? 2 : 1));
    for (uint8_t& byte : memory_) byte = static_cast<uint8_t>(random() >> 7);
  }

  int width() const { return width_; }
  int height() const { return height_; }
  PlaneSize size() const { return {width_, height_}; }
  int bit_depth() const { return bit_depth_; }
  int at(int x, int y) const { return are_words_ ? words()[place(x, y)] : memory_[place(x, y)]; }
  void set(int x, int y, int level) {
    if (are_words_) {
      const_cast<uint16_t*>(words())[place(x, y)] = static_cast<uint16_t>(level);
    } else {
      memory_[place(x, y)] = static_cast<uint8_t>(level);
    }
  }
  // With what level(x, y) returns.
  template <typename Level>
  DecodedPlane& fill(const Level& level) {
    for (int y = 0; y < height_; ++y) {
      for (int x = 0; x < width_; ++x) set(x, y, static_cast<int>(level(x, y)));
    }
    return *this;
  }
  DecodedPlane& flat(int level) {
    return fill([=](int, int) { return level; });
  }
  SampleView view() const {
    if (are_words_) return sample_view<uint16_t>({words() + 1, width_, height_, stride_});
    return sample_view<uint8_t>({memory_.data() + 1, width_, height_, stride_});
  }

 private:
  size_t place(int x, int y) const { return 1 + static_cast<size_t>(y * stride_ + x); }
  const uint16_t* words() const { return reinterpret_cast<const uint16_t*>(memory_.data()); }

  int width_, height_, bit_depth_;
  ptrdiff_t stride_;
  bool are_words_;
  std::vector<uint8_t> memory_;
};

// Noise between two levels, both included.
inline DecodedPlane noise_plane(PlaneSize size, int bit_depth, int low, int high, unsigned seed) {
  std::minstd_rand random(seed);
  DecodedPlane plane(size.width, size.height, bit_depth, static_cast<int>(seed % 5));
  plane.fill([&](int, int) {
    return low + static_cast<int>((random() >> 8) % static_cast<unsigned>(high - low + 1));
  });
  return plane;
}
// Noise of all levels of a depth.
inline DecodedPlane noise_plane(PlaneSize size, int bit_depth, unsigned seed) {
  return noise_plane(size, bit_depth, 0, (1 << bit_depth) - 1, seed);
}

// A frame of luma alone, which the plane must outlive.
inline Frame luma_frame(const DecodedPlane& plane, int64_t index = 0) {
  Frame frame;
  frame.luma() = plane.view();
  frame.bit_depth = plane.bit_depth();
  frame.index = index;
  return frame;
}

// A frame of a format with what level(plane, x, y) returns.
template <typename Level>
Frame drawn_frame(const VideoFormat& format, const Level& level) {
  const auto planes = std::make_shared<std::vector<DecodedPlane>>();
  Frame frame;
  for (int i = 0; i < plane_count(format.chroma); ++i) {
    const PlaneSize size = plane_size({format.width, format.height}, format.chroma, i);
    planes->push_back(DecodedPlane(size.width, size.height, format.bit_depth).fill([&](int x, int y) {
      return level(i, x, y);
    }));
    frame.planes[static_cast<size_t>(i)] = planes->back().view();
  }
  frame.bit_depth = format.bit_depth;
  frame.owner = planes;
  return frame;
}

// From rows of samples, for examples small enough to check by hand.
inline DecodedPlane plane_of(const std::vector<std::vector<int>>& rows, int bit_depth) {
  DecodedPlane plane(static_cast<int>(rows[0].size()), static_cast<int>(rows.size()), bit_depth);
  plane.fill([&](int x, int y) { return rows[static_cast<size_t>(y)][static_cast<size_t>(x)]; });
  return plane;
}

}  // namespace vq::test
