// Histograms of the code values of each frame: options, channels, metric names, and the parameters of
// counting.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.h"
#include "feature/feature.h"

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
// Names of the channels, in order, as in metric names.
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
// In the order of values, each with the options that it depends on: only metrics of all channels together
// depend on `planes`.
std::vector<std::string> metric_names(const OptionSet& set);

// Code value v is counted in bin v >> shift; values beyond the last bin are counted in that.
struct BinRule {
  uint32_t bins = 256;  // 256..65536
  uint32_t shift = 0;   // 0..8
};

// From Y, Cb and Cr to R, G and B of the full range, as stages.h says. Coefficients have 13 fraction bits.
// For the GPU these are push constants, in this order.
struct RgbConstants {
  int32_t luma_offset = 0, chroma_offset = 128;
  int32_t luma_scale = 0;
  int32_t cr_to_r = 0, cb_to_g = 0, cr_to_g = 0, cb_to_b = 0;  // those of G are negative
  int32_t peak = 255;                                          // 2^depth - 1
};
inline constexpr int kFractionBits = 13;

struct RgbRule {
  RgbConstants constants;
  ChromaShifts shifts;
  BinRule bins;
};

// One histogram. All are in bins.
struct Channel {
  std::string_view name;  // "y"
  int64_t samples = 0;    // of each frame, at least 1
  // The bins up to `low` and from `high` on are clipped.
  uint32_t low = 0, high = 0;
  // The bins in `used`, both inclusive.
  uint32_t first = 0, last = 0;
};

struct HistogramPlan {
  HistogramOptions options;
  bool is_rgb = false;
  int planes = 1;  // that are looked at: 1 or 3
  BinRule bins;
  RgbRule rgb;  // where is_rgb
  std::vector<Channel> channels;
};

// For this depth, range (unspecified counts as limited) and matrix. Needs: a matrix other than kUnspecified
// and kOther.
RgbConstants rgb_constants(Matrix matrix, Range range, int bit_depth);

// Throws Error{kMismatch} for planes that the video does not have, and if R, G and B cannot be derived from
// it.
HistogramPlan make_plan(const HistogramOptions& options, const VideoFormat& video);

}  // namespace vq::histogram
