// Bounds and verdicts after every slice, against those of the reference implementation.
#include "engine/certainty.h"

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/test.h"

namespace vq {
namespace {

using nlohmann::json;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kError = 1e-9;

json golden_films() {
  std::ifstream file(testdata("golden/certainty.json"));
  return json::parse(file);
}

// Null is `otherwise`.
double number(const json& value, double otherwise) {
  if (value.is_null()) return otherwise;
  if (value.is_number()) return value.get<double>();
  return value == "inf" ? kInfinity : value == "-inf" ? -kInfinity : std::nan("");
}

SampledStatistic statistic_of(const json& text) {
  using Kind = SampledStatistic::Kind;
  const auto word = text["statistic"].get<std::string>();
  SampledStatistic statistic;
  if (word == "harmonic_mean") statistic.kind = Kind::kHarmonicMean;
  if (word.starts_with("p")) {
    statistic.kind = Kind::kPercentile;
    statistic.percentile = std::stod(word.substr(1));
  }
  if (word != "share") return statistic;
  statistic.kind = Kind::kShare;
  statistic.level = text["level"];
  statistic.is_share_below = text.value("down", true);
  return statistic;
}

CertaintyRequest asked_of(const json& film) {
  CertaintyRequest request{.frames = 0,
                           .risk = film["alpha"],
                           .ranges = {{number(film["low"], -kInfinity), number(film["high"], kInfinity)}},
                           .thresholds = {},
                           .statistics = {}};
  for (const int64_t length : film["lengths"]) request.frames += length;
  for (const json& statistic : film.value("statistics", json::array()))
    request.statistics.push_back(statistic_of(statistic));
  for (const json& threshold : film.value("thresholds", json::array())) {
    const auto side = threshold["side"].get<std::string>();
    request.thresholds.push_back({.statistic = statistic_of(threshold),
                                  .from_below = side.starts_with("<"),
                                  .inclusive = side.ends_with("="),
                                  .value = threshold["value"]});
  }
  return request;
}

void expect_bounds(const json& expected, const Certainty& found) {
  for (size_t i = 0; i < found.intervals().size(); ++i) {
    const auto expect = [&](double value, const json& end) {
      const double wanted = number(end, kInfinity);
      EXPECT_TRUE(value == wanted || std::abs(value - wanted) <= kError)
          << "statistic " << i << ": " << value << " for " << wanted;
    };
    expect(found.intervals()[i].low, expected[i][0]);
    expect(found.intervals()[i].high, expected[i][1]);
  }
}

// The reference judges all frames exactly once all are scored, which is not done here.
void expect_verdicts(const json& film, const Certainty& found, const std::vector<size_t>& decided) {
  const size_t slices = film["lengths"].size();
  for (size_t i = 0; i < decided.size(); ++i) {
    const json& after = film["decided_after"][i];
    const bool is_open = after.is_null() || (after == slices && film["exact"]);
    if (is_open && decided[i] == 0) continue;
    EXPECT_EQ(after, decided[i]) << "threshold " << i;
    EXPECT_EQ(film["verdicts"][i], found.verdicts()[i] == SampledVerdict::kKept ? "kept" : "crossed");
  }
}

bool is_narrow(const Certainty& found, const json& film) {
  if (!film.contains("tolerance")) return true;
  return std::ranges::all_of(found.intervals(), [&](const Interval& interval) {
    return interval.high - interval.low <= 2 * film["tolerance"].get<double>();
  });
}

void expect_as_reference(const json& film) {
  const bool has_aim = film.contains("thresholds") || film.contains("tolerance");
  const std::optional<int64_t> claims =
      film.contains("items") ? film["items"].get<int64_t>() : std::optional<int64_t>();
  Certainty certainty(asked_of(film), claims);
  EXPECT_EQ(certainty.limit(), film["limit"]);
  const size_t slices = film["lengths"].size();
  std::vector<size_t> decided(certainty.verdicts().size());
  std::optional<size_t> stopped;
  bool is_whole = true;
  for (size_t t = 0; t < slices && !certainty.is_missing(); ++t) {
    std::vector<std::vector<double>> scores(1);
    for (const json& score : film["slices"][t]) scores[0].push_back(number(score, 0));
    is_whole = is_whole && !scores[0].empty();
    certainty.add(film["lengths"][t], scores);
    certainty.find_intervals();
    for (size_t i = 0; i < decided.size(); ++i) {
      if (decided[i] == 0 && certainty.verdicts()[i] != SampledVerdict::kOpen) decided[i] = t + 1;
    }
    if (certainty.is_missing() ||
        (!stopped && has_aim && certainty.is_decided() && is_narrow(certainty, film)))
      stopped = t + 1;
    if (certainty.is_missing() || (t + 1 == slices && is_whole)) break;
    expect_bounds(film["bounds"][t], certainty);
  }
  EXPECT_EQ(stopped.value_or(slices), film["stopped_after"]);
  expect_verdicts(film, certainty, decided);
}

TEST(Certainty, DrawsInTheOrderOfTheReference) {
  const json all = golden_films();
  for (const json& order : all["orders"]) {
    const uint64_t seed = std::stoull(order["seed"].get<std::string>(), nullptr, 16);
    EXPECT_EQ(drawing_order(seed, order["lengths"].get<std::vector<int64_t>>()),
              order["order"].get<std::vector<size_t>>());
  }
}

TEST(Certainty, BoundsAndVerdictsAreThoseOfTheReference) {
  const json all = golden_films();
  EXPECT_EQ(all["cases"].size(), 60U);
  for (const json& film : all["cases"]) {
    SCOPED_TRACE(film["name"].get<std::string>());
    expect_as_reference(film);
  }
}

// Three encodes: the second is 3 points worse than the first, and the third hardly differs from it.
TEST(Certainty, DifferencesAreMeansOfWhatPairsOfEncodesDifferBy) {
  constexpr int64_t kFrames = 4000;
  for (const bool lower_is_better : {false, true}) {
    const double sign = lower_is_better ? -1 : 1;
    Differences differences({.frames = kFrames,
                             .encodes = 3,
                             .range = {0, 100},
                             .lower_is_better = lower_is_better,
                             .tolerance = 4});
    CertaintyRequest request{
        .frames = kFrames, .ranges = {{-100, 100}}, .thresholds = {}, .statistics = {{}}};
    request.thresholds.push_back({.statistic = {}, .from_below = true, .inclusive = true});
    Certainty worse(request, 3);
    for (uint64_t slice = 0; !differences.is_decided(); ++slice) {
      ASSERT_LT(slice, 400U);
      std::vector<std::vector<double>> scores(3), less(1);
      for (uint64_t i = 0; i < 4; ++i) {
        const auto noise = [&](uint64_t of) {
          return static_cast<double>(split_mix(of, 4 * slice + i) >> 40) * 0x1p-24;
        };
        const double first = 40 + 20 * noise(1), second = first - sign * (3 + 4 * (noise(2) - 0.5));
        scores[0].push_back(first);
        scores[1].push_back(second);
        scores[2].push_back(first + noise(3) - 0.5);
        less[0].push_back(sign * (first - second));
      }
      const bool is_open = !differences.dropped()[1];
      differences.add(4, scores);
      if (is_open) worse.add(4, less);
    }
    worse.find_intervals();
    ASSERT_TRUE(differences.dropped()[1]);
    EXPECT_EQ(differences.dropped()[1]->after, worse.decided_after()[0]);
    EXPECT_EQ(worse.verdicts()[0], SampledVerdict::kKept);
    EXPECT_FALSE(differences.dropped()[0] || differences.dropped()[2]);
    EXPECT_TRUE(differences.are_alike(0, 2));
    const Interval found = differences.between(0, 1), expected = worse.intervals()[0];
    EXPECT_NEAR(found.low, sign > 0 ? expected.low : -expected.high, kError);
    EXPECT_NEAR(found.high, sign > 0 ? expected.high : -expected.low, kError);
  }
}

TEST(Certainty, BatchesFollowTheForecastAndAreNeverLargerThanWhatIsDrawn) {
  EXPECT_EQ(next_batch(0, 200, 1), 64);
  EXPECT_EQ(next_batch(64, 200, 1.1), 64);    // says nothing yet
  EXPECT_EQ(next_batch(640, 200, 1.1), 640);  // the same
  EXPECT_EQ(next_batch(640, 200, 100), 97);   // ln 200 / ln 100 of 640
  EXPECT_EQ(next_batch(640, 200, 190), 64);
}

}  // namespace
}  // namespace vq
