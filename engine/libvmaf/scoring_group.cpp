#include "engine/libvmaf/scoring_group.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <utility>

#include "core/copy_plane.h"
#include "core/error.h"
#include "core/frame_memory.h"
#include "engine/libvmaf/log.h"
#include "feature/extractor.h"

namespace vq::libvmaf {
namespace {

std::vector<FeatureRequest> requests_of(const std::vector<std::shared_ptr<Registration>>& members) {
  std::vector<FeatureRequest> requests;
  for (const auto& member : members) requests.push_back(member->request());
  return requests;
}

Execution on_cpu(Execution execution) {
  execution.backend = Backend::kCpu;
  execution.devices = {};
  return execution;
}

// What features of no device are asked for runs on the CPU.
Execution suited(const std::vector<FeatureRequest>& requests, const Execution& execution) {
  return left_to_host(requests, execution.backend).size() == requests.size() ? on_cpu(execution) : execution;
}

// Keeps what one feature finds in one frame.
class OneResult final : public ScoreSink {
 public:
  void scored(const FrameScores& scores) override {
    const FrameResult& found = scores.results.front();
    result = {.values = found.values, .tallies = found.tallies};
    for (const Plane<uint16_t>& map : found.heatmaps) result.heatmaps.push_back(copy_plane(map.view()));
  }
  FrameResult result;
};

}  // namespace

ScoringGroup::ScoringGroup(std::vector<std::shared_ptr<Registration>> members, const VideoFormats& formats,
                           const Execution& execution, ScoreReceiver& receiver)
    : members_(std::move(members)),
      requests_(requests_of(members_)),
      needs_(frame_needs(requests_)),
      formats_(formats),
      execution_(suited(requests_, execution)),
      receiver_(receiver),
      extractor_(make_extractor(requests_, formats_, execution_)) {}

bool ScoringGroup::is_wanted(const FrameJob& job) const {
  const auto is_one = [&](const std::shared_ptr<Registration>& member) { return job.wants(member.get()); };
  return std::any_of(members_.begin(), members_.end(), is_one);
}

FramePair ScoringGroup::frames_for(const FrameJob& job, Backend backend) const {
  FramePair frames = job.frames;
  const auto keep = [](std::vector<Frame>& before, int count) {
    before.resize(std::min(before.size(), static_cast<size_t>(count)));
  };
  keep(frames.distorted_before, needs_.before.distorted);
  keep(frames.references_before, needs_.before.references);
  if (is_on_device(backend)) return frames;
  for (Frame* const frame : {&frames.distorted, &*frames.reference}) *frame = on_host(*frame);
  for (auto* const before : {&frames.distorted_before, &frames.references_before}) {
    for (Frame& frame : *before) frame = on_host(frame);
  }
  return frames;
}

void ScoringGroup::push(const std::shared_ptr<FrameJob>& job) {
  pending_.push_back(job);
  attempt([&] { extractor_->push(frames_for(*job, execution_.backend), *this); });
}

// Frames that an extractor leaves behind are begun anew.
void ScoringGroup::finish() {
  do {
    attempt([&] { extractor_->finish(*this); });
  } while (!pending_.empty());
}

BackendReport ScoringGroup::backend_report() const {
  return extractor_->backend_report();
}

void ScoringGroup::scored(const FrameScores& scores) {
  const std::shared_ptr<FrameJob> job = std::move(pending_.front());
  pending_.pop_front();
  for (size_t i = 0; i < members_.size(); ++i) {
    if (job->wants(members_[i].get())) members_[i]->take(job->index, scores.results[i], receiver_);
  }
}

template <typename Step>
void ScoringGroup::attempt(Step step) {
  try {
    step();
  } catch (const Error& error) {
    recover(error.kind() == ErrorKind::kBackend, -EINVAL, error.what());
  } catch (const std::bad_alloc&) {
    recover(false, -ENOMEM, "there is not enough memory");
  }
}

// The extractor is of no use any more. Of the frames that it did not deliver the first is the one that
// failed.
void ScoringGroup::recover(bool is_device_lost, int fault, const std::string& why) {
  extractor_.reset();  // before another takes its memory
  if (is_device_lost && is_on_device(execution_.backend)) {
    log(LogLevel::kWarning, why + "; the CPU goes on");
    execution_ = on_cpu(execution_);
  } else if (!pending_.empty()) {
    const std::shared_ptr<FrameJob> job = std::move(pending_.front());
    pending_.pop_front();
    score_apart(*job, fault, why);
  }
  const std::deque<std::shared_ptr<FrameJob>> again = std::exchange(pending_, {});
  extractor_ = make_extractor(requests_, formats_, execution_);
  for (const std::shared_ptr<FrameJob>& job : again) push(job);
}

void ScoringGroup::score_apart(FrameJob& job, int fault, const std::string& why) {
  log(LogLevel::kError, why);
  job.fault = fault;
  receiver_.fail(fault);
  FramePair frames;
  try {
    frames = frames_for(job, Backend::kCpu);
  } catch (const Error&) {  // they went with their device
    return;
  }
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!job.wants(members_[i].get())) continue;
    OneResult one;
    try {
      const auto extractor = make_extractor({&requests_[i], 1}, formats_, on_cpu(execution_));
      extractor->push(frames, one);
      extractor->finish(one);
    } catch (const Error&) {
      continue;
    } catch (const std::bad_alloc&) {
      continue;
    }
    members_[i]->take(job.index, one.result, receiver_);
  }
}

}  // namespace vq::libvmaf
