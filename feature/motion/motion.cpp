#include "feature/motion/motion.h"

#include <algorithm>
#include <deque>

#include "core/worker_pool.h"
#include "feature/compared_videos.h"
#include "feature/simd_targets.h"

namespace vq::motion {
namespace {

// Names, aliases, defaults and ranges of the reference implementation (libvmaf 3.2).
constexpr OptionSpec kSpecs[] = {
    {.name = "motion_force_zero",
     .alias = "force_0",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .help = "compare nothing: every score is 0"},
    {.name = "motion_blend_factor",
     .alias = "mbf",
     .kind = OptionKind::kReal,
     .default_number = 1,
     .min = 0,
     .max = 1,
     .help = "slope of motion3 above the offset"},
    {.name = "motion_blend_offset",
     .alias = "mbo",
     .kind = OptionKind::kReal,
     .default_number = 40,
     .min = 0,
     .max = 1000,
     .help = "where that slope starts"},
    {.name = "motion_fps_weight",
     .alias = "mfw",
     .kind = OptionKind::kReal,
     .default_number = 1,
     .min = 0,
     .max = 5,
     .help = "factor on the difference of two frames"},
    {.name = "motion_max_val",
     .alias = "mmxv",
     .kind = OptionKind::kReal,
     .default_number = 10000,
     .min = 0,
     .max = 10000,
     .help = "clip larger values to this"},
    {.name = "motion_five_frame_window",
     .alias = "mffw",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .help = "compare with the frame two back"},
    {.name = "motion_moving_average",
     .alias = "mma",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .help = "average motion3 with that of the frame before"},
    {.name = "debug",
     .kind = OptionKind::kBool,
     .default_number = 0,
     .in_metric_name = false,
     .help = "also report the difference of two frames as integer_motion"},
};

}  // namespace

std::span<const OptionSpec> option_specs() {
  return kSpecs;
}

MotionOptions to_options(const OptionSet& set) {
  return {.force_zero = set.get_bool("motion_force_zero"),
          .blend_factor = set.get_real("motion_blend_factor"),
          .blend_offset = set.get_real("motion_blend_offset"),
          .fps_weight = set.get_real("motion_fps_weight"),
          .max_value = set.get_real("motion_max_val"),
          .five_frame_window = set.get_bool("motion_five_frame_window"),
          .moving_average = set.get_bool("motion_moving_average"),
          .debug = set.get_bool("debug")};
}

std::vector<std::string> metric_names(const OptionSet& set) {
  std::vector<std::string> names = {set.metric_name("VMAF_integer_feature_motion_sad_score")};
  if (to_options(set).debug) names.push_back(set.metric_name("integer_motion"));
  names.push_back(set.metric_name("integer_motion2"));
  names.push_back(set.metric_name("integer_motion3"));
  return names;
}

namespace {

class MotionHost final : public HostFeature {
 public:
  MotionHost(const MotionOptions& options, const VideoFormat& reference, const Execution& execution)
      : options_(options),
        video_(reference),
        blurred_difference_(host_stage(execution, scalar::blurred_difference, simd::blurred_difference_for)),
        simd_(host_simd(execution)),
        rows_([width = reference.width] { return std::make_unique<Rows>(width); }) {}

  FrameResult score(const FramePair& frames) override {
    const auto gap = static_cast<size_t>(options_.gap());
    if (options_.force_zero) return {.values = {0}};
    if (frames.references_before.size() < gap) return {.values = {0}};
    const Pictures pictures = {.before = frames.references_before[gap - 1].luma(),
                               .now = frames.reference.value().luma(),
                               .bit_depth = video_.bit_depth};
    const auto rows = rows_.take();
    return {.values = {
                pair_score(options_, blurred_difference_(pictures, *rows), {video_.width, video_.height})}};
  }

  std::string simd() const override { return simd_; }

 private:
  const MotionOptions options_;
  const VideoFormat video_;
  const BlurredDifference blurred_difference_;
  const std::string simd_;
  WorkspacePool<Rows> rows_;
};

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

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

bool needs_reference(const OptionSet&) {
  return true;
}

NeighbourCount neighbours(const OptionSet& set) {
  const MotionOptions options = to_options(set);
  return {.distorted = 0, .references = options.force_zero ? 0 : options.gap()};
}

BoundedLuma bounded_luma(const OptionSet& set) {
  return to_options(set).force_zero ? BoundedLuma::kNone : BoundedLuma::kReference;
}

// Frames that are not reported are the neighbours of those that are.
bool needs_every_frame(const OptionSet& set) {
  return !to_options(set).force_zero;
}

std::unique_ptr<FrameSequence> make_sequence(const OptionSet& set) {
  return make_motion_sequence(to_options(set));
}

void check(const OptionSet&, const VideoFormats& formats) {
  compared_videos("motion", formats);
}

FeatureMemory memory(const OptionSet&, const VideoFormats& formats, const Execution& execution) {
  // A row of 32 bits and two of 16, with padding and guards.
  constexpr int64_t kMargin = 256;
  return {.fixed = thread_count(execution) * int64_t{8} * (formats.reference->width + kMargin)};
}

std::vector<StageBytes> stage_bytes(const OptionSet& set, const VideoFormats& formats, Backend backend) {
  if (to_options(set).force_zero) return {};
  const int64_t bytes = 2 * frame_bytes(formats.reference.value(), 1);
  return {{is_on_device(backend) ? "blurred_difference" : std::string(kWholeStage), bytes}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const VideoFormats& formats,
                                  const Execution& execution) {
  return std::make_unique<MotionHost>(to_options(set), formats.reference.value(), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "motion",
      .summary = "how much the reference changes from frame to frame",
      .options = option_specs(),
      .backends = kBackends,
      .publication =
          {.citation =
               "Z. Li, A. Aaron, I. Katsavounidis, A. Moorthy, M. Manohara: Toward a practical perceptual "
               "video quality metric. Netflix Technology Blog, 2016",
           .doi = {}},
      .metrics = kMetrics,
      .metric_names = metric_names,
      .needs_reference = needs_reference,
      .neighbours = neighbours,
      .bounded_luma = bounded_luma,
      .needs_every_frame = needs_every_frame,
      .make_sequence = make_sequence,
      .check = check,
      .memory = memory,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

namespace {

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
  // Of those that are compared with none.
  std::vector<FrameValues> first_frames(double motion3) {
    before_ = motion3;
    return std::vector<FrameValues>(static_cast<size_t>(std::min<int64_t>(gap_, taken_)),
                                    values_of(0, 0, motion3));
  }

  FrameValues values_before_last() {
    const size_t last = scores_.size() - 1;
    const int64_t frame = taken_ - 2, back = frame - (gap_ - 1);
    const double after = scores_[last];
    // The score of frame `back`, where that was compared with another.
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

double pair_score(const MotionOptions& options, uint64_t difference, PlaneSize size) {
  const auto samples = static_cast<double>(int64_t{size.width} * size.height);
  return std::min(static_cast<double>(difference) / 256.0 / samples * options.fps_weight, options.max_value);
}

std::unique_ptr<FrameSequence> make_motion_sequence(const MotionOptions& options) {
  return std::make_unique<MotionSequence>(options);
}

}  // namespace vq::motion
