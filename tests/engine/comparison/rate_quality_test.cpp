// Curves, fronts, hulls, targets and ladders of made-up encodes.
#include "engine/comparison/rate_quality.h"
#include "engine/certainty.h"
#include "engine/comparison/setting_search.h"
#include "tests/support/paths.h"
#include "tests/support/test.h"

namespace vq {
namespace {

constexpr PlaneSize kLarge = {1280, 720}, kSmall = {640, 360};

Encode encode(double rate, double quality, const std::string& encoder = "x264", PlaneSize size = kLarge) {
  return {.encoder = encoder, .size = size, .point = RatePoint{rate, quality}};
}

// Small pictures are better up to some 1500, large ones above; the third of the large ones is beaten.
const std::vector<Encode> kTwoSizes = {encode(6000, 96),
                                       encode(3000, 92),
                                       encode(1500, 78),
                                       encode(800, 55),
                                       encode(2400, 82, "x264", kSmall),
                                       encode(1200, 80, "x264", kSmall),
                                       encode(600, 65, "x264", kSmall),
                                       encode(300, 45, "x264", kSmall)};

std::vector<std::string> names(const std::vector<EncodeCurve>& curves) {
  std::vector<std::string> list;
  for (const EncodeCurve& curve : curves) list.push_back(curve.name);
  return list;
}

TEST(EncodeCurves, EncodersHaveShortNames) {
  EXPECT_EQ(encoder_word("x264 - core 164 r3095 baee400", "h264"), "x264");
  EXPECT_EQ(encoder_word("x265 (build 199) - 3.5+1-f0c1022b6", "hevc"), "x265");
  EXPECT_EQ(encoder_word("Lavc59.37.100 libsvtav1", "av1"), "svtav1");
  EXPECT_EQ(encoder_word("Lavc59.37.100 h264_nvenc", "h264"), "h264_nvenc");
  EXPECT_EQ(encoder_word("SVT-AV1 Encoder Lib v1.4.1", "av1"), "SVT-AV1");
  EXPECT_EQ(encoder_word("Lavc59.37.100", "vp9"), "vp9");
  EXPECT_EQ(encoder_word("lib", ""), "lib");
  EXPECT_EQ(encoder_word("", "vp9"), "vp9");
  EXPECT_EQ(encoder_word("", ""), "unknown encoder");
}

TEST(EncodeCurves, ThereIsOneForEachEncoderAndSize) {
  const std::vector<Encode> one_size = {
      encode(2, 2), encode(1, 1, "x265"), encode(1, 1), {.encoder = "vp9", .size = kSmall, .point = {}}};
  const std::vector<EncodeCurve> curves = encode_curves(one_size);
  EXPECT_THAT(names(curves), ElementsAre("x264", "x265"));
  EXPECT_THAT(curves[0].encodes, ElementsAre(2, 0));
  std::vector<Encode> two_sizes = kTwoSizes;
  two_sizes.push_back(encode(1, 1, "x265", kSmall));
  EXPECT_THAT(names(encode_curves(two_sizes)),
              ElementsAre("x264 1280x720", "x264 640x360", "x264 hull", "x265 640x360"));
  EXPECT_THAT(encode_curves({}), IsEmpty());
}

TEST(EncodeCurves, TheFrontIsNotBeatenAndTheHullNotByMixturesEither) {
  EXPECT_THAT(pareto_front(kTwoSizes), ElementsAre(7, 6, 5, 4, 1, 0));
  EXPECT_THAT(encode_curves(kTwoSizes)[2].encodes, ElementsAre(7, 6, 5, 1, 0));
  // On a line, equal, and equally good for more.
  const std::vector<Encode> straight = {encode(1, 1), encode(2, 2), encode(3, 3), encode(3, 3), encode(4, 3)};
  EXPECT_THAT(pareto_front(straight), ElementsAre(0, 1, 2, 3));
  std::vector<Encode> of_two_sizes = straight;
  of_two_sizes[0].size = kSmall;
  EXPECT_THAT(encode_curves(of_two_sizes).back().encodes, ElementsAre(0, 2));
}

TEST(EncodeCurves, TheKneeLiesFurthestAboveTheStraightLine) {
  const std::vector<Encode> bent = {encode(100, 50), encode(200, 90), encode(400, 95), encode(10000, 96)};
  // 0.87 - 0.15, 0.98 - 0.30
  EXPECT_EQ(knee(bent, pareto_front(bent)), 1);
  const std::vector<Encode> even = {encode(100, 50), encode(200, 60), encode(400, 70)};
  EXPECT_EQ(knee(even, pareto_front(even)), std::nullopt);
  const std::vector<Encode> two = {encode(100, 50), encode(200, 90)};
  EXPECT_EQ(knee(two, pareto_front(two)), std::nullopt);
  EXPECT_EQ(knee({}, {}), std::nullopt);
}

std::vector<Encode> with_half_the_bits() {
  std::vector<Encode> all = kTwoSizes;
  for (const Encode& one : kTwoSizes)
    all.push_back(encode(one.point->rate / 2, one.point->quality, "x265", one.size));
  return all;
}

TEST(CurveDifferences, AreOfEqualSizesUnlessACurveIsNamed) {
  const std::vector<Encode> encodes = with_half_the_bits();
  const std::vector<EncodeCurve> curves = encode_curves(encodes);
  const std::vector<CurveDifference> found = differences(encodes, curves, "x264");
  ASSERT_EQ(found.size(), 3U);
  for (size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].curve, 3 + i);
    EXPECT_EQ(found[i].anchor, i);
    EXPECT_NEAR(std::get<BjontegaardFigures>(*found[i].result).rate_percent, -50, 1e-9) << i;
  }
  const std::vector<CurveDifference> named = differences(encodes, curves, "x264 640x360");
  ASSERT_EQ(named.size(), 5U);
  for (const CurveDifference& one : named) EXPECT_EQ(one.anchor, 1U);
}

TEST(CurveDifferences, NeedAnAnchorOfThatSize) {
  std::vector<Encode> encodes = kTwoSizes;
  encodes.push_back(encode(1, 1, "x265", {320, 180}));
  const std::vector<EncodeCurve> curves = encode_curves(encodes);
  const std::vector<CurveDifference> found = differences(encodes, curves, "x264");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].anchor, std::nullopt);
  EXPECT_FALSE(found[0].result);
  EXPECT_TRUE(names_curve(curves, "x265"));
  EXPECT_TRUE(names_curve(curves, "x264 hull"));
  EXPECT_FALSE(names_curve(curves, "x266"));
}

TEST(Targets, LieBetweenTheirNeighbours) {
  const std::vector<EncodeCurve> curves = encode_curves(kTwoSizes);
  const TargetOnCurve found = target_on(kTwoSizes, curves[0], 85);
  EXPECT_EQ(found.below, 2U);
  EXPECT_EQ(found.above, 1U);
  EXPECT_THAT(*found.rate, AllOf(Gt(1500), testing::Lt(3000)));
  const TargetOnCurve too_good = target_on(kTwoSizes, curves[1], 85);
  EXPECT_EQ(too_good.below, 4U);
  EXPECT_EQ(too_good.above, std::nullopt);
  EXPECT_EQ(too_good.rate, std::nullopt);
  const TargetOnCurve too_bad = target_on(kTwoSizes, curves[0], 50);
  EXPECT_EQ(too_bad.below, std::nullopt);
  EXPECT_EQ(too_bad.above, 3U);
  EXPECT_EQ(too_bad.rate, std::nullopt);
  const TargetOnCurve just_met = target_on(kTwoSizes, curves[0], 92);
  EXPECT_EQ(just_met.below, 2U);
  EXPECT_EQ(just_met.above, 1U);
  EXPECT_NEAR(*just_met.rate, 3000, 1e-9);
}

TEST(Targets, AreNotInterpolatedInDisorder) {
  const std::vector<Encode> encodes = {encode(1, 10), encode(2, 30), encode(3, 20), encode(4, 40)};
  const TargetOnCurve found = target_on(encodes, encode_curves(encodes)[0], 25);
  EXPECT_EQ(found.below, 2U);
  EXPECT_EQ(found.above, 1U);
  EXPECT_EQ(found.rate, std::nullopt);
  EXPECT_THAT(*found.disorder, ElementsAre(1, 2));
}

TEST(Targets, TheCheapestThatReachesIsOfAllEncodes) {
  EXPECT_EQ(cheapest_reaching(kTwoSizes, 78), 5U);
  EXPECT_EQ(cheapest_reaching(kTwoSizes, 82), 4U);
  EXPECT_EQ(cheapest_reaching(kTwoSizes, 96), 0U);
  EXPECT_EQ(cheapest_reaching(kTwoSizes, 96.5), std::nullopt);
}

std::vector<std::optional<size_t>> encodes_of(const std::vector<Rung>& rungs) {
  std::vector<std::optional<size_t>> list;
  for (const Rung& rung : rungs) list.push_back(rung.encode);
  return list;
}

TEST(Ladder, HasTheBestOfEachSizeOnTheHull) {
  const std::vector<Rung> rungs = ladder(kTwoSizes, {}, std::nullopt);
  ASSERT_EQ(rungs.size(), 2U);
  EXPECT_EQ(rungs[0].size, kSmall);
  EXPECT_THAT(encodes_of(rungs), ElementsAre(5, 0));
  EXPECT_THAT(encodes_of(ladder(kTwoSizes, {}, 90)), ElementsAre(5, 1));
  const std::vector<Rung> low = ladder(kTwoSizes, {}, 60);
  EXPECT_THAT(encodes_of(low), ElementsAre(6, std::nullopt));
  EXPECT_EQ(low[1].gap, Rung::Gap::kNotNeeded);
  EXPECT_THAT(encodes_of(ladder(kTwoSizes, {}, 99)), ElementsAre(5, 0));
}

TEST(Ladder, SaysWhereASizeHasNoRung) {
  constexpr PlaneSize kHuge = {3840, 2160};
  std::vector<Encode> encodes = kTwoSizes;
  encodes.push_back(encode(4000, 50, "x264", {1920, 1080}));
  const std::vector<PlaneSize> sizes = {kHuge, {1920, 1080}, kSmall};
  const std::vector<Rung> rungs = ladder(encodes, sizes, std::nullopt);
  EXPECT_THAT(encodes_of(rungs), ElementsAre(5, std::nullopt, std::nullopt));
  EXPECT_EQ(rungs[1].gap, Rung::Gap::kBeaten);
  EXPECT_EQ(rungs[2].gap, Rung::Gap::kNoEncodes);
}

// The Bjontegaard metric, against figures that others published and examples to check by hand.

using Points = std::vector<RatePoint>;
using Reason = BjontegaardRefusal::Reason;
using testing::DoubleNear;

BjontegaardFigures figures(const Points& anchor, const Points& test) {
  return std::get<BjontegaardFigures>(bjontegaard(anchor, test));
}

BjontegaardRefusal refusal(const Points& anchor, const Points& test) {
  return std::get<BjontegaardRefusal>(bjontegaard(anchor, test));
}

Points scaled(Points points, double rate, double quality = 0) {
  for (RatePoint& point : points) {
    point.rate *= rate;
    point.quality += quality;
  }
  return points;
}

const Points kLadder = {{8000, 96}, {4000, 91}, {2000, 80}, {1000, 66}};

// Two of the comparisons of JCTVC-E137, with the results that the tests of VMAF's BDrateCalculator give for
// them.
TEST(Bjontegaard, IsThatOfJctVc) {
  const Points
      first = {{108048.8736, 43.6471}, {61279.976, 40.3953}, {33905.6656, 37.247}, {18883.6928, 34.2911}},
      second = {{108061.2784, 43.6768}, {61299.9936, 40.4232}, {33928.7472, 37.2761}, {18910.912, 34.3147}};
  EXPECT_NEAR(figures(first, second).rate_percent, 100 * -0.00465215420752807, 1e-9);
  const Points third = {{40433.8848, 37.5761},
                        {7622.7456, 35.3756},
                        {2394.488, 33.8977},
                        {1017.6184, 32.0603}},
               fourth = {
                   {40370.12, 37.5982}, {7587.0024, 35.4025}, {2390.0944, 33.9194}, {1017.0984, 32.0822}};
  EXPECT_NEAR(figures(third, fourth).rate_percent, 100 * -0.018779823450567612, 1e-9);
}

TEST(Bjontegaard, OfCurvesThatAreMovedIsHowFar) {
  const BjontegaardFigures fewer = figures(kLadder, scaled(kLadder, 0.75));
  EXPECT_NEAR(fewer.rate_percent, -25, 1e-9);
  EXPECT_GT(fewer.quality, 0);
  EXPECT_THAT(fewer.qualities, ElementsAre(66, 96));
  EXPECT_THAT(fewer.rates, ElementsAre(DoubleNear(1000, 1e-6), DoubleNear(6000, 1e-6)));
  const BjontegaardFigures better = figures(kLadder, scaled(kLadder, 1, 2));
  EXPECT_NEAR(better.quality, 2, 1e-12);
  EXPECT_LT(better.rate_percent, 0);
  EXPECT_THAT(better.qualities, ElementsAre(68, 96));
  EXPECT_NEAR(figures(kLadder, kLadder).rate_percent, 0, 1e-12);
}

TEST(Bjontegaard, TheOtherWayRoundIsTheInverse) {
  const Points other = {{900, 60}, {2500, 85}, {5000, 90}, {7500, 97}, {9000, 98}};
  const double there = figures(kLadder, other).rate_percent, back = figures(other, kLadder).rate_percent;
  EXPECT_NEAR((1 + there / 100) * (1 + back / 100), 1, 1e-12);
  EXPECT_NEAR(figures(kLadder, other).quality, -figures(other, kLadder).quality, 1e-12);
}

TEST(Bjontegaard, NeedsFourDifferentPointsInOrder) {
  Points few(kLadder.begin(), kLadder.end() - 1);
  EXPECT_EQ(refusal(few, kLadder).reason, Reason::kFewPoints);
  EXPECT_TRUE(refusal(few, kLadder).is_of_anchor);
  few.push_back(few.front());
  EXPECT_EQ(refusal(kLadder, few).reason, Reason::kFewPoints);
  EXPECT_FALSE(refusal(kLadder, few).is_of_anchor);
  Points disordered = kLadder;
  disordered.push_back({3000, 79});
  EXPECT_EQ(refusal(kLadder, disordered).reason, Reason::kDisorder);
  EXPECT_THAT(refusal(kLadder, disordered).points, ElementsAre(2, 4));
  disordered.back() = {9000, 96};  // a score that has reached its limit
  EXPECT_THAT(refusal(disordered, kLadder).points, ElementsAre(0, 4));
  disordered.back() = {8000, 97};
  EXPECT_THAT(refusal(disordered, kLadder).points, ElementsAre(0, 4));
  disordered.back() = kLadder[1];
  EXPECT_NEAR(figures(kLadder, disordered).rate_percent, 0, 1e-12);
}

TEST(Bjontegaard, NeedsQualitiesAndRatesThatBothCover) {
  EXPECT_EQ(refusal(kLadder, scaled(kLadder, 1, 30)).reason, Reason::kNoOverlap);
  EXPECT_EQ(refusal(kLadder, scaled(kLadder, 8)).reason, Reason::kNoOverlap);
}

TEST(RateAt, IsInterpolatedBetweenThePoints) {
  EXPECT_NEAR(*rate_at(kLadder, 91), 4000, 1e-9);
  EXPECT_NEAR(*rate_at(kLadder, 66), 1000, 1e-9);
  EXPECT_NEAR(*rate_at(Points{{1000, 60}, {4000, 80}}, 70), 2000, 1e-9);
  EXPECT_THAT(*rate_at(kLadder, 85), AllOf(Gt(2000), testing::Lt(4000)));
  EXPECT_EQ(rate_at(kLadder, 65.9), std::nullopt);
  EXPECT_EQ(rate_at(kLadder, 96.1), std::nullopt);
  EXPECT_EQ(rate_at(Points{{1000, 60}}, 60), std::nullopt);
  EXPECT_EQ(rate_at(Points{{1000, 60}, {2000, 60}}, 60), std::nullopt);
  EXPECT_EQ(rate_at({}, 60), std::nullopt);
}

constexpr MetricInfo kHigher = {.better = Better::kHigher}, kLower = {.better = Better::kLower};

TEST(DrawParts, CutAtKeyFramesAndFillFiveGroups) {
  std::vector<int64_t> near, far;
  for (int64_t i = 0; i < 200'000; i += 48) near.push_back(i);
  for (int64_t i = 0; i < 200'000; i += 1000) far.push_back(i);
  for (const auto& [frames, keys] : {std::pair{1300, near},
                                     {1440, near},
                                     {1440, far},
                                     {14'400, near},
                                     {1440, std::vector<int64_t>()},
                                     {172'800, near}}) {
    SCOPED_TRACE(frames);
    const FilmSample sample = draw_parts(frames, 24, keys, 2880, 5);
    ASSERT_EQ(sample.groups.size(), 5U);
    std::set<size_t> drawn;
    int64_t seen = 0, last = 0, at_keys = 0;
    for (const auto& group : sample.groups) {
      int64_t size = 0;
      for (const size_t place : group) {
        EXPECT_TRUE(drawn.insert(place).second);
        size += sample.parts[place].frames();
      }
      EXPECT_LE(size, std::min(2880, frames / 5));
      seen += size;
    }
    EXPECT_EQ(drawn.size(), sample.parts.size());
    EXPECT_GE(static_cast<double>(seen), 0.9 * std::min(frames, 5 * 2880));
    for (const FrameSpan& part : sample.parts) {
      EXPECT_GE(part.first, last);
      EXPECT_LE(part.end, frames);
      at_keys += keys.empty() || part.first % keys[1] == 0;
      last = part.end;
    }
    EXPECT_GE(at_keys, keys == far ? 0 : static_cast<int64_t>(sample.parts.size()) * 3 / 4);
    EXPECT_EQ(draw_parts(frames, 24, keys, 2880, 5).parts, sample.parts);
    EXPECT_NE(draw_parts(frames, 24, keys, 2880, 6).groups, sample.groups);
  }
  EXPECT_EQ(draw_parts(1199, 24, near, 2880, 5).parts, (std::vector<FrameSpan>{{0, 1199}}));
}

// A film of scenes: what a frame lacks to the best score grows with the setting, in each scene at its own
// pace.
class MadeFilm {
 public:
  MadeFilm(uint64_t seed, int64_t frames) : seed_(seed), frames_(frames) {}
  int64_t frames() const { return frames_; }
  double score(int64_t frame, int setting) const {
    const auto scene = static_cast<uint64_t>(frame / 150);
    const double loss = 2 + 6 * random(scene), pace = 0.055 + 0.01 * random(1000 + scene);
    const double of_frame = 1 + 0.4 * random(10'000 + static_cast<uint64_t>(frame));
    return 100 - std::min(100.0, loss * of_frame * std::pow(10, pace * (setting - 10)));
  }
  double bytes(int64_t frame, int setting) const {
    return 4000 * (1 + random(static_cast<uint64_t>(frame / 150))) * std::pow(10, -0.05 * setting);
  }
  // Of these frames, negated and from 100 on if lower is better.
  EncodedPart part(const FrameSpan& part, int setting, bool is_higher) const {
    EncodedPart encoded;
    for (int64_t i = part.first; i < part.end; ++i) {
      encoded.scores.push_back(is_higher ? score(i, setting) : 100 - score(i, setting));
      encoded.bytes += bytes(i, setting);
    }
    return encoded;
  }

 private:
  double random(uint64_t i) const { return static_cast<double>(split_mix(seed_, i) >> 11) * 0x1p-53; }
  uint64_t seed_;
  int64_t frames_;
};

struct FoundSetting {
  std::optional<int> answer;
  int exact = -1, steps = 0;
  double bytes_error = 0;
  bool is_within = false;  // the exact answer lies within the spread
};

FoundSetting searched(const MadeFilm& film, const std::string& statistic, double value, bool is_higher,
                      int last = 40, int64_t most = 3000) {
  SettingTarget target{.metric = {.name = "m", .values = {}, .info = is_higher ? &kHigher : &kLower},
                       .ends = {.low = 0, .high = 100},
                       .statistic = parse_statistic(statistic, ""),
                       .value = is_higher ? value : 100 - value,
                       .last = last};
  const FilmSample sample = draw_parts(film.frames(), 25, {}, most, 7);
  SettingSearch search(target, sample, film.frames(), 7);
  FoundSetting outcome;
  while (const std::optional<EncodeStep> step = outcome.steps < 6 ? search.next() : std::nullopt) {
    std::vector<EncodedPart> parts;
    for (const size_t place : sample.groups[step->group])
      parts.push_back(film.part(sample.parts[place], step->setting, is_higher));
    search.add(*step, std::move(parts));
    ++outcome.steps;
  }
  // Each frame's score falls with the setting.
  for (int missed = last + 1; missed - outcome.exact > 1;) {
    const int setting = (outcome.exact + missed) / 2;
    const EncodedPart whole = film.part({0, film.frames()}, setting, is_higher);
    const double score = search.measured(std::span(&whole, 1));
    (is_higher ? score >= target.value : score <= target.value) ? outcome.exact = setting : missed = setting;
  }
  outcome.answer = search.answer();
  const int at = std::max(outcome.exact, 0);
  const double bytes = film.part({0, film.frames()}, at, true).bytes;
  outcome.bytes_error = std::abs(search.bytes(at).value / bytes - 1);
  const auto [low, high] = search.answers();
  outcome.is_within = low <= outcome.exact && outcome.exact <= high;
  return outcome;
}

// Sanitizers take seventy times as long.
constexpr uint64_t kFilms = kSanitized ? 2 : 12;

TEST(SettingSearch, FindsWhatAllFramesAtAllSettingsSay) {
  for (const auto& [statistic, value, is_higher, frames] :
       std::vector<std::tuple<std::string, double, bool, int64_t>>{{"mean", 90, true, 1500},
                                                                   {"mean", 82, false, 1500},
                                                                   {"p5", 80, true, 3000},
                                                                   {"mean", 93, true, 200}}) {
    SCOPED_TRACE(words("{} of {} frames", statistic, frames));
    uint64_t equal = 0;
    for (uint64_t seed = 0; seed < kFilms; ++seed) {
      const FoundSetting outcome = searched({seed, frames}, statistic, value, is_higher);
      ASSERT_TRUE(outcome.answer);
      EXPECT_LE(outcome.steps, 6);
      EXPECT_LE(std::abs(*outcome.answer - outcome.exact), 1);
      EXPECT_LT(outcome.bytes_error, 0.04);
      equal += *outcome.answer == outcome.exact;
    }
    EXPECT_GE(equal * 6, kFilms * (frames < 500 ? 6 : 5));  // a film that is one part is exact
  }
}

// Long films are seen in part, so answers differ from the exact one, by what the search says.
TEST(SettingSearch, SaysHowFarOtherSamplesMayBe) {
  uint64_t within = 0;
  for (uint64_t seed = 0; seed < kFilms; ++seed) {
    const FoundSetting outcome = searched({seed, 20'000}, "mean", 90, true, 40, 800);
    within += outcome.is_within;
    EXPECT_LE(std::abs(outcome.answer.value() - outcome.exact), 2);
  }
  EXPECT_GE(within * 10, kFilms * 9);
}

TEST(SettingSearch, EndsAtTheEndsOfTheRange) {
  const MadeFilm film(3, 3000);
  EXPECT_EQ(searched(film, "mean", 99.9, true).answer, std::nullopt);
  EXPECT_EQ(searched(film, "mean", 1, true, 20).answer, 20);
  EXPECT_EQ(searched(film, "mean", 50, true, 0).answer, 0);
  EXPECT_EQ(searched(film, "mean", 99.9, true, 1).answer, std::nullopt);
}

}  // namespace
}  // namespace vq
