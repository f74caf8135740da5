#include "feature/histogram/options.h"

namespace vq::histogram {
namespace {

constexpr std::array<std::string_view, 3> kPlanes = {"y", "ycbcr", "rgb"};
constexpr std::array<int, 2> kBins = {0, 256};

constexpr OptionSpec kSpecs[] = {
    {.name = "planes",
     .kind = OptionKind::kChoice,
     .default_text = "y",
     .choices = kPlanes,
     .help = "what is counted: the luma, also the chroma, or R, G, B and their luminance"},
    {.name = "bins",
     .kind = OptionKind::kInt,
     .default_number = 0,
     .allowed = kBins,
     .help = "bins of a histogram; 0: one for each code value"},
    {.name = "clip_share",
     .kind = OptionKind::kReal,
     .default_number = HistogramOptions().clip_share,
     .min = 0,
     .max = 1,
     .help = "share of a channel's samples at an end of the range from which on it is flagged as clipped"},
    {.name = kFileOption,
     .kind = OptionKind::kPath,
     .in_metric_name = false,
     .help = "file for the histograms of all frames, .npy or .csv; none: they are not written"},
};

constexpr std::array<std::string_view, 3> kYcbcrNames = {"y", "cb", "cr"};
constexpr std::array<std::string_view, kMaxChannels> kRgbNames = {"r", "g", "b", "l"};

Planes planes_of(std::string_view name) {
  return name == "rgb" ? Planes::kRgb : name == "ycbcr" ? Planes::kYcbcr : Planes::kY;
}

}  // namespace

std::span<const OptionSpec> option_specs() {
  return kSpecs;
}

HistogramOptions to_options(const OptionSet& set) {
  return {.planes = planes_of(set.get_text("planes")),
          .bins = set.get_int("bins"),
          .clip_share = set.get_real("clip_share")};
}

std::span<const std::string_view> channel_names(Planes planes) {
  if (planes == Planes::kRgb) return kRgbNames;
  return std::span(kYcbcrNames).first(planes == Planes::kY ? 1 : kYcbcrNames.size());
}

std::string metric_name(std::string_view channel, std::string_view figure) {
  std::string name = "histogram_";
  if (!channel.empty()) name += std::string(channel) + "_";
  return name + std::string(figure);
}

std::vector<std::string> metric_names(const OptionSet& set) {
  OptionSet of_channel = set;
  of_channel.resolve("planes", "y");
  std::vector<std::string> names;
  for (const std::string_view channel : channel_names(to_options(set).planes)) {
    for (const std::string_view figure : kFigures) {
      names.push_back(of_channel.metric_name(metric_name(channel, figure)));
    }
  }
  for (const std::string_view figure : kOverallFigures)
    names.push_back(set.metric_name(metric_name({}, figure)));
  return names;
}

}  // namespace vq::histogram
