// What is said of a report that thresholds are measured from, where it is of another run.
#include "cli/reports/baseline.h"

#include <gmock/gmock.h>

#include "cli/reports/report_writer.h"
#include "core/error.h"
#include "tests/support/report_samples.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// A complete run of three frames.
Report run_of() {
  Report report;
  report.frames = {0, 1, 2};
  report.width = 640;
  report.height = 360;
  report.metrics = {{"cambi", {1, 2, 3}}};
  InputFacts& input = report.run.inputs.emplace_back();
  input.role = "distorted";
  input.width = report.width;
  input.height = report.height;
  report.run.features = {{"cambi", {{"eotf", "bt1886"}, {"heatmaps_path", "x"}}}};
  return report;
}

std::vector<std::string> remarks(const Report& old, const Report& now) {
  return remarks_on_baseline({"folder/old.json", old}, now);
}

TEST(Baseline, OfTheSameRunThereIsNothingToSay) {
  Report other = run_of();
  other.run.features[0].second[1].second = "elsewhere";  // where files go changes no score
  EXPECT_THAT(remarks(other, run_of()), IsEmpty());
  EXPECT_THAT(remarks(run_of(), other), IsEmpty());
}

TEST(Baseline, FramesThatDiffer) {
  Report old = run_of();
  old.frames = {0, 1};
  EXPECT_THAT(remarks(old, run_of()), ElementsAre("the baseline folder/old.json has 2 frames, this run 3."));
  old.frames = {0, 10, 20};
  EXPECT_THAT(remarks(old, run_of()),
              ElementsAre("the baseline folder/old.json scored other frames, from 0 to 20."));
}

TEST(Baseline, PicturesThatDiffer) {
  Report old = run_of();
  old.height = 368;
  EXPECT_THAT(remarks(old, run_of()),
              ElementsAre("the baseline folder/old.json is of 640x368, this run 640x360."));
  old = run_of();
  old.run.crop = CropFacts{640, 272, 0, 44};
  EXPECT_THAT(
      remarks(old, run_of()),
      ElementsAre("the baseline folder/old.json scored 640x272 at 0, 44, this run the whole picture."));
}

TEST(Baseline, OptionsThatDiffer) {
  Report old = run_of();
  old.run.features[0].second[0].second = "pq";
  EXPECT_THAT(remarks(old, run_of()),
              ElementsAre("the baseline folder/old.json has cambi with eotf=pq, this run with eotf=bt1886."));
  old.run.features[0].first = "psnr";
  EXPECT_THAT(remarks(old, run_of()), IsEmpty());
}

TEST(Baseline, ModelsThatDiffer) {
  Report old = run_of(), now = run_of();
  old.run.models = {{.name = "vmaf", .source = "vmaf_v0.6.1"}, {.name = "other", .source = "a.json"}};
  now.run.models = {{.name = "vmaf", .source = "vmaf_4k_v0.6.1"}, {.name = "other", .source = "a.json"}};
  EXPECT_THAT(remarks(old, now),
              ElementsAre("the baseline folder/old.json has vmaf of vmaf_v0.6.1, this run of vmaf_4k_v0.6.1."));
}

TEST(Baseline, ARunThatEndedEarly) {
  Report old = run_of();
  old.run.complete = false;
  EXPECT_THAT(remarks(old, run_of()),
              ElementsAre("the baseline folder/old.json is of a run that ended early."));
}

TEST(Baseline, ACompatibleReportTellsOnlyOfItsFrames) {
  Report old = run_of();
  old.run = {};
  old.width = old.height = 0;
  EXPECT_THAT(remarks(old, run_of()), IsEmpty());
  old.frames = {0};
  EXPECT_EQ(remarks(old, run_of()).size(), 1U);
}

TEST(Baseline, IsReadFromAReport) {
  test::TemporaryFolder folder;
  const std::string path = folder.path() + "/old.json";
  test::write_file(path, write_report(run_of(), {ReportFormat::kJson, {}, true}));
  const Baseline baseline = read_baseline(path);
  EXPECT_EQ(baseline.path, path);
  EXPECT_EQ(baseline.report.metrics[0].values, run_of().metrics[0].values);
  EXPECT_THAT(remarks_on_baseline(baseline, run_of()), IsEmpty());
  EXPECT_THROW(read_baseline(folder.path() + "/none.json"), Error);
}

}  // namespace
}  // namespace vq::cli
