// Histograms of the code values of each frame: options, channels, and the names of what is reported.
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.h"

namespace vq::histogram {

// What is counted: the luma, the planes as they are, or what R, G and B and their luminance follow from them.
enum class Planes { kY, kYcbcr, kRgb };

// Ranges and defaults are those of option_specs().
struct HistogramOptions {
  Planes planes = Planes::kY;
  int bins = 0;  // 0: one for each code value
  double clip_share = 0.001;
};

// The file for whole histograms.
inline constexpr std::string_view kFileOption = "file";

std::span<const OptionSpec> option_specs();
HistogramOptions to_options(const OptionSet& set);

// The most there are.
inline constexpr size_t kMaxChannels = 4;
// Of these planes, in order: how metrics name them.
std::span<const std::string_view> channel_names(Planes planes);

// What is reported of each channel, in order, and then once of all of them together.
inline constexpr std::array<std::string_view, 13> kFigures = {"mean",
                                                              "stdev",
                                                              "min",
                                                              "p1",
                                                              "p50",
                                                              "p99",
                                                              "max",
                                                              "entropy",
                                                              "used",
                                                              "clipped_low",
                                                              "clipped_high",
                                                              "shadow_clipping",
                                                              "highlight_clipping"};
inline constexpr std::array<std::string_view, 2> kOverallFigures = {"shadow_clipping", "highlight_clipping"};

// "histogram_y_mean", and "histogram_shadow_clipping" without a channel.
std::string metric_name(std::string_view channel, std::string_view figure);
// In the order of values, each with the options that it depends on: of the planes only what is told of all
// channels together does.
std::vector<std::string> metric_names(const OptionSet& set);

}  // namespace vq::histogram
