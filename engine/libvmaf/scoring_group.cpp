#include "engine/libvmaf/scoring_group.h"

#include <algorithm>
#include <utility>

#include "core/copy_plane.h"
#include "core/frame_memory.h"
#include "engine/libvmaf/guarded.h"
#include "feature/extractor.h"
#include "feature/fallback_extractor.h"

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
  return left_to_host(requests, execution).size() == requests.size() ? on_cpu(execution) : execution;
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
      extractor_(make()) {}

std::unique_ptr<FeatureExtractor> ScoringGroup::make() {
  auto extractor = make_extractor(requests_, formats_, execution_);
  if (!is_on_device(execution_.backend)) return extractor;
  Fallback fallback;
  fallback.on_fallback = [this](const std::string& reason) {
    log(LogLevel::kWarning, reason + "; the CPU goes on");
    execution_ = on_cpu(execution_);
  };
  fallback.make = [this] { return make_extractor(requests_, formats_, execution_); };
  return with_fallback(std::move(extractor), std::move(fallback));
}

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

void ScoringGroup::push(const std::shared_ptr<FrameJob>& job) noexcept {
  int fault = fault_;
  if (fault == 0) {
    fault = guarded([&] {
      pending_.push_back(job);
      return 0;
    });
  }
  if (fault != 0) return fail(*job, fault);
  attempt([&] { extractor_->push(frames_for(*job, execution_.backend), *this); });
}

void ScoringGroup::finish() noexcept {
  if (fault_ == 0) attempt([&] { extractor_->finish(*this); });
}

BackendReport ScoringGroup::backend_report() const {
  return extractor_ ? extractor_->backend_report() : BackendReport();
}

// The extractor knows nothing of what becomes of its results.
void ScoringGroup::scored(const FrameScores& scores) {
  const std::shared_ptr<FrameJob> job = std::move(pending_.front());
  pending_.pop_front();
  for (size_t i = 0; i < members_.size(); ++i) {
    if (job->wants(members_[i].get())) take(i, *job, scores.results[i]);
  }
}

void ScoringGroup::take(size_t member, FrameJob& job, const FrameResult& result) {
  const int fault = guarded([&] {
    members_[member]->take(job.index, result, receiver_);
    return 0;
  });
  if (fault != 0) fail(job, fault);
}

// An extractor that has thrown is of no use any more.
template <typename Step>
void ScoringGroup::attempt(Step step) noexcept {
  try {
    step();
    return;
  } catch (...) {
    fault_of_exception();
  }
  try {
    recover();
  } catch (...) {
    fault_ = fault_of_exception();
    receiver_.fail(fault_, ScoreReceiver::Extent::kAll);
    extractor_.reset();
    for (const std::shared_ptr<FrameJob>& job : pending_) fail(*job, fault_);
    pending_.clear();
  }
}

// Which of the frames under way has failed is not known, so each is scored by itself.
void ScoringGroup::recover() {
  extractor_.reset();  // before another takes its memory
  for (; !pending_.empty(); pending_.pop_front()) score_apart(*pending_.front());
  extractor_ = make();
}

void ScoringGroup::score_apart(FrameJob& job) {
  for (size_t i = 0; i < members_.size(); ++i) {
    if (!job.wants(members_[i].get())) continue;
    OneResult one;
    const int fault = guarded([&] {
      const auto extractor = make_extractor({&requests_[i], 1}, formats_, on_cpu(execution_));
      extractor->push(frames_for(job, Backend::kCpu), one);
      extractor->finish(one);
      return 0;
    });
    fault == 0 ? take(i, job, one.result) : fail(job, fault);
  }
}

void ScoringGroup::fail(FrameJob& job, int fault) noexcept {
  job.fault = fault;
  receiver_.fail(fault, ScoreReceiver::Extent::kFrame);
}

}  // namespace vq::libvmaf
