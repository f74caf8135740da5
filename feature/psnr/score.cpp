#include "feature/psnr/score.h"

#include <hwy/base.h>

#include <algorithm>
#include <cmath>

namespace vq::psnr {
namespace {

// So that identical planes have a finite PSNR, which the limit then replaces.
constexpr double kLeastMse = 1e-16;

double squared_peak(const PsnrOptions& options, int bit_depth) {
  const int64_t peak =
      options.reduced_hbd_peak ? int64_t{255} << (bit_depth - 8) : (int64_t{1} << bit_depth) - 1;
  return static_cast<double>(peak * peak);
}

}  // namespace

Scorer::Scorer(const PsnrOptions& options, int bit_depth)
    : options_(options), bit_depth_(bit_depth), squared_peak_(squared_peak(options, bit_depth)) {
  HWY_DASSERT(8 <= bit_depth && bit_depth <= 16);
}

double Scorer::mse(const PlaneError& error) {
  return static_cast<double>(error.squared) / static_cast<double>(error.samples);
}

double Scorer::psnr(const PlaneError& error) const {
  return std::min(10 * std::log10(squared_peak_ / std::max(mse(error), kLeastMse)), limit(error.samples));
}

double Scorer::limit(int64_t samples) const {
  if (options_.min_sse == 0) return 6 * bit_depth_ + 12;
  return std::ceil(10 * std::log10(squared_peak_ / (options_.min_sse / static_cast<double>(samples))));
}

// log10(0) is -infinity: without an error the limit is all that is left, without samples that is -infinity.
double Scorer::apsnr(const TotalError& error) const {
  const auto samples = static_cast<double>(error.samples), squared = static_cast<double>(error.squared);
  const double top = std::ceil(10 * std::log10(squared_peak_ * samples * 2));
  if (error.squared == 0) return top;
  return std::min(10 * (std::log10(squared_peak_) + std::log10(samples) - std::log10(squared)), top);
}

std::vector<double> Scorer::frame_scores(std::span<const PlaneError> planes) const {
  std::vector<double> scores;
  for (const PlaneError& plane : planes) {
    scores.push_back(psnr(plane));
    if (options_.mse) scores.push_back(mse(plane));
  }
  return scores;
}

std::vector<double> Scorer::aggregates(const std::array<TotalError, kPlaneNames.size()>& planes) const {
  std::vector<double> figures;
  if (!options_.apsnr) return figures;
  for (const TotalError& plane : planes) figures.push_back(apsnr(plane));
  return figures;
}

}  // namespace vq::psnr
