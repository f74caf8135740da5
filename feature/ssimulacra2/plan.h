// SSIMULACRA 2 (Sneyers, Cloudinary, version 2.1): options, what is computed of two videos, and the score
// that is made of it.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "core/options.h"
#include "feature/feature.h"
#include "feature/light/conversion.h"
#include "feature/ssimulacra2/stages.h"

namespace vq::ssimulacra2 {

inline constexpr std::string_view kFeatureName = "ssimulacra2";

inline constexpr int kMostScales = 6;
// A further scale is made while both sides have this length.
inline constexpr int kLeastSide = 8;

// Which of the reference's weights count. Most of them are leftovers of its training, under 0.01, which
// together move a score by 0.003 at most.
enum class Form { kShort, kExact };

std::span<const OptionSpec> option_specs();
Form form_of(const OptionSet& set);

// The weights of a channel's sums at a scale, by sum_index(); 0 where a sum is not needed.
using Weights = std::array<double, kSums>;

struct ScalePlan {
  PlaneSize size = {};
  std::array<Weights, kChannels> weights = {};

  bool needs(size_t channel) const;
};

struct Plan {
  light::Conversion distorted = {}, reference = {};
  std::vector<ScalePlan> scales = {};  // at least one; those that no score needs are left out
};

// Throws Error: kUsage without a reference, kMismatch for videos of different sizes, of fewer than 8 rows or
// columns, or that cannot be brought to light.
Plan make_plan(const OptionSet& set, const VideoFormats& formats);

// CompareOutput::weights of a channel: what is added to the weighted norms were the whole picture like a
// sample.
std::array<float, kMaps> local_weights(const ScalePlan& scale, size_t channel);

// The sum of a map's values: those of its tiles, in raster order, folded 256 at a time, zeros behind, and
// then added in double.
//
// A fold adds by halves: v[i] + v[i + 128], then 64 and so on.
double total(std::span<const float> tiles);
// The sum of a tile's rows, `width` of them beside each other: values of row y and row y + 8 have been added
// to row y of `rows` already, of kTile / 2. Writes one float for each tile. Changes the rows.
void fold_tiles(std::array<float*, kTile / 2> rows, int width, float* tiles);

// The weighted sum of all norms, and what the score is of it. `totals`: of each scale, channel and sum.
using ScaleTotals = std::array<std::array<double, kSums>, kChannels>;
double weighted_norms(const Plan& plan, std::span<const ScaleTotals> totals);
// 100 for 0.
double score_of(double weighted_norms);

}  // namespace vq::ssimulacra2
