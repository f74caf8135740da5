// What tests of stages share: pictures with structure in every corner, planes with canaries around them, and
// a comparison that shows where two planes part.
#pragma once

#include "tests/support/decoded_plane.h"
#include "tests/support/test.h"

namespace vq::test {

struct Size {
  int width, height;
};

// Widths around every vector length, thin strips, and a few larger ones.
std::vector<Size> stage_sizes();

enum class Pattern {
  kNoise,             // any level of the depth
  kNoiseOf100Levels,  // as many as c-values by runs take: with more they are counted plainly
  kTwoLevels,         // noise of two neighbouring levels
  kSteps,             // flat areas with edges of one level
  kRamp,              // a new level every few columns
  kExtremes,          // the lowest and the highest level in blocks
  kBorders,           // flat inside, with something on each edge and corner
  kFlat,              // one level
  kFlatWithDots,      // one level with rare single samples
};
std::vector<Pattern> all_patterns();
std::string to_string(Pattern pattern);

// A plane whose rows have the alignment and guards that stages may rely on. Guards hold noise; beyond them
// stand canaries that intact() checks.
template <typename T>
class Canvas {
 public:
  Canvas(int width, int height, unsigned seed = 1) : width_(width), height_(height) {
    row_bytes_ = (static_cast<size_t>(width) * sizeof(T) + 63) / 64 * 64;
    stride_bytes_ = row_bytes_ + 2 * kRowGuardBytes + kCanaryBytes;
    memory_ = hwy::AllocateAligned<uint8_t>(stride_bytes_ * (static_cast<size_t>(height) + 2));
    std::memset(memory_.get(), kCanary, stride_bytes_ * (static_cast<size_t>(height) + 2));
    std::minstd_rand random(seed);
    for (int y = 0; y < height; ++y) {
      uint8_t* guard = row_bytes(y) - kRowGuardBytes;
      for (size_t i = 0; i < row_bytes_ + 2 * kRowGuardBytes; ++i)
        guard[i] = static_cast<uint8_t>(random() >> 8);
    }
  }
  Canvas(PlaneView<const T> content, unsigned seed = 1) : Canvas(content.width, content.height, seed) {
    for (int y = 0; y < height_; ++y) std::copy_n(content.row(y), width_, view().row(y));
  }

  PlaneView<T> view() {
    return {reinterpret_cast<T*>(row_bytes(0)), width_, height_,
            static_cast<ptrdiff_t>(stride_bytes_ / sizeof(T))};
  }
  PlaneView<const T> view() const { return const_cast<Canvas*>(this)->view(); }

  bool intact() const {
    const auto all_canary = [](const uint8_t* bytes, size_t count) {
      for (size_t i = 0; i < count; ++i) {
        if (bytes[i] != kCanary) return false;
      }
      return true;
    };
    const uint8_t* first_row = memory_.get() + stride_bytes_;
    if (!all_canary(memory_.get(), stride_bytes_) ||
        !all_canary(first_row + stride_bytes_ * static_cast<size_t>(height_), stride_bytes_)) {
      return false;
    }
    for (int y = 0; y < height_; ++y) {
      const uint8_t* end =
          first_row + stride_bytes_ * static_cast<size_t>(y) + row_bytes_ + 2 * kRowGuardBytes;
      if (!all_canary(end, kCanaryBytes)) return false;
    }
    return true;
  }

 private:
  static constexpr size_t kCanaryBytes = 64;
  static constexpr uint8_t kCanary = 0xA5;

  uint8_t* row_bytes(int y) {
    return memory_.get() + stride_bytes_ * (static_cast<size_t>(y) + 1) + kRowGuardBytes;
  }

  int width_, height_;
  size_t row_bytes_ = 0, stride_bytes_ = 0;
  hwy::AlignedFreeUniquePtr<uint8_t[]> memory_;
};

// With what value(x, y) returns.
template <typename T, typename Value>
Canvas<T> drawn(int width, int height, const Value& value, unsigned seed = 1) {
  Canvas<T> canvas(width, height, seed);
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) canvas.view().row(y)[x] = static_cast<T>(value(x, y));
  }
  return canvas;
}

// A picture of levels 0..max_level.
Canvas<uint16_t> make_image(Pattern pattern, Size size, int max_level, unsigned seed);
// A mask of blobs, of noise, or of everything, by seed.
Canvas<uint8_t> make_mask(Size size, unsigned seed);

// A picture as decoders hand it out.
inline DecodedPlane decoded(PlaneView<const uint16_t> picture, int bit_depth, int padding = 3) {
  return DecodedPlane(picture.width, picture.height, bit_depth, padding).fill([&](int x, int y) {
    return picture.row(y)[x];
  });
}

// From a list of rows, for examples small enough to check by hand.
template <typename T>
Canvas<T> canvas_of(const std::vector<std::vector<T>>& rows) {
  return drawn<T>(static_cast<int>(rows[0].size()), static_cast<int>(rows.size()),
                  [&](int x, int y) { return rows[static_cast<size_t>(y)][static_cast<size_t>(x)]; });
}

template <typename T>
std::vector<std::vector<T>> rows_of(PlaneView<const T> view) {
  std::vector<std::vector<T>> rows;
  for (int y = 0; y < view.height; ++y) rows.emplace_back(view.row(y), view.row(y) + view.width);
  return rows;
}

// Fails with the place of the first difference and both 3x3 neighbourhoods.
template <typename T>
::testing::AssertionResult same_plane(PlaneView<const T> expected, PlaneView<const T> actual) {
  for (int y = 0; y < expected.height; ++y) {
    for (int x = 0; x < expected.width; ++x) {
      if (std::memcmp(&expected.row(y)[x], &actual.row(y)[x], sizeof(T)) == 0) continue;
      std::ostringstream text;
      text << expected.width << "x" << expected.height << ": first difference at x=" << x << ", y=" << y;
      for (const auto& [name, plane] : {std::pair{"expected", expected}, std::pair{"actual", actual}}) {
        text << "\n  " << name << ":";
        for (int j = std::max(y - 1, 0); j <= std::min(y + 1, plane.height - 1); ++j) {
          text << "\n   ";
          for (int i = std::max(x - 1, 0); i <= std::min(x + 1, plane.width - 1); ++i)
            text << " " << +plane.row(j)[i];
        }
      }
      return ::testing::AssertionFailure() << text.str();
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace vq::test
