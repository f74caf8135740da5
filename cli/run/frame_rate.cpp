#include "cli/run/frame_rate.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <memory>

#include "core/plane.h"
#include "core/worker_pool.h"
#include "feature/extractor.h"

namespace vq::cli {
namespace {

constexpr std::chrono::duration<double> kBudget(0.1);

class IgnoredScores final : public ScoreSink {
  void scored(const FrameScores&) override {}
};

// Slow ramps, one code value in a hundred samples or so, of which every other piece has noise: what debanding scores look at
// and what they pass over.
template <typename T>
Plane<T> ramps(PlaneSize size, int bit_depth) {
  constexpr int kPiece = 192, kStep = 96;
  Plane<T> plane(size.width, size.height);
  uint32_t seed = 1;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      seed = seed * 1664525 + 1013904223;  // Numerical Recipes
      const bool is_noisy = ((x / kPiece) + (y / kPiece)) % 2 != 0;
      const uint32_t level = 64 + static_cast<uint32_t>((x + y) / kStep) % 96;
      plane.row(y)[x] = static_cast<T>((level << (bit_depth - 8)) + (is_noisy ? seed >> 29 : 0));
    }
  }
  return plane;
}

Frame make_frame(const VideoFormat& format, int planes) {
  struct Samples {
    std::array<Plane<uint8_t>, kMaxPlanes> bytes;
    std::array<Plane<uint16_t>, kMaxPlanes> words;
  };
  const auto samples = std::make_shared<Samples>();
  Frame frame;
  for (int i = 0; i < std::min(planes, plane_count(format.chroma)); ++i) {
    const auto at = static_cast<size_t>(i);
    const PlaneSize size = plane_size({format.width, format.height}, format.chroma, i);
    if (format.bit_depth > 8) {
      samples->words[at] = ramps<uint16_t>(size, format.bit_depth);
      frame.planes[at].u16 = samples->words[at].view();
    } else {
      samples->bytes[at] = ramps<uint8_t>(size, format.bit_depth);
      frame.planes[at].u8 = samples->bytes[at].view();
    }
  }
  frame.bit_depth = format.bit_depth;
  frame.owner = samples;
  return frame;
}

FramePair make_pair(const FrameUse& use, const InputFormats& formats) {
  FramePair pair;
  pair.distorted = make_frame(formats.distorted, use.planes);
  if (use.reference && formats.reference) pair.reference = make_frame(*formats.reference, use.planes);
  return pair;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

double frame_rate(std::span<const FeatureRequest> features, const InputFormats& formats, const Execution& execution) {
  IgnoredScores sink;
  FramePair pair = make_pair(frame_use(features), formats);
  const std::unique_ptr<FeatureExtractor> extractor = make_extractor(features, formats, execution);
  const auto push = [&](int64_t count) {
    for (int64_t i = 0; i < count; ++i, ++pair.index) {
      pair.distorted.index = pair.index;
      if (pair.reference) pair.reference->index = pair.index;
      extractor->push(pair, sink);
    }
  };
  // The first one makes what all use.
  push(1);
  extractor->finish(sink);
  // All threads have a frame, or the device as many as it keeps.
  const int64_t round = is_on_device(execution.backend) ? 1 : execution.pool->size();
  const auto start = std::chrono::steady_clock::now();
  const int64_t first = pair.index;
  do {
    push(round);
  } while (seconds_since(start) < kBudget.count());
  extractor->finish(sink);
  return static_cast<double>(pair.index - first) / std::max(seconds_since(start), 1e-6);
}

}  // namespace vq::cli
