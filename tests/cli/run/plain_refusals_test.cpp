// What is refused or told in a way that helps: names that XML cannot tell apart, numbers out of range, lists
// and names without end.
#include <gmock/gmock.h>

#include "cli/reports/batch_summary.h"
#include "cli/reports/compare.h"
#include "engine/models/model_file.h"
#include "engine/report/threshold.h"
#include "tests/support/expect_error.h"
#include "tests/support/paths.h"
#include "tests/support/report_test.h"
#include "tests/support/run_program.h"
#include "tests/support/test_video.h"

namespace vq::cli {
namespace {

using test::ProgramResult;
using test::run_program;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string kScoredVideo = testdata("clips/sky_640x360_8b.mp4"),
                  kItsReference = testdata("clips/sky_640x360_8b_ref.mp4");

TEST(PlainRefusals, NamesOfModelsThatXmlCannotTellApart) {
  const auto code = [](const std::vector<std::string>& models) {
    std::vector<std::string> words = {"-r", kItsReference, "-d", kScoredVideo, "--frame_cnt", "1", "-q"};
    for (const std::string& model : models) words.insert(words.end(), {"--model", model});
    return run_program(words).code;
  };
  EXPECT_EQ(code({"version=vmaf_v0.6.1:name=frameNum"}), 1);
  EXPECT_EQ(code({"version=vmaf_v0.6.1:name=a<b", "version=vmaf_v0.6.1neg:name=a>b"}), 1);
  EXPECT_EQ(code({"version=vmaf_v0.6.1:name=a<b", "version=vmaf_v0.6.1neg:name=c>b"}), 0);
}

TEST(PlainRefusals, AModelWithANumberThatIsOutOfRange) {
  EXPECT_THAT(
      vq::test::expect_error(ErrorKind::kInput, {}, [] { model::parse_models("{\"a\": 1e999}", "m.json"); }),
      AllOf(HasSubstr("m.json"), HasSubstr("out of range"), Not(HasSubstr("json.exception"))));
}

TEST(PlainRefusals, ListsOfMetricsEnd) {
  NamedReport many = run_of("many", {1}), one = run_of("one", {1}, "psnr_y");
  many.report.metrics.clear();
  for (int i = 0; i < 20000; ++i) many.report.metrics.push_back({"metric" + std::to_string(i), {1}});
  const std::string of_comparison = vq::test::expect_error(ErrorKind::kMismatch, {}, [&] {
    common_metric({many, one}, "");
  });
  EXPECT_LT(of_comparison.size(), 1000U);
  EXPECT_THAT(of_comparison, HasSubstr("19980 more"));
  const std::vector<Threshold> thresholds = {parse_threshold("psnr_y:mean<-1", ThresholdSide::kBelow)};
  const Baseline baseline{"old.json", many.report};
  const std::string of_baseline = vq::test::expect_error(
      ErrorKind::kMismatch, {}, [&] { check_baseline(thresholds, one.report.metrics, {}, baseline); });
  EXPECT_LT(of_baseline.size(), 1000U);
  EXPECT_THAT(of_baseline, HasSubstr("19980 more"));
}

TEST(PlainRefusals, ALimitThatIsSmallIsToldAsItIs) {
  const ProgramResult result = run_program({kScoredVideo, "-q", "--max-memory", "1K"});
  EXPECT_EQ(result.code, 8);
  EXPECT_THAT(result.err, AllOf(HasSubstr("1024 bytes"), Not(HasSubstr("is 0 MiB"))));
}

TEST(PlainRefusals, SkippingEveryFrameIsNotAVideoWithoutFrames) {
  const test::TemporaryFolder folder;
  const std::string video = folder.path() + "/a.y4m";
  test::write_file(video, test::y4m_video({.frames = 3}));
  const ProgramResult result = run_program({video, "-q", "--frame_skip_dist", "3"});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("skipped"), HasSubstr("3"), Not(HasSubstr("has no frames"))));
}

TEST(PlainRefusals, TheTableOfABatchIsNotAsWideAsItsLongestName) {
  BatchSummary summary;
  VideoOutcome& video = summary.videos.emplace_back();
  video.path = video.name = std::string(240, 'x');
  video.state = VideoOutcome::State::kScored;
  video.scores = scores_of(run_of("a", {1, 2}).report);
  for (const std::string& line : batch_table(summary).lines(0)) EXPECT_LT(line.size(), 180U);
}

TEST(PlainRefusals, AlignIsQuietWhereTheResultIsElsewhere) {
  const ProgramResult quiet = run_program({"align", kItsReference, kScoredVideo, "-q", "--json"});
  EXPECT_EQ(quiet.code, 0) << quiet.err;
  EXPECT_THAT(quiet.err, IsEmpty());
  EXPECT_THAT(quiet.out, HasSubstr("\"verdict\""));
  EXPECT_THAT(run_program({"align", kItsReference, kScoredVideo, "-q"}).out,
              Not(IsEmpty()));  // there is no other place for it
}

}  // namespace
}  // namespace vq::cli
