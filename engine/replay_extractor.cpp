#include "engine/replay_extractor.h"

#include <future>
#include <utility>

namespace vq {

void ReplayExtractor::push(const FramePair& frames, ScoreSink& sink) {
  FrameJob& job = jobs_.add(frames);
  if (!job.repeats) {
    ++(frames.is_reported ? computed_ : unreported_);
    job.results.swap(next_);
    std::promise<void> done;
    done.set_value();
    job.done = done.get_future();
  }
  jobs_.deliver_first(sink);
}

BackendReport ReplayExtractor::backend_report() const {
  BackendReport report;
  report.repeated_frames = jobs_.repeated_frames();
  report.computed_frames = computed_;
  report.unreported_frames = unreported_;
  return report;
}

}  // namespace vq
