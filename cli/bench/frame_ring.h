// Frames in memory, as decoders leave them, passed through an extractor repeatedly.
#pragma once

#include <memory>
#include <vector>

#include "core/frame.h"
#include "core/worker_pool.h"
#include "feature/feature.h"

namespace vq::cli {

// A copy of the frame in the store, from which a device reads directly; the frame itself if the store is
// exhausted, or it is in such memory already.
Frame stored_frame(const Frame& frame, FrameStore& store);

class FrameRing {
 public:
  // `before`: number of earlier frames that the extractor reads. Needs: a pair, with a reference if the
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

// The difference of two totals of stages.
std::vector<StageTotal> added_times(const std::vector<StageTotal>& after,
                                    const std::vector<StageTotal>& before);

}  // namespace vq::cli
