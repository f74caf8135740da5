// Extractors that score frames together.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "engine/libvmaf/frame_job.h"
#include "engine/libvmaf/registration.h"
#include "feature/feature.h"

namespace vq::libvmaf {

class ScoringGroup final : private ScoreSink {
 public:
  // Needs: a member; all are prepared and refuse nothing; the receiver outlives this. Throws as
  // make_extractor().
  ScoringGroup(std::vector<std::shared_ptr<Registration>> members, const VideoFormats& formats,
               const Execution& execution, ScoreReceiver& receiver);

  // Whether one of them scores the frame.
  bool is_wanted(const FrameJob& job) const;
  // Scores of a frame are delivered then or later, in the order of frames. If a frame cannot be scored by
  // all, it is by those that can, and has a fault. If a device is lost, the CPU goes on. If nothing can score
  // any more, such as for want of memory, that and every later frame has a fault. Throw nothing.
  void push(const std::shared_ptr<FrameJob>& job) noexcept;
  void finish() noexcept;

  BackendReport backend_report() const;

 private:
  void scored(const FrameScores& scores) override;
  std::unique_ptr<FeatureExtractor> make();
  template <typename Step>
  void attempt(Step step) noexcept;
  void recover();
  void score_apart(FrameJob& job);
  void take(size_t member, FrameJob& job, const FrameResult& result);
  void fail(FrameJob& job, int fault) noexcept;
  // The frames before as far as the members need them; on the host unless the backend is a device's. Throws
  // Error{kBackend}.
  FramePair frames_for(const FrameJob& job, Backend backend) const;

  const std::vector<std::shared_ptr<Registration>> members_;
  std::vector<FeatureRequest> requests_;
  const FrameNeeds needs_;
  const VideoFormats formats_;
  Execution execution_;
  ScoreReceiver& receiver_;
  std::unique_ptr<FeatureExtractor> extractor_;
  std::deque<std::shared_ptr<FrameJob>> pending_;  // pushed and not delivered
  int fault_ = 0;                                  // why there is no extractor; 0: there is one
};

}  // namespace vq::libvmaf
