#include "engine/comparison/rate_quality.h"

#include <cmath>
#include <numeric>

#include "core/text.h"

namespace vq {

// Positions of finite points by ascending rate, those of equal rate by ascending quality; of equal points the
// first only.
static std::vector<size_t> by_rate(std::span<const RatePoint> points) {
  std::vector<size_t> places(points.size());
  std::iota(places.begin(), places.end(), size_t{0});
  std::ranges::stable_sort(places, [&](size_t a, size_t b) {
    return points[a].rate < points[b].rate ||
           (points[a].rate == points[b].rate && points[a].quality < points[b].quality);
  });
  const auto equal = [&](size_t a, size_t b) { return points[a] == points[b]; };
  places.erase(std::unique(places.begin(), places.end(), equal), places.end());
  return places;
}

// The first two neighbours of by_rate() of which the costlier is not the better one; nothing if there are
// none, so that a curve through the points tells the rate of a quality as well as the quality of a rate.
static std::optional<std::array<size_t, 2>> first_disorder(std::span<const RatePoint> points) {
  const std::vector<size_t> places = by_rate(points);
  for (size_t i = 1; i < places.size(); ++i) {
    const RatePoint &cheaper = points[places[i - 1]], &costlier = points[places[i]];
    if (costlier.rate <= cheaper.rate || costlier.quality <= cheaper.quality)
      return {{places[i - 1], places[i]}};
  }
  return std::nullopt;
}

static bool beats(const RatePoint& one, const RatePoint& other) {
  return one.rate <= other.rate && one.quality >= other.quality && one != other;
}

template <typename Value>
static void add_once(std::vector<Value>& list, const Value& value) {
  if (!contains(list, value)) list.push_back(value);
}

static bool is_smaller(const PlaneSize& a, const PlaneSize& b) {
  const int64_t area = int64_t{a.width} * a.height, other = int64_t{b.width} * b.height;
  return area != other ? area < other : a.width < b.width;
}

static std::vector<RatePoint> points_of(std::span<const Encode> encodes, std::span<const size_t> places) {
  return mapped(places, [&](const size_t place) { return *encodes[place].point; });
}

// Places of the encodes with a point for which `wanted` holds, by ascending rate.
template <typename Wanted>
static std::vector<size_t> places_of(std::span<const Encode> encodes, const Wanted& wanted) {
  std::vector<size_t> places;
  for (size_t i = 0; i < encodes.size(); ++i) {
    if (encodes[i].point && wanted(encodes[i])) places.push_back(i);
  }
  std::ranges::stable_sort(places, [&](size_t a, size_t b) {
    const RatePoint &one = *encodes[a].point, &other = *encodes[b].point;
    return one.rate < other.rate || (one.rate == other.rate && one.quality < other.quality);
  });
  return places;
}

static std::vector<std::string> encoders_of(std::span<const Encode> encodes) {
  std::vector<std::string> names;
  for (const Encode& encode : encodes) {
    if (encode.point) add_once(names, encode.encoder);
  }
  return names;
}

template <typename Wanted>
static std::vector<PlaneSize> sizes_of(std::span<const Encode> encodes, const Wanted& wanted) {
  std::vector<PlaneSize> sizes;
  for (const Encode& encode : encodes) {
    if (encode.point && wanted(encode)) add_once(sizes, encode.size);
  }
  return sizes;
}

// The best of those that beat the encode, of equal ones the first.
static std::optional<size_t> best_beating(std::span<const Encode> encodes, const std::vector<size_t>& places,
                                          size_t beaten) {
  std::optional<size_t> best;
  for (const size_t place : places) {
    const RatePoint& point = *encodes[place].point;
    if (!beats(point, *encodes[beaten].point)) continue;
    if (!best || point.quality > encodes[*best].point->quality) best = place;
  }
  return best;
}

static std::vector<size_t> front_of(std::span<const Encode> encodes, const std::vector<size_t>& places) {
  std::vector<size_t> front;
  for (const size_t place : places) {
    if (!best_beating(encodes, places, place)) front.push_back(place);
  }
  return front;
}

// Whether `middle` lies on the line from one to the other or below it.
static bool is_below(const RatePoint& middle, const RatePoint& one, const RatePoint& other) {
  return (middle.quality - one.quality) * (other.rate - one.rate) <=
         (other.quality - one.quality) * (middle.rate - one.rate);
}

// A front rises with the rate, but for equal points, of which the first stays.
static std::vector<size_t> hull_of(std::span<const Encode> encodes, const std::vector<size_t>& places) {
  std::vector<size_t> hull;
  for (const size_t place : front_of(encodes, places)) {
    const RatePoint& point = *encodes[place].point;
    if (!hull.empty() && *encodes[hull.back()].point == point) continue;
    while (hull.size() > 1 &&
           is_below(*encodes[hull.back()].point, *encodes[hull[hull.size() - 2]].point, point)) {
      hull.pop_back();
    }
    hull.push_back(place);
  }
  return hull;
}

static std::vector<size_t> hull_of(std::span<const Encode> encodes, const std::string& encoder) {
  return hull_of(encodes, places_of(encodes, [&](const Encode& one) { return one.encoder == encoder; }));
}

static Rung rung_at(std::span<const Encode> encodes, std::span<const size_t> hull, const PlaneSize& size,
                    size_t needed) {
  Rung rung{.encoder = encodes[hull.front()].encoder, .size = size, .encode = {}};
  for (size_t i = 0; i < needed; ++i) {
    if (encodes[hull[i]].size == size) rung.encode = hull[i];
  }
  if (rung.encode) return rung;
  const auto has_size = [&](size_t place) { return encodes[place].size == size; };
  const bool any = std::ranges::any_of(encodes, [&](const Encode& one) {
    return one.point && one.encoder == rung.encoder && one.size == size;
  });
  rung.gap = !any                                  ? Rung::Gap::kNoEncodes
             : std::ranges::any_of(hull, has_size) ? Rung::Gap::kNotNeeded
                                                   : Rung::Gap::kBeaten;
  return rung;
}

std::string encoder_word(std::string_view encoder, std::string_view codec) {
  constexpr std::string_view kLibrary = "lib";
  if (encoder.starts_with("Lavc")) encoder.remove_prefix(std::min(encoder.size(), encoder.find(' ') + 1));
  std::string_view word = encoder.substr(0, encoder.find(' '));
  if (word.starts_with(kLibrary) && word.size() > kLibrary.size()) word.remove_prefix(kLibrary.size());
  if (word.empty() || word.starts_with("Lavc")) word = codec;
  return word.empty() ? "unknown encoder" : printable(word);
}

std::vector<EncodeCurve> encode_curves(std::span<const Encode> encodes) {
  const bool one_size = sizes_of(encodes, [](const Encode&) { return true; }).size() < 2;
  std::vector<EncodeCurve> curves;
  for (const std::string& encoder : encoders_of(encodes)) {
    const auto is_its = [&](const Encode& encode) { return encode.encoder == encoder; };
    const std::vector<PlaneSize> sizes = sizes_of(encodes, is_its);
    for (const PlaneSize& size : sizes) {
      const auto is_here = [&](const Encode& encode) { return is_its(encode) && encode.size == size; };
      curves.push_back({.name = one_size ? encoder : words("{} {}", encoder, size_text(size)),
                        .encoder = encoder,
                        .size = size,
                        .encodes = places_of(encodes, is_here)});
    }
    if (sizes.size() < 2) continue;
    curves.push_back(
        {.name = encoder + " hull", .encoder = encoder, .size = {}, .encodes = hull_of(encodes, encoder)});
  }
  return curves;
}

std::vector<size_t> pareto_front(std::span<const Encode> encodes) {
  return front_of(encodes, places_of(encodes, [](const Encode&) { return true; }));
}

std::vector<BeatenEncode> beaten_encodes(std::span<const Encode> encodes) {
  const std::vector<size_t> places = places_of(encodes, [](const Encode&) { return true; });
  std::vector<BeatenEncode> beaten;
  for (const size_t place : places) {
    if (const auto by = best_beating(encodes, places, place)) beaten.push_back({place, *by});
  }
  return beaten;
}

std::optional<size_t> knee(std::span<const Encode> encodes, std::span<const size_t> front) {
  if (front.size() < 3) return std::nullopt;
  const RatePoint &low = *encodes[front.front()].point, &high = *encodes[front.back()].point;
  const double rates = std::log(high.rate / low.rate), qualities = high.quality - low.quality;
  std::optional<size_t> found;
  double most = 0;
  for (const size_t place : front) {
    const RatePoint& point = *encodes[place].point;
    const double above = (point.quality - low.quality) / qualities - std::log(point.rate / low.rate) / rates;
    if (!(above > most)) continue;
    most = above;
    found = place;
  }
  return found;
}

std::vector<CurveDifference> differences(std::span<const Encode> encodes, std::span<const EncodeCurve> curves,
                                         std::string_view anchor) {
  const auto named = std::ranges::find(curves, anchor, &EncodeCurve::name);
  std::vector<CurveDifference> found;
  for (size_t i = 0; i < curves.size(); ++i) {
    const EncodeCurve& curve = curves[i];
    const auto like = std::ranges::find_if(curves, [&](const EncodeCurve& other) {
      return other.encoder == anchor && other.size == curve.size;
    });
    const bool is_anchor = named != curves.end() ? &*named == &curve : curve.encoder == anchor;
    if (is_anchor) continue;
    CurveDifference difference{.curve = i, .anchor = {}, .result = {}};
    const auto with = named != curves.end() ? named : like;
    if (with != curves.end()) {
      difference.anchor = static_cast<size_t>(with - curves.begin());
      difference.result = bjontegaard(points_of(encodes, with->encodes), points_of(encodes, curve.encodes));
    }
    found.push_back(std::move(difference));
  }
  return found;
}

bool names_curve(std::span<const EncodeCurve> curves, std::string_view name) {
  return std::ranges::any_of(
      curves, [&](const EncodeCurve& curve) { return curve.name == name || curve.encoder == name; });
}

TargetOnCurve target_on(std::span<const Encode> encodes, const EncodeCurve& curve, double quality) {
  TargetOnCurve found;
  const auto quality_of = [&](size_t place) { return encodes[place].point->quality; };
  for (const size_t place : curve.encodes) {
    const bool is_below = quality_of(place) < quality;
    std::optional<size_t>& side = is_below ? found.below : found.above;
    if (!side || (is_below ? quality_of(place) > quality_of(*side) : quality_of(place) < quality_of(*side)))
      side = place;
  }
  const std::vector<RatePoint> points = points_of(encodes, curve.encodes);
  if (const auto disorder = first_disorder(points)) {
    found.disorder = {{curve.encodes[(*disorder)[0]], curve.encodes[(*disorder)[1]]}};
  } else {
    found.rate = rate_at(points, quality);
  }
  return found;
}

std::optional<size_t> cheapest_reaching(std::span<const Encode> encodes, double quality) {
  const std::vector<size_t> front = pareto_front(encodes);
  const auto found =
      std::ranges::find_if(front, [&](size_t place) { return encodes[place].point->quality >= quality; });
  return found == front.end() ? std::nullopt : std::optional(*found);
}

std::vector<Rung> ladder(std::span<const Encode> encodes, std::span<const PlaneSize> sizes,
                         std::optional<double> target) {
  std::vector<PlaneSize> steps(sizes.begin(), sizes.end());
  if (steps.empty()) steps = sizes_of(encodes, [](const Encode&) { return true; });
  std::ranges::stable_sort(steps, is_smaller);
  std::vector<Rung> rungs;
  for (const std::string& encoder : encoders_of(encodes)) {
    const std::vector<size_t> hull = hull_of(encodes, encoder);
    size_t needed = hull.size();
    for (size_t i = 0; target && i < needed; ++i) {
      if (encodes[hull[i]].point->quality >= *target) needed = i + 1;
    }
    for (const PlaneSize& size : steps) rungs.push_back(rung_at(encodes, hull, size, needed));
  }
  return rungs;
}

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

// A cubic polynomial between each two points, monotonic where the points are (PCHIP, Fritsch and Butland).
// With two points a straight line.
class PiecewiseCubic {
 public:
  // Needs: as many x as y, at least two; x strictly ascending.
  PiecewiseCubic(std::vector<double> x, std::vector<double> y)
      : x_(std::move(x)), y_(std::move(y)), slopes_(slopes_of(x_, y_)) {}

  // Needs: `x` within the first and the last of the points.
  double at(double x) const {
    const size_t i = piece_of(x);
    const double width = x_[i + 1] - x_[i], t = (x - x_[i]) / width;
    const double rise = y_[i + 1] - y_[i], first = width * slopes_[i], last = width * slopes_[i + 1];
    return y_[i] + t * (first + t * ((3 * rise - 2 * first - last) + t * (first + last - 2 * rise)));
  }
  // Needs: from <= to, both within the first and the last of the points.
  double integral(double from, double to) const {
    const size_t first = piece_of(from), last = piece_of(to);
    double sum = integral_in(last, to) - integral_in(first, from);
    for (size_t i = first; i < last; ++i) sum += integral_in(i, x_[i + 1]);
    return sum;
  }

 private:
  size_t piece_of(double x) const {
    const auto after = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
    return static_cast<size_t>(after - x_.begin()) - 1;
  }
  // From the left end of the piece to x.
  double integral_in(size_t i, double x) const {
    const double width = x_[i + 1] - x_[i], t = (x - x_[i]) / width;
    const double rise = y_[i + 1] - y_[i], first = width * slopes_[i], last = width * slopes_[i + 1];
    return width * t *
           (y_[i] +
            t * (first / 2 + t * ((3 * rise - 2 * first - last) / 3 + t * (first + last - 2 * rise) / 4)));
  }

  const std::vector<double> x_, y_, slopes_;
};

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
