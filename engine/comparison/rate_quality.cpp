#include "engine/comparison/rate_quality.h"

#include <algorithm>
#include <cmath>

#include "core/text.h"

namespace vq {
namespace {

bool beats(const RatePoint& one, const RatePoint& other) {
  return one.rate <= other.rate && one.quality >= other.quality && one != other;
}

template <typename Value>
void add_once(std::vector<Value>& list, const Value& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

bool is_smaller(const PlaneSize& a, const PlaneSize& b) {
  const int64_t area = int64_t{a.width} * a.height, other = int64_t{b.width} * b.height;
  return area != other ? area < other : a.width < b.width;
}

std::string shown_size(const PlaneSize& size) {
  return std::to_string(size.width) + "x" + std::to_string(size.height);
}

std::vector<RatePoint> points_of(std::span<const Encode> encodes, std::span<const size_t> places) {
  std::vector<RatePoint> points;
  for (const size_t place : places) points.push_back(*encodes[place].point);
  return points;
}

// Places of the encodes with a point for which `wanted` holds, by ascending rate.
template <typename Wanted>
std::vector<size_t> places_of(std::span<const Encode> encodes, const Wanted& wanted) {
  std::vector<size_t> places;
  for (size_t i = 0; i < encodes.size(); ++i) {
    if (encodes[i].point && wanted(encodes[i])) places.push_back(i);
  }
  std::stable_sort(places.begin(), places.end(), [&](size_t a, size_t b) {
    const RatePoint &one = *encodes[a].point, &other = *encodes[b].point;
    return one.rate < other.rate || (one.rate == other.rate && one.quality < other.quality);
  });
  return places;
}

std::vector<std::string> encoders_of(std::span<const Encode> encodes) {
  std::vector<std::string> names;
  for (const Encode& encode : encodes) {
    if (encode.point) add_once(names, encode.encoder);
  }
  return names;
}

template <typename Wanted>
std::vector<PlaneSize> sizes_of(std::span<const Encode> encodes, const Wanted& wanted) {
  std::vector<PlaneSize> sizes;
  for (const Encode& encode : encodes) {
    if (encode.point && wanted(encode)) add_once(sizes, encode.size);
  }
  return sizes;
}

// The best of those that beat the encode, of equal ones the first.
std::optional<size_t> best_beating(std::span<const Encode> encodes, const std::vector<size_t>& places,
                                   size_t beaten) {
  std::optional<size_t> best;
  for (const size_t place : places) {
    const RatePoint& point = *encodes[place].point;
    if (!beats(point, *encodes[beaten].point)) continue;
    if (!best || point.quality > encodes[*best].point->quality) best = place;
  }
  return best;
}

std::vector<size_t> front_of(std::span<const Encode> encodes, const std::vector<size_t>& places) {
  std::vector<size_t> front;
  for (const size_t place : places) {
    if (!best_beating(encodes, places, place)) front.push_back(place);
  }
  return front;
}

// Whether `middle` lies on the line from one to the other or below it.
bool is_below(const RatePoint& middle, const RatePoint& one, const RatePoint& other) {
  return (middle.quality - one.quality) * (other.rate - one.rate) <=
         (other.quality - one.quality) * (middle.rate - one.rate);
}

// A front rises with the rate, but for equal points, of which the first stays.
std::vector<size_t> hull_of(std::span<const Encode> encodes, const std::vector<size_t>& places) {
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

std::vector<size_t> hull_of(std::span<const Encode> encodes, const std::string& encoder) {
  return hull_of(encodes, places_of(encodes, [&](const Encode& one) { return one.encoder == encoder; }));
}

Rung rung_at(std::span<const Encode> encodes, std::span<const size_t> hull, const PlaneSize& size,
             size_t needed) {
  Rung rung{.encoder = encodes[hull.front()].encoder, .size = size, .encode = {}};
  for (size_t i = 0; i < needed; ++i) {
    if (encodes[hull[i]].size == size) rung.encode = hull[i];
  }
  if (rung.encode) return rung;
  const auto has_size = [&](size_t place) { return encodes[place].size == size; };
  const bool any = std::any_of(encodes.begin(), encodes.end(), [&](const Encode& one) {
    return one.point && one.encoder == rung.encoder && one.size == size;
  });
  rung.gap = !any                                              ? Rung::Gap::kNoEncodes
             : std::any_of(hull.begin(), hull.end(), has_size) ? Rung::Gap::kNotNeeded
                                                               : Rung::Gap::kBeaten;
  return rung;
}

}  // namespace

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
      curves.push_back({.name = one_size ? encoder : encoder + " " + shown_size(size),
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
  const auto named = std::find_if(curves.begin(), curves.end(),
                                  [&](const EncodeCurve& curve) { return curve.name == anchor; });
  std::vector<CurveDifference> found;
  for (size_t i = 0; i < curves.size(); ++i) {
    const EncodeCurve& curve = curves[i];
    const auto like = std::find_if(curves.begin(), curves.end(), [&](const EncodeCurve& other) {
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
  return std::any_of(curves.begin(), curves.end(),
                     [&](const EncodeCurve& curve) { return curve.name == name || curve.encoder == name; });
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
  const auto found = std::find_if(front.begin(), front.end(),
                                  [&](size_t place) { return encodes[place].point->quality >= quality; });
  return found == front.end() ? std::nullopt : std::optional(*found);
}

std::vector<Rung> ladder(std::span<const Encode> encodes, std::span<const PlaneSize> sizes,
                         std::optional<double> target) {
  std::vector<PlaneSize> steps(sizes.begin(), sizes.end());
  if (steps.empty()) steps = sizes_of(encodes, [](const Encode&) { return true; });
  std::stable_sort(steps.begin(), steps.end(), is_smaller);
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

}  // namespace vq
