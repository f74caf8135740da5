#include "feature/histogram/histogram.h"

namespace vq::histogram {

constexpr std::array<std::string_view, 3> kYcbcrNames = {"y", "cb", "cr"};
constexpr std::array<std::string_view, kMaxChannels> kRgbNames = {"r", "g", "b", "l"};

std::span<const std::string_view> channel_names(std::string_view planes) {
  if (planes == Planes::kRgb) return kRgbNames;
  return std::span(kYcbcrNames).first(planes == Planes::kY ? 1 : kYcbcrNames.size());
}

std::string metric_name(std::string_view channel, std::string_view figure) {
  std::string name = "histogram_";
  if (!channel.empty()) name += std::string(channel) + "_";
  return name + std::string(figure);
}

std::vector<std::string> Histogram::metric_names(const OptionSet& set) {
  OptionSet of_channel = set;
  of_channel.resolve("planes", "y");
  std::vector<std::string> names;
  for (const std::string_view channel : channel_names(options_of<Histogram>(set).planes)) {
    for (const std::string_view figure : kFigures) {
      names.push_back(of_channel.metric_name(metric_name(channel, figure)));
    }
  }
  for (const std::string_view figure : kOverallFigures)
    names.push_back(set.metric_name(metric_name({}, figure)));
  return names;
}

constexpr int kBytesBins = 256;

// The limits of limited range at 8 bits (ITU-R BT.601, BT.709, BT.2100).
constexpr int kBlack = 16, kWhite = 235, kChromaTop = 240;

static int32_t fixed(double coefficient) {
  return static_cast<int32_t>(std::lround(coefficient * (1 << kFractionBits)));
}

static bool is_full(Range range) { return range == Range::kFull; }

static BinRule bin_rule(const HistogramOptions& options, int bit_depth) {
  if (options.bins == kBytesBins) return {kBytesBins, static_cast<uint32_t>(bit_depth - 8)};
  return {1U << bit_depth, 0};
}

// Bins are those of code values, or of 8 bits.
static Channel channel_of(std::string_view name, const BinRule& rule, bool is_limited) {
  Channel channel = {
      .name = name, .samples = 0, .low = 0, .high = rule.bins - 1, .first = 0, .last = rule.bins - 1};
  if (!is_limited) return channel;
  const uint32_t step = rule.bins / kBytesBins, top = name == "y" ? kWhite : kChromaTop;
  channel.first = kBlack * step;
  channel.last = top * step;
  channel.low = channel.first - 1;
  channel.high = channel.last + 1;
  return channel;
}

static void check_rgb(const VideoFormat& video) {
  if (matrix_of(video) != Matrix::kOther) return;
  throw Error(ErrorKind::kMismatch, video.name +
                                        " uses a matrix from which RGB cannot be derived; histogram needs "
                                        "planes=y or planes=ycbcr for it.");
}

RgbConstants rgb_constants(Matrix matrix, Range range, int bit_depth) {
  const auto [red, blue] = luma_shares(matrix).value_or(*luma_shares(Matrix::kBt709));
  const double green = 1 - red - blue;
  const int peak = (1 << bit_depth) - 1, step = 1 << (bit_depth - 8);
  const double luma = is_full(range) ? 1 : peak / (double{kWhite - kBlack} * step);
  const double chroma = is_full(range) ? 1 : peak / (double{kChromaTop - kBlack} * step);
  return {.luma_offset = is_full(range) ? 0 : kBlack * step,
          .chroma_offset = 1 << (bit_depth - 1),
          .luma_scale = fixed(luma),
          .cr_to_r = fixed(chroma * 2 * (1 - red)),
          .cb_to_g = fixed(-chroma * 2 * (1 - blue) * blue / green),
          .cr_to_g = fixed(-chroma * 2 * (1 - red) * red / green),
          .cb_to_b = fixed(chroma * 2 * (1 - blue)),
          .peak = peak};
}

HistogramPlan make_plan(const HistogramOptions& options, const VideoFormat& video) {
  HistogramPlan plan;
  plan.options = options;
  plan.is_rgb = options.planes == Planes::kRgb;
  plan.planes = Histogram::planes(options);
  if (plan.planes > plane_count(video.chroma)) {
    throw Error(ErrorKind::kMismatch,
                video.name + " has no chroma to read; histogram needs planes=y for it.");
  }
  if (plan.is_rgb) check_rgb(video);
  plan.bins = bin_rule(options, video.bit_depth);
  plan.rgb = {rgb_constants(matrix_of(video), video.range, video.bit_depth), chroma_shifts(video.chroma),
              plan.bins};
  int plane = 0;
  for (const std::string_view name : channel_names(options.planes)) {
    Channel channel = channel_of(name, plan.bins, !plan.is_rgb && !is_full(video.range));
    const PlaneSize size = plane_size({video.width, video.height}, video.chroma, plan.is_rgb ? 0 : plane++);
    channel.samples = int64_t{size.width} * size.height;
    plan.channels.push_back(channel);
  }
  return plan;
}

namespace {

class HistogramHost final : public PlannedHost<HistogramPlan, Stages> {
 public:
  HistogramHost(const HistogramPlan& plan, const Execution& execution)
      : PlannedHost(plan, execution), histograms_(execution.histograms) {}

  FrameResult score(const FramePair& frames) override {
    FrameCounts counts(plan_);
    const YcbcrPlanes& planes = frames.distorted.planes;
    if (plan_.is_rgb) {
      stages_.count_rgb(planes, plan_.rgb, counts.channels);
    } else {
      for (size_t i = 0; i < plan_.channels.size(); ++i)
        stages_.count_plane(planes[i], plan_.bins, counts.channels[i]);
    }
    return frame_result(plan_, std::move(counts), histograms_);
  }

 private:
  const bool histograms_;
};

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

// Video without chroma is counted by its luma.
Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  const VideoFormat& video = formats.distorted;
  const std::string_view planes = options_of<Histogram>(set).planes;
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
  const HistogramPlan plan = plan_of<Histogram>(set, formats);
  std::vector<HistogramInfo> infos;
  for (const Channel& channel : plan.channels) {
    infos.push_back({.name = std::string(channel.name),
                     .bins = static_cast<int>(plan.bins.bins),
                     .low = static_cast<int>(channel.low),
                     .high = static_cast<int>(channel.high)});
  }
  return infos;
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Histogram, HistogramHost>(
      {.name = "histogram",
       .summary =
           "histograms of luma, chroma or R, G, B: levels, entropy, and clipped shadows and highlights",
       .metrics = metrics(),
       .resolve = resolve,
       .histogram_option = kFileOption,
       .histograms = histograms,
       .memory = [](const OptionSet& set, const VideoFormats& formats, const Execution&) {
         return FeatureMemory{.each_result = Histogram::result_bytes(plan_of<Histogram>(set, formats))};
       }});
  return kInfo;
}

namespace {

__extension__ using ExactSum = unsigned __int128;
using Bins = std::span<const uint32_t>;

// Sums over the samples of a channel. With 2^28 samples of 16 bits the squares fit 60 bits.
struct Moments {
  uint64_t sum = 0, squares = 0;
};

Moments moments_of(Bins bins, uint32_t shift) {
  Moments moments;
  for (size_t bin = 0; bin < bins.size(); ++bin) {
    const uint64_t value = uint64_t{bin} << shift, count = bins[bin];
    moments.sum += value * count;
    moments.squares += value * value * count;
  }
  return moments;
}

double standard_deviation(const Moments& moments, uint64_t samples) {
  const ExactSum scaled = ExactSum{moments.squares} * samples - ExactSum{moments.sum} * moments.sum;
  return std::sqrt(static_cast<double>(scaled)) / static_cast<double>(samples);
}

// The lowest value with so many percent of the samples at or below it.
double percentile(const HistogramPlan& plan, Bins bins, uint64_t samples, uint64_t percent) {
  return static_cast<double>(percentile_bin(bins, samples, percent) << plan.bins.shift);
}

double entropy(Bins bins, uint64_t samples) {
  double bits = 0;
  for (const uint32_t count : bins) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(samples);
    bits -= share * std::log2(share);
  }
  return bits;
}

double used(Bins bins, const Channel& channel) {
  int64_t count = 0;
  for (uint32_t bin = channel.first; bin <= channel.last; ++bin) count += bins[bin] > 0;
  return static_cast<double>(count) / (channel.last - channel.first + 1);
}

uint64_t sum_of(Bins bins) {
  uint64_t sum = 0;
  for (const uint32_t count : bins) sum += count;
  return sum;
}

// A channel without a single such sample is not clipped, whatever the share asked for.
bool is_clipped(const HistogramPlan& plan, double share) {
  return share > 0 && share >= plan.options.clip_share;
}

struct Clipping {
  bool shadows = false, highlights = false;
};

// Appends kFigures of a channel.
Clipping add_figures(const HistogramPlan& plan, const Channel& channel, const ChannelCounts& counts,
                     std::vector<double>& values) {
  const Bins bins(counts.bins, plan.bins.bins);
  const auto samples = static_cast<uint64_t>(channel.samples);
  const Moments moments = moments_of(bins, plan.bins.shift);
  const auto total = static_cast<double>(samples);
  const double low = static_cast<double>(sum_of(bins.first(channel.low + 1))) / total;
  const double high = static_cast<double>(sum_of(bins.subspan(channel.high))) / total;
  const Clipping clipping = {is_clipped(plan, low), is_clipped(plan, high)};
  values.insert(values.end(),
                {static_cast<double>(moments.sum) / total, standard_deviation(moments, samples),
                 static_cast<double>(counts.min), percentile(plan, bins, samples, 1),
                 percentile(plan, bins, samples, 50), percentile(plan, bins, samples, 99),
                 static_cast<double>(counts.max), entropy(bins, samples), used(bins, channel), low, high,
                 static_cast<double>(clipping.shadows), static_cast<double>(clipping.highlights)});
  return clipping;
}

}  // namespace

FrameCounts::FrameCounts(const HistogramPlan& plan) {
  for (size_t i = 0; i < plan.channels.size(); ++i) bins.emplace_back(plan.bins.bins);
  for (size_t i = 0; i < bins.size(); ++i) channels[i].bins = bins[i].data();
}

FrameResult frame_result(const HistogramPlan& plan, FrameCounts counts, bool histograms) {
  FrameResult result;
  Clipping any;
  for (size_t i = 0; i < plan.channels.size(); ++i) {
    const Clipping clipping = add_figures(plan, plan.channels[i], counts.channels[i], result.values);
    any.shadows = any.shadows || clipping.shadows;
    any.highlights = any.highlights || clipping.highlights;
  }
  result.values.insert(result.values.end(),
                       {static_cast<double>(any.shadows), static_cast<double>(any.highlights)});
  if (histograms) result.histograms = std::move(counts.bins);
  return result;
}

int64_t Histogram::result_bytes(const Plan& plan) {
  const auto channels = static_cast<int64_t>(plan.channels.size());
  const auto values =
      static_cast<int64_t>(kFigures.size()) * channels + static_cast<int64_t>(kOverallFigures.size());
  return channels * int64_t{plan.bins.bins} * static_cast<int64_t>(sizeof(uint32_t)) +
         values * static_cast<int64_t>(sizeof(double));
}

}  // namespace vq::histogram
