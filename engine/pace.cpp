#include "engine/pace.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "core/synthetic_frame.h"
#include "core/worker_pool.h"
#include "feature/extractor.h"

namespace vq {
namespace {

constexpr std::chrono::duration<double> kBudget(0.1);

class IgnoredScores final : public ScoreSink {
  void scored(const FrameScores&) override {}
};

FramePair make_pair(const FrameNeeds& use, const VideoFormats& formats) {
  FramePair pair;
  // Scores of banding take longest where there is something to look at.
  pair.distorted = synthetic_frame(Synthetic::kTextured, formats.distorted, 0, use.planes);
  if (use.reference && formats.reference)
    pair.reference = synthetic_frame(Synthetic::kTextured, *formats.reference, 1, use.planes);
  // NeighbourCount that move, so that nobody is done with them early.
  const auto neighbour = [&](const VideoFormat& format) {
    return synthetic_frame(Synthetic::kTextured, format, 2, use.planes);
  };
  if (use.before.distorted > 0)
    pair.distorted_before.assign(static_cast<size_t>(use.before.distorted), neighbour(formats.distorted));
  if (use.before.references > 0 && formats.reference) {
    pair.references_before.assign(static_cast<size_t>(use.before.references), neighbour(*formats.reference));
  }
  return pair;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Pace measure_pace(std::span<const FeatureRequest> features, const VideoFormats& formats,
                  const Execution& execution) {
  IgnoredScores sink;
  FramePair pair = make_pair(frame_needs(features), formats);
  // Shaders are compiled once on a machine, which is no part of what every run takes.
  if (is_on_device(execution.backend)) make_extractor(features, formats, execution);
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<FeatureExtractor> extractor = make_extractor(features, formats, execution);
  const auto push = [&](size_t count) {
    for (size_t i = 0; i < count; ++i, ++pair.index) {
      pair.distorted.index = pair.index;
      if (pair.reference) pair.reference->index = pair.index;
      extractor->push(pair, sink);
    }
  };
  // The first frames make the memory that later ones use, as many of it as frames may be in flight, so they
  // are not timed.
  const size_t in_flight = frames_in_flight(features, execution);
  push(in_flight);
  extractor->finish(sink);
  const double warm = seconds_since(start);
  const auto first = static_cast<double>(pair.index);
  const auto measured = std::chrono::steady_clock::now();
  do {
    push(in_flight);
  } while (seconds_since(measured) < kBudget.count());
  extractor->finish(sink);
  const double rate = (static_cast<double>(pair.index) - first) / std::max(seconds_since(measured), 1e-6);
  return {.start = std::max(0.0, warm - first / rate), .rate = rate};
}

}  // namespace vq
