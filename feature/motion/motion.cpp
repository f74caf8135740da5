#include "feature/motion/motion.h"

#include <algorithm>
#include <deque>

#include "feature/metric_type.h"

namespace vq::motion {
namespace {

struct Workspace : Rows {
  explicit Workspace(const MotionPlan& plan) : Rows(plan.video.width) {}
};

class MotionHost final : public WorkspaceHost<MotionPlan, Stages, Workspace> {
 public:
  using WorkspaceHost::WorkspaceHost;

  FrameResult score(const FramePair& frames) override {
    const auto& [options, video] = plan_;
    const auto gap = static_cast<size_t>(options.gap());
    if (options.force_zero) return {.values = {0}};
    if (frames.references_before.size() < gap) return {.values = {0}};
    const Pictures pictures = {.before = frames.references_before[gap - 1].luma(),
                               .now = frames.reference.value().luma(),
                               .bit_depth = video.bit_depth};
    const auto rows = workspaces_.take();
    return {.values = {pair_score(options, stages_.blurred_difference(pictures, *rows),
                                  {video.width, video.height})}};
  }
};

// No motion is better than another: it is up to the reference.
constexpr MetricInfo difference_of(std::string_view name, std::string_view title) {
  return {.name = name,
          .title = title,
          .subject = "motion",
          .explanation =
              "The mean difference between the reference's blurred luma and that of the frame before, in "
              "levels of "
              "8-bit video.",
          .is_detail = true};
}
constexpr MetricInfo late_metric(std::string_view name, std::string_view title,
                                 std::string_view explanation) {
  return {.name = name, .title = title, .subject = "motion", .explanation = explanation, .is_late = true};
}
constexpr MetricInfo kMetrics[] = {
    difference_of("VMAF_integer_feature_motion_sad_score", "frame difference"),
    with_full_name(difference_of("integer_motion", "motion"), "VMAF_integer_feature_motion_score"),
    with_full_name(
        late_metric("integer_motion2", "motion2",
                    "How much the reference changes around the frame: the smaller one of the changes into it "
                    "and out of it, so that flashes and cuts do not count."),
        "VMAF_integer_feature_motion2_score"),
    with_full_name(
        late_metric(
            "integer_motion3", "motion3",
            "How much the reference changes around the frame, limited and smoothed as the options say."),
        "VMAF_integer_feature_motion3_score")};

double processed(const MotionOptions& options, double motion) {
  const double blended =
      motion * options.blend_factor + (1 - options.blend_factor) * std::min(options.blend_offset, motion);
  return std::min(blended, options.max_value);
}

class MotionSequence final : public FrameSequence {
 public:
  explicit MotionSequence(const MotionOptions& options) : options_(options), gap_(options.gap()) {}

  std::vector<FrameValues> next(const FrameResult& result) override {
    scores_.push_back(result.values.front());
    ++taken_;
    if (taken_ <= gap_) return {};
    std::vector<FrameValues> values;
    if (taken_ == gap_ + 1) values = first_frames(processed(options_, scores_.back()));
    // The frame before the one just taken has what it needs: the next score.
    if (taken_ - 1 > gap_) values.push_back(values_before_last());
    while (static_cast<int>(scores_.size()) > gap_ + 1) scores_.pop_front();
    return values;
  }

  std::vector<FrameValues> finish() override {
    if (taken_ == 0) return {};
    if (taken_ <= gap_) return first_frames(0);
    return {complete(scores_.back(), scores_.back())};
  }

  std::vector<std::optional<double>> at_once(const FrameResult& result, int64_t frame) const override {
    const double score = result.values.front();
    const bool is_alone = frame < gap_ || options_.force_zero;
    const auto motion2 = is_alone ? std::optional(0.0) : std::nullopt;
    const auto motion3 = options_.force_zero ? std::optional(0.0) : std::nullopt;
    if (options_.debug) return {score, score, motion2, motion3};
    return {score, motion2, motion3};
  }

 private:
  // Values of frames that are compared with none.
  std::vector<FrameValues> first_frames(double motion3) {
    before_ = motion3;
    return std::vector<FrameValues>(static_cast<size_t>(std::min<int64_t>(gap_, taken_)),
                                    values_of(0, 0, motion3));
  }

  FrameValues values_before_last() {
    const size_t last = scores_.size() - 1;
    const int64_t frame = taken_ - 2, back = frame - (gap_ - 1);
    const double after = scores_[last];
    // The score of frame `back`, if that was compared with another.
    const double motion2 = back >= gap_ ? std::min(scores_[last - static_cast<size_t>(gap_)], after) : after;
    return complete(scores_[last - 1], motion2);
  }

  FrameValues complete(double score, double motion2) {
    const double motion3 = processed(options_, motion2);
    const double shown = options_.moving_average ? (motion3 + before_) / 2.0 : motion3;
    before_ = motion3;
    return values_of(score, motion2, shown);
  }

  FrameValues values_of(double score, double motion2, double motion3) const {
    if (options_.debug) return {score, score, motion2, motion3};
    return {score, motion2, motion3};
  }

  const MotionOptions options_;
  const int gap_;
  std::deque<double> scores_;  // of the last frames taken
  int64_t taken_ = 0;
  double before_ = 0;  // motion3 of the last complete frame, not averaged
};

}  // namespace

MotionPlan Motion::make_plan(const Options& options, const VideoFormats& formats) {
  compared_videos("motion", formats);
  return {.options = options, .video = *formats.reference};
}

std::vector<std::string> Motion::names(const Options& options) {
  std::vector<std::string> names = {"VMAF_integer_feature_motion_sad_score"};
  if (options.debug) names.emplace_back("integer_motion");
  names.insert(names.end(), {"integer_motion2", "integer_motion3"});
  return names;
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Motion, MotionHost>({
      .name = "motion",
      .summary = "how much the reference changes from frame to frame",
      .publication =
          {.citation =
               "Z. Li, A. Aaron, I. Katsavounidis, A. Moorthy, M. Manohara: Toward a practical perceptual "
               "video quality metric. Netflix Technology Blog, 2016",
           .doi = {}},
      .metrics = kMetrics,
  });
  return kInfo;
}

double pair_score(const MotionOptions& options, uint64_t difference, PlaneSize size) {
  const auto samples = static_cast<double>(int64_t{size.width} * size.height);
  return std::min(static_cast<double>(difference) / 256.0 / samples * options.fps_weight, options.max_value);
}

std::unique_ptr<FrameSequence> Motion::make_sequence(const Options& options) {
  return std::make_unique<MotionSequence>(options);
}

}  // namespace vq::motion
