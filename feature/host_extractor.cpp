#include "feature/extractor.h"

#include <exception>

#include "core/elementary.h"
#include "feature/metric_type.h"
#include "feature/stage_clock.h"

namespace vq {

// Frames in flight: one for each thread, and for every second thread one that is ready when another is done.
// In a group: until the slowest has begun what is to be delivered next.
static size_t frames_in_flight(const Execution& execution) {
  const auto threads = static_cast<size_t>(thread_count(execution));
  const size_t meeting = execution.group != nullptr ? execution.group->ahead() + 2 : 0;
  return std::max(threads + threads / 2, meeting);
}

static std::string key_of(const VideoFormat& video) {
  std::string key;
  for (const int value :
       {video.width, video.height, video.bit_depth, static_cast<int>(video.chroma),
        static_cast<int>(video.range), static_cast<int>(video.transfer), static_cast<int>(video.matrix),
        static_cast<int>(video.primaries), static_cast<int>(video.chroma_location),
        static_cast<int>(video.rounds_chroma_down)})
    key += std::to_string(value) + " ";
  return key + std::to_string(video.frame_rate);
}

template <typename T>
static bool is_same_view(const PlaneView<T>& a, const PlaneView<T>& b) {
  return a.data == b.data && a.stride == b.stride && a.width == b.width && a.height == b.height;
}

using Clock = std::chrono::steady_clock;
using Batch = Rendezvous<GroupedFrame>::Batch;

std::shared_ptr<HostFeature> ScoringGroup::shared(const std::string& key, std::shared_ptr<HostFeature> own) {
  const std::lock_guard lock(mutex_);
  return features_.emplace(key, std::move(own)).first->second;
}

std::string sharing_key(const FeatureRequest& request, const VideoFormats& formats) {
  std::string key(request.info->name);
  for (const OptionSpec& option : request.info->options)
    key += "\n" + std::string(option.name) + "=" + request.options.text(option.name);
  key += request.heatmaps ? "\nheatmaps" : "";
  key += request.histograms ? "\nhistograms" : "";
  key += "\n" + key_of(formats.distorted);
  return formats.reference ? key + "\n" + key_of(*formats.reference) : key;
}

bool is_same_picture(const Frame& a, const Frame& b) {
  return a.bit_depth == b.bit_depth &&
         std::equal(a.planes.begin(), a.planes.end(), b.planes.begin(), [](const auto& p, const auto& q) {
           return is_same_view(p.u8, q.u8) && is_same_view(p.u16, q.u16);
         });
}

class HostExtractor final : public FeatureExtractor {
 public:
  HostExtractor(std::vector<HostPart> parts, const FrameNeeds& use, const VideoFormats& formats,
                const Execution& execution)
      : parts_(std::move(parts)),
        formats_(formats),
        execution_(execution),
        capacity_(frames_in_flight(execution)),
        times_(parts_.size()),
        group_(execution.group),
        member_(group_ != nullptr ? group_->frames().join() : 0),
        jobs_(use) {}

  // Frames in flight are waited for.
  ~HostExtractor() override {
    leave();
    for (size_t i = 0; i < jobs_.size(); ++i) begin(jobs_.job(i));
  }

  void push(const FramePair& frames, ScoreSink& sink) override {
    const ExactFloats exact;  // what follows from several frames is computed as they are delivered
    submit(jobs_.add(frames));
    // Waits here and not with the next frame in hand, which would be one more in memory.
    if (jobs_.size() >= capacity_) deliver_first(sink);
  }

  void finish(ScoreSink& sink) override {
    const ExactFloats exact;
    leave();
    while (jobs_.size() > 0) deliver_first(sink);
  }

  BackendReport backend_report() const override {
    const std::lock_guard lock(mutex_);
    return {.backend = std::string(to_string(execution_.backend)),
            .simd = host_simd(execution_),
            .repeated_frames = jobs_.repeated_frames(),
            .host_stages = execution_.time_stages ? stage_times() : std::vector<StageTotal>()};
  }

 private:
  void submit(FrameJob& job) {
    const int64_t number = job.frames.index;
    if (group_ == nullptr) {
      if (!job.repeats)
        job.done = execution_.pool->submit(std::packaged_task<void()>([this, &job] { score(job); }));
    } else if (job.repeats) {
      start(group_->frames().pass(member_, number));
    } else {
      GroupedFrame frame{this, &job};
      job.done = frame.done.get_future();
      start(group_->frames().bring(member_, number, std::move(frame)));
    }
  }

  // Where frames of the group wait for others, they do so no longer.
  void begin(const FrameJob& job) {
    if (group_ == nullptr || job.repeats) return;
    if (std::optional<Batch> batch = group_->frames().take(job.frames.index)) start_one(std::move(*batch));
  }
  void leave() {
    if (group_ != nullptr) start(group_->frames().leave(member_));
  }
  void start(std::vector<Batch> batches) {
    for (Batch& batch : batches) start_one(std::move(batch));
  }
  void start_one(Batch batch) {
    const auto frames = std::make_shared<Batch>(std::move(batch));
    execution_.pool->submit(std::packaged_task<void()>([frames] { score_batch(*frames); }));
  }

  void deliver_first(ScoreSink& sink) {
    const StageTimer timer(execution_.clock, pace::kScoring);
    begin(jobs_.first());
    try {
      jobs_.deliver_first(sink);
    } catch (...) {
      leave();
      throw;
    }
  }

  void score(FrameJob& job) {
    std::vector<double> times;
    Checked checked;
    bring_to_host(job.frames);
    for (const HostPart& part : parts_) {
      const bool wanted = job.frames.is_reported || part.every_frame;
      const TraceSpan span(part.name, job.frames.index);
      const auto start = Clock::now();
      if (wanted) check_luma(part.bounded_luma, job.frames, checked);
      job.results.push_back(wanted ? part.feature->score(job.frames) : FrameResult());
      times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - start).count());
    }
    add(times);
    job.release_frames();
  }

  // Which videos of a frame were looked at: each once, when the first feature comes that needs it.
  struct Checked {
    bool distorted = false, reference = false;
  };

  // Whether both frames can be scored together.
  static bool are_alike(const GroupedFrame& a, const GroupedFrame& b) {
    const FramePair &one = a.job->frames, &other = b.job->frames;
    if (one.is_reported != other.is_reported || !one.reference || !other.reference) return false;
    const auto is_same = [](const HostPart& p, const HostPart& q) {
      return p.name == q.name && p.every_frame == q.every_frame && p.bounded_luma == q.bounded_luma &&
             p.is_shared == q.is_shared && (p.feature == q.feature || !p.is_shared);
    };
    return is_same_picture(*one.reference, *other.reference) &&
           std::ranges::equal(a.extractor->parts_, b.extractor->parts_, is_same);
  }

  static void score_batch(Batch& batch) {
    std::vector<GroupedFrame*> alike, others;
    for (GroupedFrame& frame : batch) {
      try {
        bring_to_host(frame.job->frames);
        (are_alike(batch.front(), frame) ? alike : others).push_back(&frame);
      } catch (...) {
        frame.done.set_exception(std::current_exception());
      }
    }
    if (alike.size() < 2 || !score_together(alike)) score_one_by_one(alike);
    score_one_by_one(others);
  }

  static void score_one_by_one(std::span<GroupedFrame* const> frames) {
    for (GroupedFrame* const frame : frames) {
      try {
        frame->extractor->score(*frame->job);
        frame->done.set_value();
      } catch (...) {
        frame->done.set_exception(std::current_exception());
      }
    }
  }

  // False, and nothing is changed, if a frame cannot be scored: which one and why is found one by one.
  static bool score_together(std::span<GroupedFrame* const> frames) {
    std::vector<FrameOfGroup> scored;
    std::vector<double> times;
    try {
      for (GroupedFrame* const frame : frames)
        scored.push_back({frame->extractor, &frame->job->frames, {}, {}});
      for (size_t part = 0; part < frames.front()->extractor->parts_.size(); ++part) {
        const auto start = Clock::now();
        score_part(part, scored);
        const std::chrono::duration<double, std::milli> time = Clock::now() - start;
        times.push_back(time.count() / static_cast<double>(frames.size()));
      }
    } catch (...) {
      return false;
    }
    for (size_t i = 0; i < frames.size(); ++i) {
      FrameJob& job = *frames[i]->job;
      job.results = std::move(scored[i].results);
      frames[i]->extractor->add(times);
      job.release_frames();
      frames[i]->done.set_value();
    }
    return true;
  }

  struct FrameOfGroup {
    HostExtractor* extractor;
    const FramePair* frames;
    Checked checked;
    std::vector<FrameResult> results;
  };

  static void score_part(size_t place, std::span<FrameOfGroup> frames) {
    const HostPart& part = frames.front().extractor->parts_[place];
    const TraceSpan span(part.name, frames.front().frames->index);
    const bool wanted = frames.front().frames->is_reported || part.every_frame;
    std::vector<const FramePair*> pairs;
    for (FrameOfGroup& frame : frames) {
      if (wanted) frame.extractor->check_luma(part.bounded_luma, *frame.frames, frame.checked);
      pairs.push_back(frame.frames);
    }
    std::vector<FrameResult> shared;
    if (wanted && part.is_shared) shared = part.feature->score_together(pairs);
    for (size_t i = 0; i < frames.size(); ++i) {
      FrameResult result;
      if (!shared.empty()) {
        result = std::move(shared[i]);
      } else if (wanted) {
        result = frames[i].extractor->parts_[place].feature->score(*pairs[i]);
      }
      frames[i].results.push_back(std::move(result));
    }
  }

  void check_luma(BoundedLuma bounded, const FramePair& frames, Checked& checked) const {
    if (bounded == BoundedLuma::kBoth && !std::exchange(checked.distorted, true)) {
      require_luma_in_range(frames.distorted, formats_.distorted);
    }
    if (bounded != BoundedLuma::kNone && !std::exchange(checked.reference, true)) {
      require_luma_in_range(frames.reference.value(), formats_.reference.value());
    }
  }

  void add(const std::vector<double>& times) {
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < times.size(); ++i) times_[i] += times[i];
  }

  // Needs: the lock.
  std::vector<StageTotal> stage_times() const {
    std::vector<StageTotal> all;
    for (size_t i = 0; i < parts_.size(); ++i) {
      std::vector<StageTotal> own = parts_[i].feature->stage_times();
      if (own.empty()) own.push_back({std::string(kWholeStage), times_[i]});
      for (const StageTotal& total : own) {
        add_stage_time(all, parts_.size() > 1 ? prefixed_stage(parts_[i].name, total.stage) : total.stage,
                       total.ms);
      }
    }
    return all;
  }

  const std::vector<HostPart> parts_;
  const VideoFormats formats_;
  const Execution execution_;
  const size_t capacity_;
  mutable std::mutex mutex_;
  std::vector<double> times_;  // of each part, ms
  ScoringGroup* const group_;  // null: none
  const size_t member_;        // of the group
  OrderedFrames jobs_;
};

std::unique_ptr<FeatureExtractor> make_host_extractor(std::vector<HostPart> parts, const FrameNeeds& use,
                                                      const VideoFormats& formats,
                                                      const Execution& execution) {
  return std::make_unique<HostExtractor>(std::move(parts), use, formats, execution);
}

// The results in flight, and the one that was delivered last.
size_t host_results(const Execution& execution) { return frames_in_flight(execution) + 1; }

}  // namespace vq
