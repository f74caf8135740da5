#include "feature/adm/adm.h"

#include <numbers>

namespace vq::adm {
namespace {

// One of the bands h and v, which are alike, and one of d.
using Pair = std::array<float, 2>;

// 1080 lines seen from 3 times their height: no figures are defined for less.
constexpr double kLeastViewing = 3240;

double viewing(const AdmOptions& options) { return options.view_distance * options.display_height; }

// Samples that a degree of the field of view has.
float samples_per_degree(const AdmOptions& options) {
  return static_cast<float>(viewing(options) * std::numbers::pi / 180.0);
}

// Watson, Yang, Solomon and Villasenor (1997): thresholds by the frequency of a wavelet's band.
Pair watson(const AdmOptions& options, int scale) {
  constexpr float kA = 0.495F, kK = 0.466F, kF0 = 0.401F;
  constexpr Pair kDirection = {1.0F, 0.534F};
  constexpr Pair kAmplitudes[kScales] = {
      {0.67234F, 0.72709F}, {0.41317F, 0.49428F}, {0.22727F, 0.28688F}, {0.11792F, 0.15214F}};
  const double r = samples_per_degree(options);
  Pair factors;
  for (size_t i = 0; i < factors.size(); ++i) {
    const auto log =
        static_cast<float>(std::log10(std::exp2(scale + 1) * double{kF0} * double{kDirection[i]} / r));
    const auto threshold = static_cast<float>(2.0 * double{kA} * std::pow(10.0, double{kK * log * log}) /
                                              double{kAmplitudes[scale][i]});
    factors[i] = 1 / threshold;
  }
  return factors;
}

// Barten's formula at a luminance in cd/m2, with parameters that are known at two of them.
float barten_parameter(float at_20, float at_150) {
  const auto low = static_cast<float>(std::log10(20.0)), high = static_cast<float>(std::log10(150.0));
  const auto luminance = static_cast<float>(std::log10(100.0));
  return at_20 + (at_150 - at_20) / (high - low) * (luminance - low);
}

// The share of a frequency that passes the optics of the eye.
float optical_transfer(float frequency) {
  struct Term {
    float amplitude, decay;
  };
  constexpr Term kTerms[] = {{0.424838596301290F, 0.028F},
                             {0.572435103936480F, 0.37F},
                             {0.000167576239164937F, 37.0F},
                             {0.00255872352306433F, 360.0F}};
  float sum = 0;
  for (const Term& term : kTerms) {
    sum =
        static_cast<float>(double{sum} + double{term.amplitude} * std::exp(double{-term.decay * frequency}));
  }
  return sum;
}

// Mantiuk, Kim, Rempel and Heidrich (2011).
Pair barten(const AdmOptions& options, int scale) {
  const auto frequency = static_cast<float>(double{samples_per_degree(options)} / std::exp2(scale + 1));
  const float p0 = barten_parameter(0.334278F, 0.394533F), p1 = barten_parameter(3.79542F, 2.7755F);
  const float p2 = barten_parameter(1.07327F, 1.16577F), p3 = barten_parameter(6.4635F, 7.45665F);
  const auto x = static_cast<float>(1.0 + std::pow(double{p0 * frequency}, double{p1}));
  const auto y = static_cast<float>(
      1.0 / std::pow(1.0 - std::exp(-std::pow(double{frequency / 7.0F}, 2.0)), double{p2}));
  const auto neural = static_cast<float>(double{p3} / std::pow(double{x * y}, 0.5));
  const auto light =
      static_cast<float>(double{30.162F} * std::pow(std::pow(double{4.0627F / 100.0F}, double{1.6596F}) + 1.0,
                                                    double{-0.2712F}));
  const double all = double{neural * optical_transfer(frequency) * light};
  return {static_cast<float>(all * options.csf_scale), static_cast<float>(all * options.csf_diagonal_scale)};
}

// Weights of both blends by scales, for displays of 2160 lines seen from 3 heights and from 5; without the
// first, those for 1080 lines. The last row of each is for 720 lines from 5 heights.
constexpr size_t kBlendRows = 3;
constexpr float kStraight[2 * kBlendRows][kScales + 1] = {
    {0.00226F, 0.01183F, 0.025026F, 0.04295F, 0.058621F},
    {0.000092F, 0.004212F, 0.014809F, 0.029642F, 0.047464F},
    {0, 0.010144F, 0.022561F, 0.040309F, 0.05672F},
    {0.002166F, 0.011249F, 0.022606F, 0.03593F, 0.045673F},
    {0.000077F, 0.004052F, 0.013939F, 0.026298F, 0.038833F},
    {0, 0.009689F, 0.020577F, 0.034162F, 0.044523F}};
constexpr float kDiagonal[2 * kBlendRows][kScales + 1] = {
    {0.000479F, 0.004302F, 0.011778F, 0.023918F, 0.035901F},
    {0.00005F, 0.000984F, 0.005852F, 0.0146F, 0.027574F},
    {0, 0.003463F, 0.010282F, 0.021839F, 0.034641F},
    {0.000447F, 0.004097F, 0.010921F, 0.02143F, 0.031313F},
    {0.000045F, 0.000927F, 0.005544F, 0.013415F, 0.024515F},
    {0, 0.003302F, 0.009579F, 0.019661F, 0.030318F}};

// The place of the finest scale's weights; none if there are none for the display.
struct Blend {
  size_t row, first;
};
std::optional<Blend> find_blend(const AdmOptions& options) {
  // 2160 lines at 1.5 heights are the same to the eye as 1080 at 3.
  const bool is_near = options.display_height == 2160 && options.view_distance == 1.5;
  const int lines = is_near ? 1080 : options.display_height;
  const double heights = is_near ? 3 : options.view_distance;
  const size_t row = options.csf_mode == CsfMode::kBlend ? 0 : kBlendRows, first = lines == 2160 ? 0 : 1;
  if (lines == 720 && heights == 5) return Blend{row + 2, first};
  if ((lines != 1080 && lines != 2160) || (heights != 3 && heights != 5)) return std::nullopt;
  return Blend{heights == 3 ? row : row + 1, first};
}

Pair sensitivity_pair(const AdmOptions& options, int scale) {
  if (options.csf_mode == CsfMode::kWatson) return watson(options, scale);
  if (options.csf_mode == CsfMode::kBarten) return barten(options, scale);
  const std::optional<Blend> blend = find_blend(options);
  if (!blend) throw Error(ErrorKind::kInternal, "adm without a table for its viewing distance");
  const size_t i = blend->first + static_cast<size_t>(scale);
  return {kStraight[blend->row][i], kDiagonal[blend->row][i]};
}

// Before they wrap.
Pair factor_units(int scale) {
  constexpr Pair kFine = {0x1p21F, 0x1p23F}, kCoarse = {0x1p32F, 0x1p32F};
  return scale == 0 ? kFine : kCoarse;
}

}  // namespace

void check_viewing(const AdmOptions& options) {
  if (viewing(options) < kLeastViewing) {
    throw usage_error(
        "adm is not defined for displays seen from so near: adm_norm_view_dist times adm_ref_display_height "
        "is less than 3240");
  }
  const bool needs_table = options.csf_mode == CsfMode::kBlend || options.csf_mode == CsfMode::kOtherBlend;
  if (!needs_table || find_blend(options)) return;
  throw usage_error("adm_csf_mode=" + std::to_string(options.csf_mode) +
                    " has tables for adm_ref_display_height=1080 with adm_norm_view_dist 3 or 5, 2160 with "
                    "1.5, 3 or 5, and 720 with 5 alone");
}

PerBand<float> sensitivities(const AdmOptions& options, int scale) {
  const Pair pair = sensitivity_pair(options, scale);
  return {pair[0], pair[0], pair[1]};
}

PerBand<uint32_t> sensitivity_factors(const AdmOptions& options, int scale) {
  // The reference has numbers of its own for its defaults, a little off its formula's.
  const bool is_default =
      options.csf_mode == CsfMode::kWatson && std::abs(viewing(options) - kLeastViewing) < 1e-8;
  if (scale == 0 && is_default) return {36453, 36453, 49417};
  const Pair pair = sensitivity_pair(options, scale), units = factor_units(scale);
  const uint64_t mask = scale == 0 ? UINT16_MAX : UINT32_MAX;
  PerBand<uint32_t> factors = {};
  for (size_t i = 0; i < kBands; ++i) {
    const size_t k = i == 2 ? 1 : 0;
    factors[i] = static_cast<uint32_t>(static_cast<uint64_t>(double{pair[k]} * double{units[k]}) & mask);
  }
  return factors;
}

bool sensitivity_overflows(const AdmOptions& options) {
  // The first is where weighted coefficients exceed 16 bits; the others, where factors exceed 32.
  constexpr float kMost[kScales] = {0.02233F, 1, 1, 1};
  for (int scale = options.skip_scale0 ? 1 : 0; scale < kScales; ++scale) {
    const Pair pair = sensitivity_pair(options, scale);
    const float most = kMost[scale];
    // Weights of d have two more bits at scale 0, in the factor and in the shift.
    const float most_diagonal = scale == 0 ? UINT16_MAX / 0x1p23F : most;
    if (pair[0] > most || pair[1] > most_diagonal) return true;
  }
  return false;
}

}  // namespace vq::adm
