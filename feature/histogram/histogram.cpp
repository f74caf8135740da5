#include "feature/histogram/histogram.h"

#include <deque>
#include <utility>

#include "feature/histogram/figures.h"
#include "feature/histogram/stages.h"
#include "feature/simd_targets.h"

namespace vq::histogram {
namespace {

class HistogramHost final : public HostFeature {
 public:
  HistogramHost(const HistogramPlan& plan, const Execution& execution)
      : plan_(plan),
        histograms_(execution.histograms),
        count_plane_(host_stage(execution, scalar::count_plane, simd::count_plane_for)),
        count_rgb_(host_stage(execution, scalar::count_rgb, simd::count_rgb_for)),
        simd_(host_simd(execution)) {}

  FrameResult score(const FramePair& frames) override {
    FrameCounts counts(plan_);
    const YcbcrPlanes& planes = frames.distorted.planes;
    if (plan_.is_rgb) {
      count_rgb_(planes, plan_.rgb, counts.channels);
    } else {
      for (size_t i = 0; i < plan_.channels.size(); ++i)
        count_plane_(planes[i], plan_.bins, counts.channels[i]);
    }
    return frame_result(plan_, std::move(counts), histograms_);
  }

  std::string simd() const override { return simd_; }

 private:
  const HistogramPlan plan_;
  const bool histograms_;
  const CountPlane count_plane_;
  const CountRgb count_rgb_;
  const std::string simd_;
};

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

constexpr std::string_view kLevelsSubject = "levels";

struct Figure {
  std::string_view name;
  std::string_view title;
  std::string_view subject = kLevelsSubject;
  int decimals = 0;
  std::string_view explanation = {};
};
// No level is better than another, nor is it to have many: that is up to the picture.
constexpr Figure kLevels[] = {
    {"mean", "mean", kLevelsSubject, 2, "The mean of the frame's code values."},
    {"stdev", "standard deviation", kLevelsSubject, 2,
     "How far the frame's code values are from their mean."},
    {"min", "lowest level", kLevelsSubject, 0, "The lowest code value in the frame."},
    {"p1", "1st percentile", kLevelsSubject, 0,
     "1 % of the frame's samples are at or below this code value."},
    {"p50", "median", kLevelsSubject, 0, "Half of the frame's samples are at or below this code value."},
    {"p99", "99th percentile", kLevelsSubject, 0,
     "99 % of the frame's samples are at or below this code value."},
    {"max", "highest level", kLevelsSubject, 0, "The highest code value in the frame."},
    {"used", "used levels", kLevelsSubject, 3,
     "Which share of the range's code values occurs in the frame."}};
// The level that says most of a frame.
constexpr std::string_view kTelling = "mean";
constexpr Figure kEntropy = {
    "entropy", "entropy", kLevelsSubject, 3,
    "Minimum number of bits per sample if samples were coded independently: low if few levels are used."};
constexpr std::string_view kShadows = "clipped shadows", kHighlights = "clipped highlights";
// In shares of the samples.
constexpr Figure kClippedShares[] = {{"clipped_low", "clipped shadows", kShadows, 5,
                                      "Share of the samples at the lowest levels of the range or below."},
                                     {"clipped_high", "clipped highlights", kHighlights, 5,
                                      "Share of the samples at the highest levels of the range or above."}};
// 0 or 1.
constexpr Figure kClippingFlags[] = {
    {"shadow_clipping", "shadow clipping", kShadows, 0, "1 where shadows are clipped, else 0."},
    {"highlight_clipping", "highlight clipping", kHighlights, 0, "1 where highlights are clipped, else 0."}};

struct ChannelTitle {
  std::string_view name;
  std::string_view title;
};
constexpr ChannelTitle kChannels[] = {{"y", "Y"}, {"cb", "Cb"}, {"cr", "Cr"},      {"r", "R"},
                                      {"g", "G"}, {"b", "B"},   {"l", "luminance"}};

// Owns the names of the metrics that it describes.
class MetricTable {
 public:
  MetricTable() {
    for (const auto& [channel, title] : kChannels) add_channel(channel, " of " + std::string(title));
    for (const Figure& figure : kClippingFlags) add(clipping(1), figure, {});
  }
  std::span<const MetricInfo> metrics() const { return metrics_; }

 private:
  static MetricInfo clipping(double noteworthy) {
    return {
        .better = Better::kLower, .flawless = 0, .noteworthy = noteworthy, .noteworthy_meaning = "visible"};
  }

  void add_channel(std::string_view channel, const std::string& of_channel) {
    for (const Figure& figure : kLevels)
      add({.is_detail = figure.name != kTelling}, figure, channel, of_channel);
    add({.unit = "bit", .is_detail = true}, kEntropy, channel, of_channel);
    for (const Figure& figure : kClippedShares)
      add(clipping(HistogramOptions().clip_share), figure, channel, of_channel);
    for (const Figure& figure : kClippingFlags) {
      MetricInfo info = clipping(1);
      info.is_detail = true;  // the shares say it already
      add(info, figure, channel, of_channel);
    }
  }

  void add(MetricInfo info, const Figure& figure, std::string_view channel,
           const std::string& of_channel = {}) {
    info.name = texts_.emplace_back(metric_name(channel, figure.name));
    info.title = texts_.emplace_back(std::string(figure.title) + of_channel);
    info.subject = figure.subject;
    info.explanation = figure.explanation;
    info.decimals = figure.decimals;
    metrics_.push_back(info);
  }

  std::deque<std::string> texts_;
  std::vector<MetricInfo> metrics_;
};

std::span<const MetricInfo> metrics() {
  static const MetricTable kTable;
  return kTable.metrics();
}

HistogramPlan plan_of(const OptionSet& set, const VideoFormats& formats) {
  return make_plan(to_options(set), formats.distorted);
}

bool needs_reference(const OptionSet&) {
  return false;
}

int planes(const OptionSet& set) {
  return to_options(set).planes == Planes::kY ? 1 : kMaxPlanes;
}

// Video without chroma is counted by its luma.
Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  const VideoFormat& video = formats.distorted;
  const Planes planes = to_options(set).planes;
  if (planes == Planes::kY) return {};
  if (plane_count(video.chroma) == 1) {
    set.resolve("planes", "y");
    return {.notes = {"histogram of luma alone (the video has no chroma)"}, .warnings = {}};
  }
  if (planes != Planes::kRgb || video.matrix != Matrix::kUnspecified) return {};
  return {.notes = {"histogram: matrix=" + std::string(to_string(matrix_of(video))) + " (assumed)"},
          .warnings = {}};
}

std::vector<HistogramInfo> histograms(const OptionSet& set, const VideoFormats& formats) {
  const HistogramPlan plan = plan_of(set, formats);
  std::vector<HistogramInfo> infos;
  for (const Channel& channel : plan.channels) {
    infos.push_back({.name = std::string(channel.name),
                     .bins = static_cast<int>(plan.bins.bins),
                     .low = static_cast<int>(channel.low),
                     .high = static_cast<int>(channel.high)});
  }
  return infos;
}

void check(const OptionSet& set, const VideoFormats& formats) {
  plan_of(set, formats);
}

FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution&) {
  return {.each_result = result_bytes(plan_of(set, formats))};
}

std::vector<StageBytes> stage_bytes(const OptionSet& set, const VideoFormats& formats, Backend backend) {
  const int planes = make_plan(to_options(set), formats.distorted).planes;
  return {
      {is_on_device(backend) ? "count" : std::string(kWholeStage), frame_bytes(formats.distorted, planes)}};
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const VideoFormats& formats,
                                  const Execution& execution) {
  return std::make_unique<HistogramHost>(plan_of(set, formats), execution);
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = {
      .name = "histogram",
      .summary = "histograms of luma, chroma or R, G, B: levels, entropy, and clipped shadows and highlights",
      .options = option_specs(),
      .backends = kBackends,
      .metrics = metrics(),
      .metric_names = metric_names,
      .needs_reference = needs_reference,
      .planes = planes,
      .resolve = resolve,
      .histogram_option = kFileOption,
      .histograms = histograms,
      .check = check,
      .memory = memory,
      .stage_bytes = stage_bytes,
      .make = make,
  };
  return kInfo;
}

}  // namespace vq::histogram
