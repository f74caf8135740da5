#include "feature/fitting_extractor.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <future>
#include <utility>

#include "core/exact_floats.h"
#include "core/worker_pool.h"

namespace vq {
namespace {

// A frame that is fitted, or will be.
struct FittedFrame {
  int64_t index = 0;
  std::shared_future<void> done = {};  // invalid where there is nothing to do
  std::shared_ptr<Frame> frame = {};

  bool is_ready() const {
    return !done.valid() || done.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }
  const Frame& get() const {
    if (done.valid()) done.get();
    return *frame;
  }
};

// The frames of one video.
class FittedVideo {
 public:
  FittedVideo(const VideoFormat& from, const Fitting& fitting, const Execution& execution,
              const FrameNeeds& use, int before)
      : pool_(*execution.pool), before_(static_cast<size_t>(before)) {
    if (changes(fitting, from)) fitter_ = execution.make_fitter(from, fitting, use.planes);
  }

  // Those right before another were fitted for the frames that they are.
  FittedFrame fit(const Frame& frame) {
    if (!fitter_) return {.index = frame.index, .done = {}, .frame = std::make_shared<Frame>(frame)};
    for (const FittedFrame& known : recent_) {
      if (known.index == frame.index) return known;
    }
    FittedFrame fitted{.index = frame.index, .done = {}, .frame = std::make_shared<Frame>(frame)};
    const auto work = [fitter = fitter_, frame = fitted.frame] {
      const ExactFloats exact;
      *frame = fitter->fit(*frame);
    };
    fitted.done = pool_.submit(std::packaged_task<void()>(work)).share();
    recent_.push_back(fitted);
    if (recent_.size() > before_ + 1) recent_.pop_front();
    return fitted;
  }

 private:
  WorkerPool& pool_;
  const size_t before_;
  std::shared_ptr<const FrameFitter> fitter_;  // null where there is nothing to do
  std::deque<FittedFrame> recent_;
};

// A frame with those before it, of one video.
struct FittedFrames {
  FittedFrame frame;
  std::vector<FittedFrame> before;

  FittedFrames(FittedVideo& video, const Frame& own, const std::vector<Frame>& own_before) {
    // The latest is first; those before it were fitted for other frames, but at the start.
    for (auto it = own_before.rbegin(); it != own_before.rend(); ++it)
      before.insert(before.begin(), video.fit(*it));
    frame = video.fit(own);
  }
  void put(Frame& own, std::vector<Frame>& own_before) const {
    own = frame.get();
    for (size_t i = 0; i < before.size(); ++i) own_before[i] = before[i].get();
  }
};

struct FittedPair {
  FramePair pair;
  FittedFrames distorted;
  std::optional<FittedFrames> reference;

  bool is_ready() const { return distorted.frame.is_ready() && (!reference || reference->frame.is_ready()); }
  void fill() {
    distorted.put(pair.distorted, pair.distorted_before);
    if (reference) reference->put(*pair.reference, pair.references_before);
  }
};

class FittingExtractor final : public FeatureExtractor {
 public:
  FittingExtractor(std::unique_ptr<FeatureExtractor> extractor, const FrameNeeds& use,
                   const VideoFormats& formats, const Fitting& fitting, const Execution& execution)
      : extractor_(std::move(extractor)),
        most_(static_cast<size_t>(thread_count(execution))),
        distorted_(formats.distorted, fitting, execution, use, use.before.distorted) {
    if (use.reference && formats.reference)
      reference_.emplace(*formats.reference, fitting, execution, use, use.before.references);
  }

  void push(const FramePair& frames, ScoreSink& sink) override {
    FittedPair& fitted = waiting_.emplace_back(FittedPair{
        frames, FittedFrames(distorted_, frames.distorted, frames.distorted_before), std::nullopt});
    if (reference_ && frames.reference)
      fitted.reference.emplace(*reference_, *frames.reference, frames.references_before);
    while (!waiting_.empty() && (waiting_.size() > most_ || waiting_.front().is_ready())) hand_on(sink);
  }

  void finish(ScoreSink& sink) override {
    while (!waiting_.empty()) hand_on(sink);
    extractor_->finish(sink);
  }

  BackendReport backend_report() const override { return extractor_->backend_report(); }

 private:
  void hand_on(ScoreSink& sink) {
    FittedPair next = std::move(waiting_.front());
    waiting_.pop_front();
    try {
      next.fill();
    } catch (...) {
      extractor_->finish(sink);
      throw;
    }
    extractor_->push(next.pair, sink);
  }

  const std::unique_ptr<FeatureExtractor> extractor_;
  const size_t most_;
  FittedVideo distorted_;
  std::optional<FittedVideo> reference_;
  std::deque<FittedPair> waiting_;  // in order
};

}  // namespace

std::unique_ptr<FeatureExtractor> with_fitting(std::unique_ptr<FeatureExtractor> extractor,
                                               const FrameNeeds& use, const VideoFormats& formats,
                                               const Fitting& fitting, const Execution& execution) {
  return std::make_unique<FittingExtractor>(std::move(extractor), use, formats, fitting, execution);
}

int64_t fitting_bytes(const FrameNeeds& use, const VideoFormats& formats, const Fitting& fitting,
                      const Execution& execution) {
  const VideoFormats fitted = fitted_formats(formats, fitting);
  const int64_t frames = thread_count(execution) + 1;
  const auto bytes_of = [&](const VideoFormat& from, const VideoFormat& to, int before) {
    return changes(fitting, from) ? (frames + before) * frame_bytes(to, use.planes) : 0;
  };
  int64_t bytes = bytes_of(formats.distorted, fitted.distorted, use.before.distorted);
  if (use.reference && formats.reference)
    bytes += bytes_of(*formats.reference, *fitted.reference, use.before.references);
  return bytes;
}

}  // namespace vq
