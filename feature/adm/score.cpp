#include "feature/adm/score.h"

#include <cmath>

#include "feature/adm/cube_root.h"

namespace vq::adm {
namespace {

// Of one scale or all of them.
struct Figures {
  double numerator = 0, denominator = 0, added = 0;
};

// Three bands together: a float's sums, left to right.
float total(const PerBand<float>& bands) {
  return bands[0] + bands[1] + bands[2];
}

float noise(const ScalePlan& plan, double weight) {
  return cube_root(static_cast<float>(static_cast<double>(plan.area()) * weight));
}

float denominator(const ScalePlan& plan, const PerBand<uint64_t>& sums, double noise_weight) {
  PerBand<float> bands;
  for (size_t i = 0; i < kBands; ++i) {
    const double detail = std::ldexp(static_cast<double>(sums[i]), -plan.reference.scale);
    const auto weighted = static_cast<float>(detail * std::pow(double{plan.sensitivity[i]}, 3));
    bands[i] = cube_root(weighted) + noise(plan, noise_weight);
  }
  return total(bands);
}

// At the finest scale the reference goes to float by way of double.
float numerator(const ScalePlan& plan, const PerBand<int64_t>& sums, double noise_weight) {
  PerBand<float> bands;
  for (size_t i = 0; i < kBands; ++i) {
    const double sum = plan.is_finest ? static_cast<double>(sums[i]) : double{static_cast<float>(sums[i])};
    const auto masked = static_cast<float>(std::ldexp(sum, -plan.masked[i].scale));
    bands[i] = cube_root(masked) + noise(plan, noise_weight);
  }
  return total(bands);
}

Figures figures_of(const AdmPlan& plan, int scale, const ScaleSums& sums) {
  const AdmOptions& options = plan.options;
  if (scale == 0 && options.skip_scale0) return {.numerator = 0, .denominator = 1e-10F, .added = 0};
  const ScalePlan& one = plan.scales[static_cast<size_t>(scale)];
  return {.numerator = numerator(one, sums.restored, options.noise_weight),
          .denominator = denominator(one, sums.reference, options.noise_weight),
          .added = options.skip_aim ? 0 : numerator(one, sums.added, 0)};
}

}  // namespace

void add_reference_row(const ScalePlan& plan, const PerBand<uint64_t>& row, PerBand<uint64_t>& sums) {
  const int shift = plan.reference.row;
  const uint64_t half = shift > 0 ? uint64_t{1} << (shift - 1) : 0;
  for (size_t i = 0; i < kBands; ++i) sums[i] += (row[i] + half) >> shift;
}

void add_masked_row(const ScalePlan& plan, const PerBand<int64_t>& row, PerBand<int64_t>& sums) {
  for (size_t i = 0; i < kBands; ++i) {
    const int shift = plan.masked[i].row;
    const uint64_t half = shift > 0 ? uint64_t{1} << (shift - 1) : 0;
    const auto rounded = static_cast<int64_t>(static_cast<uint64_t>(row[i]) + half) >> shift;
    sums[i] = static_cast<int64_t>(static_cast<uint64_t>(sums[i]) + static_cast<uint64_t>(rounded));
  }
}

std::vector<double> frame_scores(const AdmPlan& plan, const FrameSums& sums) {
  const AdmOptions& options = plan.options;
  std::array<Figures, kScales> scales;
  Figures all;
  for (int k = 0; k < kScales; ++k) {
    Figures& one = scales[static_cast<size_t>(k)];
    one = figures_of(plan, k, sums[static_cast<size_t>(k)]);
    all.numerator += one.numerator;
    all.denominator += one.denominator;
    all.added += one.added;
  }
  const PlaneSize size = plan.videos.size;
  const double least = 1e-10 * (static_cast<double>(size.width) * size.height) / (1920.0 * 1080.0);
  if (all.numerator < least) all.numerator = 0;
  if (all.denominator < least) all.denominator = 0;

  // A reference without detail has lost none, and shows no impairment beyond that.
  const bool is_flat = all.denominator == 0;
  const double adm2 = is_flat ? 1 : all.numerator / all.denominator;
  const double aim = is_flat ? 0 : all.added / all.denominator;
  const double adm3 = adm2 * options.dlm_weight + (1 - aim) * (1 - options.dlm_weight);
  std::vector<double> scores = {adm2, aim, adm3 > options.min_val ? adm3 : options.min_val};
  for (const Figures& one : scales) scores.push_back(one.numerator / one.denominator);
  if (!options.debug) return scores;
  scores.insert(scores.end(), {adm2, all.numerator, all.denominator});
  for (const Figures& one : scales) scores.insert(scores.end(), {one.numerator, one.denominator});
  return scores;
}

}  // namespace vq::adm
