#include "feature/histogram/plan.h"

#include <cmath>

#include "core/error.h"

namespace vq::histogram {
namespace {

constexpr std::array<std::string_view, 3> kYcbcrNames = {"y", "cb", "cr"};
constexpr std::array<std::string_view, kMaxChannels> kRgbNames = {"r", "g", "b", "l"};

}  // namespace

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

namespace {

constexpr int kBytesBins = 256;

// The limits of limited range at 8 bits (ITU-R BT.601, BT.709, BT.2100).
constexpr int kBlack = 16, kWhite = 235, kChromaTop = 240;

int32_t fixed(double coefficient) {
  return static_cast<int32_t>(std::lround(coefficient * (1 << kFractionBits)));
}

bool is_full(Range range) {
  return range == Range::kFull;
}

BinRule bin_rule(const HistogramOptions& options, int bit_depth) {
  if (options.bins == kBytesBins) return {kBytesBins, static_cast<uint32_t>(bit_depth - 8)};
  return {1U << bit_depth, 0};
}

// Bins are those of code values, or of 8 bits.
Channel channel_of(std::string_view name, const BinRule& rule, bool is_limited) {
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

void check_rgb(const VideoFormat& video) {
  if (matrix_of(video) != Matrix::kOther) return;
  throw Error(ErrorKind::kMismatch, video.name +
                                        " uses a matrix from which RGB cannot be derived; histogram needs "
                                        "planes=y or planes=ycbcr for it.");
}

}  // namespace

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

}  // namespace vq::histogram
