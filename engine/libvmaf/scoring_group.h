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
  // Scores of a frame are delivered then or later, in the order of frames. Where a frame cannot be scored by
  // all, it is by those that can, and has a fault. Where a device is lost, the CPU goes on.
  void push(const std::shared_ptr<FrameJob>& job);
  void finish();

  BackendReport backend_report() const;

 private:
  void scored(const FrameScores& scores) override;
  template <typename Step>
  void attempt(Step step);
  void recover(bool is_device_lost, int fault, const std::string& why);
  void score_apart(FrameJob& job, int fault, const std::string& why);
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
};

}  // namespace vq::libvmaf
