// Gives results that were found elsewhere as if they were found now.
#pragma once

#include <vector>

#include "core/ordered_frames.h"
#include "feature/feature.h"

namespace vq {

class ReplayExtractor final : public FeatureExtractor {
 public:
  explicit ReplayExtractor(const FrameNeeds& use) : jobs_(use) {}

  // Of the frame that is pushed next. Takes them, and leaves some whose memory can be used again.
  void set_results(std::vector<FrameResult>& results) { next_.swap(results); }
  void push(const FramePair& frames, ScoreSink& sink) override;
  void finish(ScoreSink&) override {}
  // Of frames alone: what was computed, as if all of it had been computed by one.
  BackendReport backend_report() const override;

 private:
  OrderedFrames jobs_;
  std::vector<FrameResult> next_;
  std::future<void> done_;
  int64_t computed_ = 0, unreported_ = 0;
};

}  // namespace vq
