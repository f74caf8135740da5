#include "engine/comparison/bjontegaard.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

namespace vq {
namespace {

// At an end, by the parabola through three points, held so that no piece overshoots.
double end_slope(double near_width, double far_width, double near_rise, double far_rise) {
  const double slope =
      ((2 * near_width + far_width) * near_rise - near_width * far_rise) / (near_width + far_width);
  if (slope * near_rise <= 0) return 0;
  if (near_rise * far_rise <= 0 && std::abs(slope) > 3 * std::abs(near_rise)) return 3 * near_rise;
  return slope;
}

// Between two pieces: the harmonic mean of what they rise, weighted by their widths; flat at an extremum.
double inner_slope(double left_width, double right_width, double left_rise, double right_rise) {
  if (left_rise * right_rise <= 0) return 0;
  const double left_weight = 2 * right_width + left_width, right_weight = right_width + 2 * left_width;
  return (left_weight + right_weight) / (left_weight / left_rise + right_weight / right_rise);
}

std::vector<double> slopes_of(const std::vector<double>& x, const std::vector<double>& y) {
  const size_t pieces = x.size() - 1;
  std::vector<double> widths, rises;
  for (size_t i = 0; i < pieces; ++i) {
    widths.push_back(x[i + 1] - x[i]);
    rises.push_back((y[i + 1] - y[i]) / widths[i]);
  }
  if (pieces == 1) return {rises[0], rises[0]};
  std::vector<double> slopes = {end_slope(widths[0], widths[1], rises[0], rises[1])};
  for (size_t i = 1; i < pieces; ++i)
    slopes.push_back(inner_slope(widths[i - 1], widths[i], rises[i - 1], rises[i]));
  slopes.push_back(end_slope(widths[pieces - 1], widths[pieces - 2], rises[pieces - 1], rises[pieces - 2]));
  return slopes;
}

// A curve in order, with rates as their logarithms.
struct OrderedCurve {
  std::vector<double> rates, qualities;

  PiecewiseCubic rate_of_quality() const { return {qualities, rates}; }
  PiecewiseCubic quality_of_rate() const { return {rates, qualities}; }
};

OrderedCurve ordered(std::span<const RatePoint> points) {
  OrderedCurve curve;
  for (const size_t i : by_rate(points)) {
    curve.rates.push_back(std::log10(points[i].rate));
    curve.qualities.push_back(points[i].quality);
  }
  return curve;
}

std::array<double, 2> overlap(const std::vector<double>& a, const std::vector<double>& b) {
  return {std::max(a.front(), b.front()), std::min(a.back(), b.back())};
}

double mean_difference(const PiecewiseCubic& anchor, const PiecewiseCubic& test,
                       const std::array<double, 2>& range) {
  const auto& [from, to] = range;
  return (test.integral(from, to) - anchor.integral(from, to)) / (to - from);
}

std::optional<BjontegaardRefusal> refusal(std::span<const RatePoint> points, bool is_of_anchor) {
  using Reason = BjontegaardRefusal::Reason;
  if (const auto disorder = first_disorder(points)) return {{Reason::kDisorder, is_of_anchor, *disorder}};
  if (by_rate(points).size() < kLeastBjontegaardPoints) return {{Reason::kFewPoints, is_of_anchor}};
  return std::nullopt;
}

}  // namespace

PiecewiseCubic::PiecewiseCubic(std::vector<double> x, std::vector<double> y)
    : x_(std::move(x)), y_(std::move(y)) {
  assert(x_.size() >= 2 && x_.size() == y_.size());
  slopes_ = slopes_of(x_, y_);
}

size_t PiecewiseCubic::piece_of(double x) const {
  const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  return static_cast<size_t>(after - x_.begin()) - 1;
}

double PiecewiseCubic::at(double x) const {
  const size_t i = piece_of(x);
  const double width = x_[i + 1] - x_[i], t = (x - x_[i]) / width;
  const double rise = y_[i + 1] - y_[i], first = width * slopes_[i], last = width * slopes_[i + 1];
  return y_[i] + t * (first + t * ((3 * rise - 2 * first - last) + t * (first + last - 2 * rise)));
}

double PiecewiseCubic::integral_in(size_t i, double x) const {
  const double width = x_[i + 1] - x_[i], t = (x - x_[i]) / width;
  const double rise = y_[i + 1] - y_[i], first = width * slopes_[i], last = width * slopes_[i + 1];
  return width * t *
         (y_[i] +
          t * (first / 2 + t * ((3 * rise - 2 * first - last) / 3 + t * (first + last - 2 * rise) / 4)));
}

double PiecewiseCubic::integral(double from, double to) const {
  const size_t first = piece_of(from), last = piece_of(to);
  double sum = integral_in(last, to) - integral_in(first, from);
  for (size_t i = first; i < last; ++i) sum += integral_in(i, x_[i + 1]);
  return sum;
}

std::vector<size_t> by_rate(std::span<const RatePoint> points) {
  std::vector<size_t> places(points.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    return points[a].rate < points[b].rate ||
           (points[a].rate == points[b].rate && points[a].quality < points[b].quality);
  });
  const auto equal = [&](size_t a, size_t b) { return points[a] == points[b]; };
  places.erase(std::unique(places.begin(), places.end(), equal), places.end());
  return places;
}

std::optional<std::array<size_t, 2>> first_disorder(std::span<const RatePoint> points) {
  const std::vector<size_t> places = by_rate(points);
  for (size_t i = 1; i < places.size(); ++i) {
    const RatePoint &cheaper = points[places[i - 1]], &costlier = points[places[i]];
    if (costlier.rate <= cheaper.rate || costlier.quality <= cheaper.quality)
      return {{places[i - 1], places[i]}};
  }
  return std::nullopt;
}

std::optional<double> rate_at(std::span<const RatePoint> points, double quality) {
  if (first_disorder(points)) return std::nullopt;
  const OrderedCurve curve = ordered(points);
  if (curve.rates.size() < 2 || quality < curve.qualities.front() || quality > curve.qualities.back())
    return std::nullopt;
  return std::pow(10, curve.rate_of_quality().at(quality));
}

Bjontegaard bjontegaard(std::span<const RatePoint> anchor, std::span<const RatePoint> test) {
  if (const auto refused = refusal(anchor, true)) return *refused;
  if (const auto refused = refusal(test, false)) return *refused;
  const OrderedCurve a = ordered(anchor), b = ordered(test);
  const std::array<double, 2> qualities = overlap(a.qualities, b.qualities),
                              rates = overlap(a.rates, b.rates);
  if (qualities[0] >= qualities[1] || rates[0] >= rates[1])
    return BjontegaardRefusal{BjontegaardRefusal::Reason::kNoOverlap};
  const double rate = mean_difference(a.rate_of_quality(), b.rate_of_quality(), qualities);
  const double quality = mean_difference(a.quality_of_rate(), b.quality_of_rate(), rates);
  return BjontegaardFigures{.rate_percent = 100 * (std::pow(10, rate) - 1),
                            .quality = quality,
                            .qualities = qualities,
                            .rates = {std::pow(10, rates[0]), std::pow(10, rates[1])}};
}

}  // namespace vq
