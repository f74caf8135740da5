#include "core/made_up_frame.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <random>
#include <utility>
#include <vector>

namespace vq {
namespace {

// Of 10-bit video.
int level_of(MadeUp kind, int x, int y, int frame, std::minstd_rand& random) {
  if (kind == MadeUp::kFlat) return 300 + frame % 512;
  if (kind == MadeUp::kNoise) return static_cast<int>(random() >> 8) & 0x3FF;
  if (kind == MadeUp::kRamps) return 64 + (x / 12 + y / 14 + frame) % 400;
  const int band = (x + 2 * y + 8 * frame) / 97;
  if (kind == MadeUp::kTextured && band % 3 == 0)
    return 160 + 4 * (band % 90) + static_cast<int>(random() >> 8) % 24;
  return 160 + 4 * (band % 90);
}

// The plane's view of samples that `owner` keeps.
template <typename T>
PlaneView<const T> make_plane(MadeUp kind, PlaneSize size, int depth, int frame,
                              std::shared_ptr<const void>& owner) {
  const auto samples = std::make_shared<std::vector<T>>();
  samples->reserve(static_cast<size_t>(size.width) * static_cast<size_t>(size.height));
  std::minstd_rand random(static_cast<unsigned>(frame) + 1);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const int level = level_of(kind, x, y, frame, random);
      samples->push_back(static_cast<T>(depth < 10 ? level >> (10 - depth) : level << (depth - 10)));
    }
  }
  owner = samples;
  return {samples->data(), size.width, size.height, size.width};
}

}  // namespace

std::optional<MadeUp> made_up_kind(std::string_view name) {
  constexpr std::pair<std::string_view, MadeUp> kKinds[] = {{"flat", MadeUp::kFlat},
                                                            {"banded", MadeUp::kBanded},
                                                            {"textured", MadeUp::kTextured},
                                                            {"ramps", MadeUp::kRamps},
                                                            {"noise", MadeUp::kNoise}};
  const auto found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                  [&](const auto& kind) { return kind.first == name; });
  return found == std::end(kKinds) ? std::nullopt : std::optional(found->second);
}

Frame made_up_frame(MadeUp kind, const VideoFormat& format, int64_t number, int planes) {
  Frame frame;
  frame.bit_depth = format.bit_depth;
  frame.index = number;
  const auto owners = std::make_shared<std::array<std::shared_ptr<const void>, kMaxPlanes>>();
  for (int i = 0; i < std::min(planes, plane_count(format.chroma)); ++i) {
    const auto plane = static_cast<size_t>(i);
    const PlaneSize size = plane_size({format.width, format.height}, format.chroma, i);
    std::shared_ptr<const void>& owner = (*owners)[plane];
    const int drift = static_cast<int>(number % 1024) + i;
    if (format.bit_depth == 8) {
      frame.planes[plane].u8 = make_plane<uint8_t>(kind, size, 8, drift, owner);
    } else {
      frame.planes[plane].u16 = make_plane<uint16_t>(kind, size, format.bit_depth, drift, owner);
    }
  }
  frame.owner = owners;
  return frame;
}

}  // namespace vq
