// Frames in memory, from where decoders leave them, through an extractor again and again.
#pragma once

#include <memory>
#include <vector>

#include "core/frame_memory.h"
#include "core/previous_frames.h"
#include "core/stop_token.h"
#include "feature/feature.h"

namespace vq::cli {

// The same frame in a piece of the store, from which a device fetches by itself; as it is where the store has
// no more to give, or the frame has a place already.
Frame stored_frame(const Frame& frame, FrameStore& store);

class FrameRing {
 public:
  // `before`: number of earlier frames that the extractor sees. Needs: a pair, with a reference where the
  // extractor uses one.
  FrameRing(std::unique_ptr<FeatureExtractor> extractor, std::vector<FramePair> pairs,
            const NeighbourCount& before);

  // Pushes `count` frames, fewer if it is stopped. Returns the seconds that took.
  double push(int64_t count, ScoreSink& sink, const StopToken& stop = {});

  BackendReport report() const { return extractor_->backend_report(); }
  const std::vector<FramePair>& pairs() const { return pairs_; }

 private:
  std::unique_ptr<FeatureExtractor> extractor_;
  std::vector<FramePair> pairs_;
  PreviousFrames before_;
  int64_t next_ = 0;
};

// What was added to the totals of stages.
std::vector<StageTotal> added_times(const std::vector<StageTotal>& after,
                                    const std::vector<StageTotal>& before);

}  // namespace vq::cli
