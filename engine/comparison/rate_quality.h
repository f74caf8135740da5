// Rate and quality of several encodes of one video: curves of encoders, the encodes worth choosing, and how
// far the curves lie apart.
#pragma once

#include <variant>

#include "core/frame.h"

namespace vq {

// How far two curves of rate and quality lie apart: the Bjontegaard metric by piecewise cubic interpolation.

// Cost and quality of an encode.
struct RatePoint {
  double rate = 0;     // bits per second, or the bytes of a picture; above zero
  double quality = 0;  // more is better
  bool operator==(const RatePoint&) const = default;
};

// The rate at which a curve through the points has this quality: log10 of the rate is interpolated over
// quality. Nothing below the lowest quality, above the highest, with fewer than two points, and if points are
// in disorder.
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

struct Encode {
  std::string encoder;             // what made it, in a word; encodes of one encoder belong together
  PlaneSize size = {};             // of its pictures
  std::optional<RatePoint> point;  // nothing if the rate or the score is unknown or infinite
};

// A word for what an encoder calls itself: "x264" for "x264 - core 164 r3095", "svtav1" for "Lavc59.37.100
// libsvtav1". `codec` if it calls itself nothing.
std::string encoder_word(std::string_view encoder, std::string_view codec);

// Encodes that differ in rate and quality only, or of all sizes those on their hull.
struct EncodeCurve {
  std::string name;  // "x264", "x264 1280x720" if sizes differ, "x264 hull"
  std::string encoder;
  std::optional<PlaneSize> size;  // nothing for a hull
  std::vector<size_t> encodes;    // by ascending rate
};

// A curve for each encoder and size, in the order in which they appear; behind those of an encoder of several
// sizes its hull: the encodes that no mixture of two others beats, rates and qualities being added, which are
// the vertices of the upper left convex hull. Encodes without a point are left out.
std::vector<EncodeCurve> encode_curves(std::span<const Encode> encodes);

// The encodes that no other beats, being at least as good at no higher rate and better in one of both; by
// ascending rate.
std::vector<size_t> pareto_front(std::span<const Encode> encodes);

// An encode that others beat, and the best of these; of equal ones the cheapest.
struct BeatenEncode {
  size_t encode = 0, by = 0;
};
// All that are not on the front.
std::vector<BeatenEncode> beaten_encodes(std::span<const Encode> encodes);

// The encode of the front that lies furthest above the straight line from its cheapest to its best one, the
// logarithm of the rate and the quality both scaled to 0 to 1. Nothing if none lies above.
std::optional<size_t> knee(std::span<const Encode> encodes, std::span<const size_t> front);

// How a curve compares with the anchor's.
struct CurveDifference {
  size_t curve = 0;
  std::optional<size_t> anchor;  // the curve it is compared with; nothing if the anchor has no such curve
  std::optional<Bjontegaard> result;  // if there is an anchor

  const BjontegaardFigures* figures() const {  // null if there are none
    return result ? std::get_if<BjontegaardFigures>(&*result) : nullptr;
  }
};

// `anchor` is an encoder, whose curves are each compared with those of equal size of the others, and hulls
// with hulls; or the name of a curve, with which all others are compared.
std::vector<CurveDifference> differences(std::span<const Encode> encodes, std::span<const EncodeCurve> curves,
                                         std::string_view anchor);
// Whether an encoder or a curve is called so.
bool names_curve(std::span<const EncodeCurve> curves, std::string_view name);

// Where a curve reaches a quality.
struct TargetOnCurve {
  std::optional<size_t> below, above;  // the neighbours of the target by quality; `above` reaches it
  std::optional<double> rate;          // interpolated between all points; nothing if one neighbour is missing
  std::optional<std::array<size_t, 2>> disorder;  // neighbours for which there is no interpolation
};
TargetOnCurve target_on(std::span<const Encode> encodes, const EncodeCurve& curve, double quality);

// The encode of the lowest rate that reaches the quality; of equal rates the best.
std::optional<size_t> cheapest_reaching(std::span<const Encode> encodes, double quality);

// A step of a ladder: what to use at a picture size.
struct Rung {
  std::string encoder;
  PlaneSize size = {};
  std::optional<size_t> encode;
  enum class Gap { kNone, kNoEncodes, kBeaten, kNotNeeded } gap = Gap::kNone;  // why there is no encode
};

// For each encoder a rung for each size, the smallest first: the best encode of that size on the encoder's
// hull. With a target no encode costs more than the first on the hull that reaches it. `sizes`: empty for
// those of the encodes.
std::vector<Rung> ladder(std::span<const Encode> encodes, std::span<const PlaneSize> sizes,
                         std::optional<double> target);

}  // namespace vq
