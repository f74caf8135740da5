// How far two curves of rate and quality lie apart: the Bjontegaard metric by piecewise cubic interpolation.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace vq {

// What an encode costs and how good it is.
struct RatePoint {
  double rate = 0;     // bits per second, or the bytes of a picture; above zero
  double quality = 0;  // more is better
  bool operator==(const RatePoint&) const = default;
};

// A cubic polynomial between each two points, monotonic where the points are (PCHIP, Fritsch and Butland).
// With two points a straight line.
class PiecewiseCubic {
 public:
  // Needs: as many x as y, at least two; x strictly ascending.
  PiecewiseCubic(std::vector<double> x, std::vector<double> y);

  // Needs: `x` within the first and the last of the points.
  double at(double x) const;
  // Needs: from <= to, both within the first and the last of the points.
  double integral(double from, double to) const;

 private:
  size_t piece_of(double x) const;
  double integral_in(size_t piece, double x) const;  // from the left end of the piece to x

  std::vector<double> x_, y_, slopes_;
};

// Positions of finite points by ascending rate, those of equal rate by ascending quality; of equal points the
// first only.
std::vector<size_t> by_rate(std::span<const RatePoint> points);

// The first two neighbours of by_rate() of which the costlier is not the better one; nothing if there are
// none, so that a curve through the points tells the rate of a quality as well as the quality of a rate.
std::optional<std::array<size_t, 2>> first_disorder(std::span<const RatePoint> points);

// The rate at which a curve through the points has this quality: log10 of the rate is interpolated over
// quality. Nothing below the lowest quality, above the highest, with fewer than two points, and where points
// are in disorder.
std::optional<double> rate_at(std::span<const RatePoint> points, double quality);

inline constexpr size_t kLeastBjontegaardPoints = 4;

// The differences of one curve from another, averaged over what both cover.
struct BjontegaardFigures {
  double rate_percent = 0;                           // of the rate at equal quality; -20: a fifth fewer bits
  double quality = 0;                                // of the quality at equal rate
  std::array<double, 2> qualities = {}, rates = {};  // lowest and highest that both cover
};

// Why there are no figures.
struct BjontegaardRefusal {
  enum class Reason { kFewPoints, kDisorder, kNoOverlap } reason = Reason::kFewPoints;
  bool is_of_anchor = false;          // whose points are few or in disorder
  std::array<size_t, 2> points = {};  // kDisorder: the neighbours
};

using Bjontegaard = std::variant<BjontegaardFigures, BjontegaardRefusal>;

// Compares `test` with `anchor`, given in any order. Integrates log10 of the rate over the common qualities,
// and the quality over log10 of the common rates. Refuses curves of fewer than kLeastBjontegaardPoints
// different points, points in disorder, and curves that have no range of qualities or of rates in common.
Bjontegaard bjontegaard(std::span<const RatePoint> anchor, std::span<const RatePoint> test);

}  // namespace vq
