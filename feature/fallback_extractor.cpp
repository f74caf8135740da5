#include "feature/fallback_extractor.h"

#include <deque>
#include <utility>

#include "core/error.h"
#include "core/frame_memory.h"

namespace vq {
namespace {

void bring_to_host(FramePair& pair) {
  pair.distorted = on_host(pair.distorted);
  if (pair.reference) pair.reference = on_host(*pair.reference);
  for (std::vector<Frame>* before : {&pair.distorted_before, &pair.references_before}) {
    for (Frame& frame : *before) frame = on_host(frame);
  }
}

class FallbackExtractor final : public FeatureExtractor {
 public:
  FallbackExtractor(std::unique_ptr<FeatureExtractor> first, Fallback fallback)
      : active_(std::move(first)), fallback_(std::move(fallback)) {}

  void push(const FramePair& frames, ScoreSink& sink) override {
    if (fell_back_) return active_->push(within_reach(frames), sink);
    pending_.push_back(frames);
    guard(sink, [&](ScoreSink& counting) { active_->push(frames, counting); });
  }

  void finish(ScoreSink& sink) override {
    if (!fell_back_) guard(sink, [&](ScoreSink& counting) { active_->finish(counting); });
    if (fell_back_) active_->finish(sink);
  }

  BackendReport backend_report() const override { return active_ ? active_->backend_report() : given_up_; }
  std::shared_ptr<FrameStore> frame_store() const override {
    return active_ ? active_->frame_store() : nullptr;
  }

 private:
  // Forgets the frames whose scores pass through it, whatever becomes of these then: they were delivered.
  class CountingSink final : public ScoreSink {
   public:
    CountingSink(ScoreSink& sink, std::deque<FramePair>& pending) : sink_(sink), pending_(pending) {}
    void scored(const FrameScores& scores) override {
      pending_.pop_front();
      has_thrown_ = true;  // until it returns
      sink_.scored(scores);
      has_thrown_ = false;
    }
    bool has_thrown() const { return has_thrown_; }

   private:
    ScoreSink& sink_;
    std::deque<FramePair>& pending_;
    bool has_thrown_ = false;
  };

  template <typename Step>
  void guard(ScoreSink& sink, Step step) {
    CountingSink counting(sink, pending_);
    try {
      step(counting);
    } catch (const Error& error) {
      if (counting.has_thrown() || error.kind() != ErrorKind::kBackend) throw;
      take_over(error.what(), sink);
    }
  }

  void take_over(const std::string& reason, ScoreSink& sink) {
    given_up_ = active_->backend_report();
    fallback_.on_fallback(reason);
    active_.reset();  // a lost device's memory goes before the second extractor takes its own
    active_ = fallback_.make();
    fell_back_ = true;
    for (std::deque<FramePair> again = std::exchange(pending_, {}); !again.empty(); again.pop_front())
      active_->push(within_reach(again.front()), sink);
  }

  // The same pair with samples that the host sees: they may be on a device that has failed.
  FramePair within_reach(FramePair pair) const {
    try {
      bring_to_host(pair);
    } catch (const Error& error) {
      if (!fallback_.read_again || error.kind() != ErrorKind::kBackend) throw;
      fallback_.read_again(pair);
    }
    return pair;
  }

  std::unique_ptr<FeatureExtractor> active_;  // none where the second could not be made
  BackendReport given_up_;                    // of the first
  const Fallback fallback_;
  bool fell_back_ = false;
  std::deque<FramePair> pending_;  // pushed to the first extractor and not delivered
};

}  // namespace

std::unique_ptr<FeatureExtractor> with_fallback(std::unique_ptr<FeatureExtractor> first, Fallback fallback) {
  return std::make_unique<FallbackExtractor>(std::move(first), std::move(fallback));
}

}  // namespace vq
