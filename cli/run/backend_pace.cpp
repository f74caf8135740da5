#include "cli/run/backend_pace.h"

#include <algorithm>
#include <chrono>
#include <memory>

#include "cli/decoding/open_video.h"
#include "cli/run/input_kind.h"
#include "core/error.h"
#include "core/synthetic_frame.h"
#include "core/worker_pool.h"
#include "feature/extractor.h"

namespace vq::cli {
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

DecodingPace measure_decoding(const SourceOptions& options) {
  if (is_read_once(options.path)) return {};
  const auto start = std::chrono::steady_clock::now();
  try {
    const std::unique_ptr<VideoSource> source = open_video(options);
    if (!source->read()) return {};
    const double first = seconds_since(start);
    int64_t frames = 0;
    while (seconds_since(start) - first < kBudget.count() && source->read()) ++frames;
    const double each = frames > 0 ? (seconds_since(start) - first) / static_cast<double>(frames) : first;
    return {.start = std::max(0.0, first - each), .each = each};
  } catch (const Error&) {
    return {};  // the run says what is wrong
  }
}

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

}  // namespace vq::cli
