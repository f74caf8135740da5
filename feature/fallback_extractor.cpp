#include "feature/extractor.h"

#include <exception>

#include "core/elementary.h"
#include "core/error.h"

namespace vq {
namespace {

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

  std::unique_ptr<FeatureExtractor> active_;  // none if the second could not be made
  BackendReport given_up_;                    // of the first
  const Fallback fallback_;
  bool fell_back_ = false;
  std::deque<FramePair> pending_;  // pushed to the first extractor and not delivered
};

}  // namespace

std::unique_ptr<FeatureExtractor> with_fallback(std::unique_ptr<FeatureExtractor> first, Fallback fallback) {
  return std::make_unique<FallbackExtractor>(std::move(first), std::move(fallback));
}

namespace {

FrameResult copy_result(const FrameResult& result) {
  FrameResult copy = result.without_pictures();
  copy.histograms = result.histograms;
  for (const Plane<uint16_t>& map : result.heatmaps) copy.heatmaps.push_back(copy_plane(map.view()));
  return copy;
}

// A frame that one side has scored.
struct Row {
  int64_t frame = 0;
  bool is_reported = true;
  std::vector<FrameResult> results = {};
};

class Side final : private ScoreSink {
 public:
  explicit Side(MixedSide side) : side_(std::move(side)) {}

  void push(const FramePair& frames) { side_.extractor->push(frames, *this); }
  void finish() { side_.extractor->finish(*this); }

  bool has_row() const { return !rows_.empty(); }
  const Row& row() const { return rows_.front(); }
  // Moves the first row's results to their places.
  void take(std::vector<FrameResult>& results) {
    for (size_t i = 0; i < side_.places.size(); ++i)
      results[side_.places[i]] = std::move(rows_.front().results[i]);
    rows_.pop_front();
  }
  int64_t scored() const { return scored_; }
  size_t features() const { return side_.places.size(); }
  const FeatureExtractor& extractor() const { return *side_.extractor; }

  // With the feature's name before that of each stage, but the upload, which is for all.
  std::vector<StageTotal> named(std::vector<StageTotal> stages) const {
    if (side_.names.size() > 1) return stages;
    for (StageTotal& total : stages) {
      if (total.stage != kUploadStage) total.stage = prefixed_stage(side_.names.front(), total.stage);
    }
    return stages;
  }

 private:
  void scored(const FrameScores& scores) override {
    Row& row = rows_.emplace_back();
    row.frame = scores.frame;
    row.is_reported = scores.is_reported;
    for (const FrameResult& result : scores.results) row.results.push_back(copy_result(result));
    ++scored_;
  }

  const MixedSide side_;
  std::deque<Row> rows_;  // that the other side has not scored yet
  int64_t scored_ = 0;
};

class MixedExtractor final : public FeatureExtractor {
 public:
  MixedExtractor(MixedSide on_device, MixedSide on_host)
      : device_(std::move(on_device)), host_(std::move(on_host)) {}

  void push(const FramePair& frames, ScoreSink& sink) override {
    both(sink, [&](Side& side) { side.push(frames); });
  }

  void finish(ScoreSink& sink) override {
    both(sink, [](Side& side) { side.finish(); });
  }

  std::shared_ptr<FrameStore> frame_store() const override { return device_.extractor().frame_store(); }

  BackendReport backend_report() const override {
    BackendReport report = device_.extractor().backend_report();
    const BackendReport host = host_.extractor().backend_report();
    report.simd = host.simd;
    if (report.on_host.empty()) report.on_host = host.on_host;
    report.stages = device_.named(std::move(report.stages));
    report.host_stages = device_.named(std::move(report.host_stages));
    for (const StageTotal& total : host_.named(host.stages))
      add_stage_time(report.stages, total.stage, total.ms);
    for (const StageTotal& total : host_.named(host.host_stages))
      add_stage_time(report.host_stages, total.stage, total.ms);
    report.bytes_uploaded += host.bytes_uploaded;
    report.bytes_read += host.bytes_read;
    report.repeated_frames = std::min(report.repeated_frames, host.repeated_frames);
    return report;
  }

 private:
  // The device first: it works while the host is busy. What one side throws is thrown once the other has no
  // frame before it.
  template <typename Step>
  void both(ScoreSink& sink, Step step) {
    const ExactFloats exact;
    const std::exception_ptr of_device = attempt([&] { step(device_); });
    const std::exception_ptr of_host = attempt([&] { step(host_); });
    if (of_device || of_host) fail(of_device, of_host, sink);
    deliver(sink);
  }

  [[noreturn]] void fail(std::exception_ptr of_device, std::exception_ptr of_host, ScoreSink& sink) {
    if (!of_device) of_device = attempt([&] { device_.finish(); });
    if (!of_host) of_host = attempt([&] { host_.finish(); });
    deliver(sink);
    const bool device_is_first = of_device && (!of_host || device_.scored() <= host_.scored());
    std::rethrow_exception(device_is_first ? of_device : of_host);
  }

  template <typename Step>
  static std::exception_ptr attempt(Step step) {
    try {
      step();
      return nullptr;
    } catch (...) {
      return std::current_exception();
    }
  }

  void deliver(ScoreSink& sink) {
    while (device_.has_row() && host_.has_row()) {
      const int64_t frame = host_.row().frame;
      const bool is_reported = host_.row().is_reported;
      std::vector<FrameResult> results(device_.features() + host_.features());
      device_.take(results);
      host_.take(results);
      sink.scored({frame, is_reported, results});
    }
  }

  Side device_, host_;
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_mixed_extractor(MixedSide on_device, MixedSide on_host) {
  return std::make_unique<MixedExtractor>(std::move(on_device), std::move(on_host));
}

}  // namespace vq
