// Parts that are drawn, and settings that are found of made-up films.
#include "engine/comparison/setting_search.h"

#include "engine/certainty.h"
#include "tests/support/test.h"

namespace vq {
namespace {

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
    for (const FilmPart& part : sample.parts) {
      EXPECT_GE(part.first, last);
      EXPECT_LE(part.end, frames);
      at_keys += keys.empty() || part.first % keys[1] == 0;
      last = part.end;
    }
    EXPECT_GE(at_keys, keys == far ? 0 : static_cast<int64_t>(sample.parts.size()) * 3 / 4);
    EXPECT_EQ(draw_parts(frames, 24, keys, 2880, 5).parts, sample.parts);
    EXPECT_NE(draw_parts(frames, 24, keys, 2880, 6).groups, sample.groups);
  }
  EXPECT_EQ(draw_parts(1199, 24, near, 2880, 5).parts, (std::vector<FilmPart>{{0, 1199}}));
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
  EncodedPart part(const FilmPart& part, int setting, bool is_higher) const {
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
  for (int setting = 0; setting <= last; ++setting) {
    const EncodedPart whole = film.part({0, film.frames()}, setting, is_higher);
    const double score = search.measured(std::span(&whole, 1));
    if (is_higher ? score >= target.value : score <= target.value) outcome.exact = setting;
  }
  outcome.answer = search.answer();
  const int at = std::max(outcome.exact, 0);
  const double bytes = film.part({0, film.frames()}, at, true).bytes;
  outcome.bytes_error = std::abs(search.bytes(at).value / bytes - 1);
  const auto [low, high] = search.answers();
  outcome.is_within = low <= outcome.exact && outcome.exact <= high;
  return outcome;
}

TEST(SettingSearch, FindsWhatAllFramesAtAllSettingsSay) {
  for (const auto& [statistic, value, is_higher, frames] :
       std::vector<std::tuple<std::string, double, bool, int64_t>>{{"mean", 90, true, 1500},
                                                                   {"mean", 82, false, 1500},
                                                                   {"p5", 80, true, 3000},
                                                                   {"mean", 93, true, 200}}) {
    SCOPED_TRACE(words("{} of {} frames", statistic, frames));
    int equal = 0;
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const FoundSetting outcome = searched({seed, frames}, statistic, value, is_higher);
      ASSERT_TRUE(outcome.answer);
      EXPECT_LE(outcome.steps, 6);
      EXPECT_LE(std::abs(*outcome.answer - outcome.exact), 1);
      EXPECT_LT(outcome.bytes_error, 0.04);
      equal += *outcome.answer == outcome.exact;
    }
    EXPECT_GE(equal, frames < 500 ? 12 : 10);  // a film that is one part is exact
  }
}

// Long films are seen in part, so answers differ from the exact one, by what the search says.
TEST(SettingSearch, SaysHowFarOtherSamplesMayBe) {
  int within = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    const FoundSetting outcome = searched({seed, 20'000}, "mean", 90, true, 40, 800);
    within += outcome.is_within;
    EXPECT_LE(std::abs(outcome.answer.value() - outcome.exact), 2);
  }
  EXPECT_GE(within, 9);
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
