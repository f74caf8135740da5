// The summary of more titles than are kept.
#include "cli/cluster/catalogue.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/report_samples.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using testing::AllOf;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

class CatalogueTest : public testing::Test {
 protected:
  Catalogue catalogue(size_t moments) const {
    const Statistic mean = parse_statistic("mean", "--by");
    return Catalogue(
        {.folder = folder_.path(), .by = mean, .moments = moments, .numbers = {}, .arguments = {}});
  }
  static Report report_of(const std::string& metric, const std::vector<double>& values) {
    Report report = sample_report();
    report.frames.clear();
    report.timestamps.assign(values.size(), std::nullopt);
    report.metrics = {{metric, values}};
    for (size_t i = 0; i < values.size(); ++i) report.frames.push_back(static_cast<int64_t>(i));
    return report;
  }
  static void add(Catalogue& catalogue, const std::string& name, const Report& report) {
    VideoOutcome outcome;
    outcome.path = outcome.name = name;
    outcome.state = VideoOutcome::State::kScored;
    outcome.scores = scores_of(report);
    catalogue.add(std::move(outcome), &report);
  }
  static void fail(Catalogue& catalogue, const std::string& name) {
    VideoOutcome outcome;
    outcome.path = outcome.name = name;
    outcome.state = VideoOutcome::State::kFailed;
    catalogue.add(std::move(outcome), nullptr);
  }
  static std::vector<std::string> names(const BatchSummary& summary) {
    std::vector<std::string> names;
    for (const VideoOutcome& video : summary.videos) names.push_back(video.name);
    return names;
  }

  test::TemporaryFolder folder_;
};

// Scores come in any order, each twice: of equal ones the first titles come first.
TEST_F(CatalogueTest, KeepsTheWorstTitlesTheWorstFirst) {
  constexpr int kTitles = static_cast<int>(kMostTitles) + 40;
  for (const bool highest_is_worst : {true, false}) {
    Catalogue all = catalogue(0);
    std::vector<std::pair<int, int>> expected;  // rank and order
    for (int i = 0; i < kTitles; ++i) {
      const int score = i * 37 % kTitles / 2;
      add(all, std::to_string(i),
          report_of(highest_is_worst ? "cambi" : "psnr_y", {static_cast<double>(score)}));
      expected.emplace_back(highest_is_worst ? -score : score, i);
    }
    std::sort(expected.begin(), expected.end());
    const BatchSummary summary = all.summary();
    const std::vector<std::string> kept = names(summary);
    ASSERT_EQ(kept.size(), kMostTitles);
    for (size_t i = 0; i < kept.size(); ++i) ASSERT_EQ(kept[i], std::to_string(expected[i].second)) << i;
    EXPECT_THAT(summary.remarks, ElementsAre(AllOf(HasSubstr("1040"), HasSubstr("1000"))));
  }
}

TEST_F(CatalogueTest, HasTheWorstMomentsOfAllTitles) {
  Catalogue low = catalogue(2), high = catalogue(2);
  add(low, "a", report_of("psnr_y", {50, 31, 50}));
  add(low, "b", report_of("psnr_y", {30, 49, 49}));
  add(low, "c", report_of("psnr_y", {40, 40, 35}));
  EXPECT_THAT(low.summary().moments, ElementsAre(AllOf(HasSubstr("b"), HasSubstr("psnr_y 30")),
                                                 AllOf(HasSubstr("a"), HasSubstr("psnr_y 31"))));
  add(high, "a", report_of("cambi", {1, 9, 1}));
  add(high, "b", report_of("cambi", {2, 2, 12}));
  add(high, "c", report_of("cambi", {5, 5, 5}));
  EXPECT_THAT(high.summary().moments, ElementsAre(AllOf(HasSubstr("b"), HasSubstr("cambi 12")),
                                                  AllOf(HasSubstr("a"), HasSubstr("cambi 9"))));
}

// A model's score leads, wherever its column is.
TEST_F(CatalogueTest, NamesNoMomentsOfWhatOnlyAModelAskedFor) {
  Report report = report_of("integer_adm2", {0.9, 0.3, 0.9});
  report.metrics.front().is_inner = true;
  report.metrics.push_back({"vmaf", {90, 80, 70}});
  Catalogue all = catalogue(1);
  add(all, "a", report);
  EXPECT_THAT(all.summary().moments, ElementsAre(HasSubstr("frame 2: vmaf 70")));
}

TEST_F(CatalogueTest, ListsWhatIsNotComparableLastAndApart) {
  Report wrong = report_of("psnr_y", {10, 10});
  wrong.run.pair_faults = {{PairFaultKind::kShift, {"wrong is late"}}};
  Catalogue all = catalogue(9);
  add(all, "wrong", wrong);
  add(all, "good", report_of("psnr_y", {50, 49}));
  add(all, "bad", report_of("psnr_y", {30, 29}));
  EXPECT_THAT(names(all.summary()), ElementsAre("bad", "good", "wrong"));
  EXPECT_THAT(all.summary().moments, Each(Not(HasSubstr("wrong"))));
  EXPECT_EQ(all.totals(), "3 videos: 3 scored; 1 not comparable");
}

TEST_F(CatalogueTest, NamesThoseThatFailedFirst) {
  Catalogue all = catalogue(0);
  add(all, "good", report_of("cambi", {1}));
  fail(all, "bad");
  add(all, "worse", report_of("cambi", {3}));
  EXPECT_THAT(names(all.summary()), ElementsAre("bad", "worse", "good"));
}

}  // namespace
}  // namespace vq::cli
