// Bounds and verdicts after every slice, against those of the reference implementation; and films of up to
// two hours, made of scenes that were encoded and scored, drawn slice by slice as runs draw them: what is
// concluded early must be true of the whole film. The long form prints the figures of docs/certainty.md.
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "core/number_text.h"
#include "core/text.h"
#include "engine/certainty.h"
#include "tests/support/paths.h"
#include "tests/support/test.h"

namespace vq {
namespace {

// A value v of the file is the score low + v * step. `unit` is as much as a point of VMAF.
struct ReplayedMetric {
  double low, step, unit, level;
  ScoreEnds ends;
  bool is_better_high = true;
};
constexpr std::array kMetrics = {ReplayedMetric{0, 0.002, 1, 70, {0, 100}},            // VMAF
                                 ReplayedMetric{0, 0.001, 0.3, 32, {0, 60}},           // PSNR
                                 ReplayedMetric{0, 0.00002, 0.005, 0.9, {-1, 1}},      // SSIM
                                 ReplayedMetric{0, 0.001, 0.25, 2, {0, 1000}, false},  // CAMBI
                                 ReplayedMetric{-500, 0.01, 2, 50, {.high = 100}}};    // SSIMULACRA 2
constexpr std::array kStatistics = {"mean", "p1", "p5", "p10", "share"};
constexpr std::array kDistances = {0.0, 0.25, 0.5, 1.0, 1.5, 3.0};
constexpr std::array<int64_t, 7> kMinutes = {5, 10, 20, 45, 60, 90, 120};

// Numbers of scenes, encodes and metrics, the scenes' lengths, and values by scene, encode, metric and frame.
std::vector<uint16_t> golden_words() {
  const std::string path = testdata("golden/certainty_scores.bin");
  std::vector<uint16_t> read(fs::file_size(path) / sizeof(uint16_t));  // little-endian
  std::ifstream(path, std::ios::binary)
      .read(reinterpret_cast<char*>(read.data()), static_cast<std::streamsize>(2 * read.size()));
  return read;
}

// Scenes by chance, of which each film has some more often than others. It is encoded by one encoder, by one
// whose quality falls from the first scene to the last, by any of them from scene to scene, or by one that
// fails now and then.
std::vector<double> film_scores(uint64_t film, size_t metric) {
  const std::vector<uint16_t> all = golden_words();
  std::vector<size_t> begins, often;  // of the scenes; the scenes as often as they are likely
  uint64_t draws = 0;
  const auto chance = [&](size_t below) { return static_cast<size_t>(split_mix(film, draws++) % below); };
  for (size_t scene = 0, at = 3 + all.at(0); scene < all[0]; ++scene) {
    begins.push_back(at);
    at += all[3 + scene] * all[1] * kMetrics.size();
    often.resize(often.size() + chance(4), scene);
  }
  const auto frames = static_cast<size_t>(kMinutes[film % kMinutes.size()] * 24 * 60);
  const size_t encode = chance(all[1]), ladder = 5;  // the first encodes, from the best to the worst
  std::vector<double> scores;
  while (scores.size() < frames) {
    const std::array encodes = {encode, scores.size() * ladder / frames, chance(all[1]),
                                chance(25) == 0 ? ladder - 1 : encode};
    const size_t scene = often[chance(often.size())], length = all[3 + scene],
                 row = encodes[film / kMinutes.size() % encodes.size()] * kMetrics.size() + metric;
    for (size_t i = 0; i < length; ++i)
      scores.push_back(kMetrics[metric].low +
                       all.at(begins[scene] + row * length + i) * kMetrics[metric].step);
  }
  return scores;
}

// All statistics, and thresholds on both sides of their true values.
CertaintyRequest asked_of(size_t number, std::span<const double> truths, int64_t frames, double risk) {
  using Kind = SampledStatistic::Kind;
  const ReplayedMetric& metric = kMetrics[number];
  const bool high = metric.is_better_high;
  CertaintyRequest asked{
      .frames = frames, .risk = risk, .ranges = {metric.ends}, .thresholds = {}, .statistics = {{}}};
  for (const double percent : {1.0, 5.0, 10.0})
    asked.statistics.push_back({.kind = Kind::kPercentile, .percentile = high ? percent : 100 - percent});
  asked.statistics.push_back({.kind = Kind::kShare, .level = metric.level, .is_share_below = high});
  for (size_t i = 0; i < truths.size(); ++i) {
    const double unit = asked.statistics[i].kind == Kind::kShare ? 0.01 : metric.unit;
    for (const double distance : kDistances) {
      for (const double side : {-1.0, 1.0})
        asked.thresholds.push_back({.statistic = asked.statistics[i],
                                    .from_below = true,
                                    .inclusive = distance == 0 && side > 0,
                                    .value = truths[i] + side * distance * unit});
    }
  }
  return asked;
}

// Draws slices as far as runs do: until all is decided, or half of the frames is scored.
class Draws {
 public:
  // Without a seed in the order of the film, as films must not be drawn.
  Draws(std::span<const double> scores, std::optional<uint64_t> seed) : scores_(scores) {
    for (int64_t first = 0; first < frames(); first += kSliceFrames)
      lengths_.push_back(std::min(kSliceFrames, frames() - first));
    order_ = drawing_order(seed.value_or(0), lengths_);
    if (!seed) std::ranges::sort(order_);
  }
  int64_t frames() const { return std::ssize(scores_); }
  bool is_over(const Certainty& certainty) const {
    return certainty.is_decided() || 2 * certainty.seen_frames() >= frames();
  }
  void add_next(Certainty& certainty) {
    const size_t place = order_[static_cast<size_t>(certainty.slices())];
    const auto slice = scores_.subspan(place * kSliceFrames, static_cast<size_t>(lengths_[place]));
    slice_[0].assign(slice.begin(), slice.end());
    certainty.add(lengths_[place], slice_);
  }
  // The frames that a run decodes, each slice from its key frame or from where the slice before has led to.
  int64_t decoded(const CertaintyRequest& request, int64_t key_frames) {
    Certainty certainty(request, 1);
    int64_t decoded = 0;
    while (!is_over(certainty)) {
      const int64_t first = certainty.slices(),
                    last = std::min(std::ssize(order_),
                                    first + next_batch(first, certainty.limit(), certainty.least_evidence()));
      int64_t at = 0;
      for (const size_t place : std::set<size_t>(order_.begin() + first, order_.begin() + last)) {
        const int64_t slice = static_cast<int64_t>(place) * kSliceFrames;
        decoded -= std::max(at, slice - slice % key_frames);
        decoded += at = slice + lengths_[place];
      }
      while (!is_over(certainty) && certainty.slices() < last) add_next(certainty);
    }
    return certainty.is_decided() ? decoded : decoded + frames();
  }

 private:
  const std::span<const double> scores_;
  std::vector<int64_t> lengths_;
  std::vector<size_t> order_;
  std::vector<std::vector<double>> slice_ = std::vector<std::vector<double>>(1);
};

struct Rate {
  int64_t wrong = 0, all = 0;
  void count(bool is_wrong) { wrong += is_wrong ? 1 : 0, ++all; }
  double percent() const { return 100.0 * static_cast<double>(wrong) / static_cast<double>(all); }
  // Clopper's and Pearson's: the percentage at which no more than `most` are wrong with that probability.
  double end(int64_t most, double probability) const {
    const auto n = static_cast<double>(all);
    double low = 0, high = 1;
    for (int halving = 0; halving < 40; ++halving) {
      const double each = (low + high) / 2;
      double sum = 0;
      for (double k = 0; k <= static_cast<double>(most); ++k)
        sum += std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                        k * std::log(each) + (n - k) * std::log1p(-each));
      (sum > probability ? low : high) = each;
    }
    return 100 * low;
  }
  friend std::ostream& operator<<(std::ostream& out, const Rate& rate) {
    return out << rate.wrong << " of " << rate.all << ", " << rate.percent() << " % ("
               << rate.end(rate.wrong - 1, 0.975) << " to " << rate.end(rate.wrong, 0.025) << ")\n";
  }
};

struct Replay {
  Rate beside, at_truth, intervals;  // verdicts beside the truth; statistics, as thresholds and as intervals
  std::map<std::string, std::vector<double>> shares;  // scored or decoded for VMAF, in percent of the frames
};

void replay(uint64_t film, size_t metric, double risk, bool is_drawn, Replay& all) {
  const std::vector<double> scores = film_scores(film, metric);
  const PooledScores pooled = pool_scores(scores).value();
  const bool high = kMetrics[metric].is_better_high;
  const auto beyond = static_cast<double>(std::ranges::count_if(scores, [&](double score) {
    return high ? score <= kMetrics[metric].level : score >= kMetrics[metric].level;
  }));
  const std::array truths = {pooled.mean, high ? pooled.p1 : pooled.p99, high ? pooled.p5 : pooled.p95,
                             high ? pooled.p10 : pooled.p90, beyond / static_cast<double>(scores.size())};
  const uint64_t seed = split_mix(film * kMetrics.size() + metric, static_cast<uint64_t>(1000 * risk));
  Draws draws(scores, is_drawn ? std::optional(seed) : std::nullopt);
  const CertaintyRequest asked = asked_of(metric, truths, draws.frames(), risk);
  Certainty certainty(asked, 1);  // each statistic as if it was the only one
  while (!draws.is_over(certainty)) {
    draws.add_next(certainty);
    if (certainty.slices() == 64 || certainty.slices() == 512) certainty.find_intervals();
  }
  ASSERT_FALSE(certainty.is_out_of_range());
  const int64_t minutes = kMinutes[film % kMinutes.size()];
  const std::string length = minutes < 20 ? "5 to 10 min" : minutes < 60 ? "20 to 45 min" : "60 to 120 min";
  bool errs = false;  // at the truth, of this statistic
  for (size_t i = 0; i < asked.thresholds.size(); ++i) {
    const size_t of_each = 2 * kDistances.size(), statistic = i / of_each;
    const SampledThreshold& threshold = asked.thresholds[i];
    const double distance = kDistances[i % of_each / 2], truth = truths[statistic];
    const bool is_open = certainty.verdicts()[i] == SampledVerdict::kOpen,
               is_crossed = threshold.inclusive ? truth <= threshold.value : truth < threshold.value,
               is_wrong = !is_open && is_crossed != (certainty.verdicts()[i] == SampledVerdict::kCrossed);
    if (distance == 0) errs = (i % of_each > 0 && errs) || is_wrong;
    if (i % of_each == 1) {
      all.at_truth.count(errs);
      const Interval& interval = certainty.intervals()[statistic];
      all.intervals.count(truth < interval.low || truth > interval.high);
    }
    const ScoreEnds& ends = statistic == 4 ? ScoreEnds{0, 1} : kMetrics[metric].ends;
    if (distance == 0 || threshold.value < ends.low || threshold.value > ends.high) continue;
    all.beside.count(is_wrong);
    if (metric > 0) continue;
    const auto count = [&](const std::string& name, int64_t some) {
      all.shares[name].push_back(100.0 * static_cast<double>(some) / static_cast<double>(draws.frames()));
    };
    const std::string name =
        words("{} {}", kStatistics[statistic], number_text(distance, {NumberStyle::Kind::kSignificant, 3}));
    count(words("{} | {} | {}", name, length, is_crossed ? "crossed" : "kept"),
          is_open ? draws.frames() : certainty.decided_after()[i]);
    if (minutes < 60 || is_crossed || (name != "mean 1.5" && name != "p5 3")) continue;
    CertaintyRequest one = asked;
    one.thresholds = {threshold};
    for (const int64_t key_frames : {48, 240})
      count(words("{} | decoded, a key frame every {}", name, key_frames), draws.decoded(one, key_frames));
  }
}

void expect_kept(const Replay& all, double risk) {
  for (const Rate* rate : {&all.beside, &all.at_truth, &all.intervals})
    EXPECT_LE(rate->percent(), 100 * risk) << *rate;
}

TEST(CertaintyReplay, ErrsNoMoreThanItMayButInTheOrderOfTheFilm) {
  Replay drawn, in_order;
  for (uint64_t film = 0; film < 15; ++film) {
    replay(film, film % kMetrics.size(), 0.05, true, drawn);
    if (film % 7 == 0) replay(film, 0, 0.05, false, in_order);
  }
  expect_kept(drawn, 0.05);
  EXPECT_GT(in_order.at_truth.percent(), 50);
}

TEST(CertaintyReplayOfEverySize, ErrsNoMoreThanItMay) {
  for (const double risk : {0.05, 0.01}) {
    Replay all;
    for (uint64_t report = 0; report < 2100; ++report)
      replay(report / kMetrics.size(), report % kMetrics.size(), risk, true, all);
    std::cout << std::fixed << std::setprecision(2) << "risk " << risk << "\nbeside the truth: " << all.beside
              << "at the truth: " << all.at_truth << "intervals: " << all.intervals << std::setprecision(1);
    for (auto [name, shares] : all.shares) {
      std::ranges::sort(shares);
      std::cout << name << " | " << percentile(shares, 50) << " (" << percentile(shares, 90) << ")\n";
    }
    expect_kept(all, risk);
  }
}

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
