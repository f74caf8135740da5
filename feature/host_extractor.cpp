#include "feature/host_extractor.h"

#include "core/frame_place.h"
#include "core/ordered_frames.h"
#include "core/worker_pool.h"

namespace vq {
namespace {

// Frames in flight: one for each thread, and for every second thread one that is ready when another is done.
size_t frames_in_flight(const Execution& execution) {
  const auto threads = static_cast<size_t>(execution.pool->size());
  return threads + threads / 2;
}

class HostExtractor final : public FeatureExtractor {
 public:
  HostExtractor(std::vector<HostPart> parts, const FrameUse& use, const Execution& execution)
      : parts_(std::move(parts)), execution_(execution), capacity_(frames_in_flight(execution)), jobs_(use) {}

  void push(const FramePair& frames, ScoreSink& sink) override {
    FrameJob& job = jobs_.add(frames);
    if (!job.repeats) job.done = execution_.pool->submit(std::packaged_task<void()>([this, &job] { score(job); }));
    // Waits here and not with the next frame in hand, which would be one more in memory.
    if (jobs_.size() >= capacity_) jobs_.deliver_first(sink);
  }

  void finish(ScoreSink& sink) override {
    while (jobs_.size() > 0) jobs_.deliver_first(sink);
  }

  BackendReport backend_report() const override {
    return {.backend = std::string(to_string(execution_.backend)),
            .simd = parts_.front().feature->simd(),
            .repeated_frames = jobs_.repeated_frames()};
  }

 private:
  void score(FrameJob& job) const {
    job.frames.distorted = on_host(job.frames.distorted);
    if (job.frames.reference) job.frames.reference = on_host(*job.frames.reference);
    for (const HostPart& part : parts_) {
      const bool wanted = job.frames.is_reported || part.every_frame;
      job.results.push_back(wanted ? part.feature->score(job.frames) : FrameResult());
    }
    job.release_frames();
  }

  const std::vector<HostPart> parts_;
  const Execution execution_;
  const size_t capacity_;
  OrderedFrames jobs_;
};

}  // namespace

std::unique_ptr<FeatureExtractor> make_host_extractor(std::vector<HostPart> parts, const FrameUse& use,
                                                      const Execution& execution) {
  return std::make_unique<HostExtractor>(std::move(parts), use, execution);
}

// Those in flight, and the one that was delivered last.
size_t host_results(const Execution& execution) {
  return frames_in_flight(execution) + 1;
}

}  // namespace vq
