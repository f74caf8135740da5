#include "cli/decoding/orientation.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace vq::cli {
namespace {

// Rows and columns that are turned together, so that both lie in the cache.
constexpr int kTile = 32;
// The share of a matrix's larger part that rounding may leave in the other: one degree.
constexpr double kRightAngle = 0.018;

template <typename T>
void turn_plane(PlaneView<const T> from, const Orientation& orientation, PlaneView<T> to) {
  const auto column = [&](int x) { return orientation.flips_x ? to.width - 1 - x : x; };
  for (int top = 0; top < to.height; top += kTile) {
    for (int left = 0; left < to.width; left += kTile) {
      const int right = std::min(left + kTile, to.width);
      for (int y = top; y < std::min(top + kTile, to.height); ++y) {
        const int row = orientation.flips_y ? to.height - 1 - y : y;
        T* const out = to.row(y);
        for (int x = left; x < right; ++x)
          out[x] = orientation.transposes ? from.row(column(x))[row] : from.row(row)[column(x)];
      }
    }
  }
}

template <typename T>
void turn_into(const PlaneView<const T>& from, const Orientation& orientation, PlaneView<const T>& view,
               Plane<T>& plane) {
  plane = orientation.transposes ? Plane<T>(from.height, from.width) : Plane<T>(from.width, from.height);
  turn_plane(from, orientation, plane.view());
  view = plane.view();
}

struct TurnedSamples {
  std::array<Plane<uint8_t>, kMaxPlanes> u8;
  std::array<Plane<uint16_t>, kMaxPlanes> u16;
};

}  // namespace

std::optional<Orientation> orientation_of(const uint8_t* matrix, size_t size) {
  std::array<int32_t, 9> m = {};
  if (size < sizeof(m)) return std::nullopt;
  std::memcpy(m.data(), matrix, sizeof(m));
  // A stored point (x, y) is shown at (m0 x + m3 y, m1 x + m4 y).
  const auto part = [&](size_t a, size_t b) {
    return std::abs(double{1} * m[a]) + std::abs(double{1} * m[b]);
  };
  const double straight = part(0, 4), crossed = part(1, 3);
  if (straight == 0 && crossed == 0) return std::nullopt;
  if (std::min(straight, crossed) > kRightAngle * std::max(straight, crossed)) return std::nullopt;
  if (crossed > straight) return Orientation{.transposes = true, .flips_x = m[3] < 0, .flips_y = m[1] < 0};
  return Orientation{.transposes = false, .flips_x = m[0] < 0, .flips_y = m[4] < 0};
}

std::string describe(const Orientation& orientation) {
  const bool x = orientation.flips_x, y = orientation.flips_y;
  if (!orientation.transposes)
    return x && y ? "180 degrees" : x ? "mirrored" : y ? "upside down, mirrored" : "";
  if (x != y) return x ? "90 degrees clockwise" : "90 degrees counterclockwise";
  return x ? "90 degrees clockwise, upside down, mirrored" : "90 degrees clockwise, mirrored";
}

std::optional<Chroma> turned_chroma(Chroma chroma, const Orientation& orientation) {
  if (!orientation.transposes) return chroma;
  switch (chroma) {
    case Chroma::k422:
      return Chroma::k440;
    case Chroma::k440:
      return Chroma::k422;
    case Chroma::k411:
      return std::nullopt;
    default:
      return chroma;
  }
}

Frame turned(const Frame& frame, const Orientation& orientation) {
  if (orientation == Orientation()) return frame;
  const Frame stored = on_host(frame);
  const auto samples = std::make_shared<TurnedSamples>();
  Frame result = stored;
  result.place.reset();
  for (size_t i = 0; i < kMaxPlanes; ++i) {
    const SampleView& from = stored.planes[i];
    if (from.empty()) continue;
    if (from.is_u8()) {
      turn_into(from.u8, orientation, result.planes[i].u8, samples->u8[i]);
    } else {
      turn_into(from.u16, orientation, result.planes[i].u16, samples->u16[i]);
    }
  }
  result.owner = samples;
  return result;
}

}  // namespace vq::cli
