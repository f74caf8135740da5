#include "feature/histogram/feature.h"

#include <deque>

#include "feature/histogram/device.h"
#include "feature/histogram/figures.h"
#include "feature/histogram/flags.h"
#include "feature/histogram/host_feature.h"

namespace vq::histogram {
namespace {

constexpr Backend kBackends[] = {Backend::kScalar, Backend::kCpu, Backend::kHybrid, Backend::kVulkan};

struct Figure {
  std::string_view name;
  std::string_view title;
  std::string_view subject = "levels";
};
// No level is better than another, nor is it to have many: that is up to the picture.
constexpr Figure kLevels[] = {
    {"mean", "mean"},  {"stdev", "standard deviation"}, {"min", "lowest level"},  {"p1", "1st percentile"},
    {"p50", "median"}, {"p99", "99th percentile"},      {"max", "highest level"}, {"used", "used levels"}};
constexpr Figure kEntropy = {"entropy", "entropy"};
constexpr std::string_view kShadows = "clipped shadows", kHighlights = "clipped highlights";
// In shares of the samples.
constexpr Figure kClippedShares[] = {{"clipped_low", "clipped shadows", kShadows},
                                     {"clipped_high", "clipped highlights", kHighlights}};
// 0 or 1.
constexpr Figure kClippingFlags[] = {{"shadow_clipping", "shadow clipping", kShadows},
                                     {"highlight_clipping", "highlight clipping", kHighlights}};

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
    for (const Figure& figure : kLevels) add({}, figure, channel, of_channel);
    add({.unit = "bit"}, kEntropy, channel, of_channel);
    for (const Figure& figure : kClippedShares)
      add(clipping(HistogramOptions().clip_share), figure, channel, of_channel);
    for (const Figure& figure : kClippingFlags) add(clipping(1), figure, channel, of_channel);
  }

  void add(MetricInfo info, const Figure& figure, std::string_view channel,
           const std::string& of_channel = {}) {
    info.name = texts_.emplace_back(metric_name(channel, figure.name));
    info.title = texts_.emplace_back(std::string(figure.title) + of_channel);
    info.subject = figure.subject;
    metrics_.push_back(info);
  }

  std::deque<std::string> texts_;
  std::vector<MetricInfo> metrics_;
};

std::span<const MetricInfo> metrics() {
  static const MetricTable kTable;
  return kTable.metrics();
}

HistogramPlan plan_of(const OptionSet& set, const InputFormats& formats) {
  return make_plan(to_options(set), formats.distorted);
}

bool needs_reference(const OptionSet&) {
  return false;
}

int planes(const OptionSet& set) {
  return to_options(set).planes == Planes::kY ? 1 : kMaxPlanes;
}

// Video without chroma is counted by its luma.
Resolution resolve(OptionSet& set, const InputFormats& formats, bool) {
  const VideoFormat& video = formats.distorted;
  const Planes planes = to_options(set).planes;
  if (planes == Planes::kY) return {};
  if (plane_count(video.chroma) == 1) {
    set.resolve("planes", "y");
    return {.notes = {"histogram of luma alone (the video has no chroma)"}, .warnings = {}};
  }
  if (planes != Planes::kRgb || video.matrix != Matrix::kUnspecified) return {};
  return {.notes = {"histogram: matrix=" + std::string(to_string(assumed_matrix(video))) + " (assumed)"},
          .warnings = {}};
}

std::vector<HistogramInfo> histograms(const OptionSet& set, const InputFormats& formats) {
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

void check(const OptionSet& set, const InputFormats& formats) {
  plan_of(set, formats);
}

FeatureMemory memory(const OptionSet& set, const InputFormats& formats, const Execution&) {
  const HistogramPlan plan = plan_of(set, formats);
  FeatureMemory memory = device_memory(plan);
  memory.each_result = result_bytes(plan);
  return memory;
}

std::unique_ptr<HostFeature> make(const OptionSet& set, const InputFormats& formats,
                                  const Execution& execution) {
  return make_host_feature(plan_of(set, formats), execution);
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
      .flags = flags(),
      .resolve = resolve,
      .histogram_option = kFileOption,
      .histograms = histograms,
      .check = check,
      .memory = memory,
      .make = make,
      .device = device_support(),
  };
  return kInfo;
}

}  // namespace vq::histogram
