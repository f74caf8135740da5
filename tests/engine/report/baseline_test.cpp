// What is said of a report that thresholds are measured from, where it is of another run.
#include "engine/report/baseline.h"

#include <gmock/gmock.h>

#include "cli/reports/report_file.h"
#include "core/error.h"
#include "engine/report/report_writer.h"
#include "tests/support/golden_text.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using ::testing::IsEmpty;
using vq::test::GoldenTexts;

// A complete run of three frames.
Report plain_run() {
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

TEST(Baseline, RemarksAreAsReviewed) {
  GoldenTexts golden("reports/baseline_remarks.txt");
  const auto add = [&](const std::string& title, const std::function<void(Report&)>& change,
                       const Report& now = plain_run()) {
    Report old = plain_run();
    change(old);
    std::string text;
    for (const std::string& remark : remarks_on_baseline({"folder/old.json", old}, now))
      text += remark + "\n";
    golden.add(title, text.empty() ? "none" : text);
  };
  add("the same run", [](Report&) {});
  add("where files go changes no score",
      [](Report& old) { old.run.features[0].second[1].second = "elsewhere"; });
  add("fewer frames", [](Report& old) { old.frames = {0, 1}; });
  add("other frames", [](Report& old) { old.frames = {0, 10, 20}; });
  add("another size", [](Report& old) { old.height = 368; });
  add("another area", [](Report& old) { old.run.crop = CropFacts{640, 272, 0, 44}; });
  add("another area of the reference", [](Report& old) {
    old.run.reference_crop = CropFacts{640, 272, 0, 44};
  });
  add("another option", [](Report& old) { old.run.features[0].second[0].second = "pq"; });
  add("another feature", [](Report& old) { old.run.features[0].first = "psnr"; });
  add("a run that ended early", [](Report& old) { old.run.complete = false; });
  add("a compatible report tells only of its frames", [](Report& old) {
    old.run = {};
    old.width = old.height = 0;
    old.frames = {0};
  });
  Report now = plain_run();
  now.run.models = {{.name = "vmaf", .source = "vmaf_v0.6.1"}};
  add(
      "a model that was scaled",
      [](Report& old) {
        old.run.models = {{.name = "vmaf", .source = "vmaf_v0.6.1", .scored_at = "1920x1080@8"}};
      },
      now);
}

TEST(Baseline, IsReadFromAReport) {
  test::TemporaryFolder folder;
  const std::string path = folder.path() + "/old.json";
  test::write_file(path, write_report(plain_run(), {ReportFormat::kJson, {}, true}));
  const Baseline baseline = read_baseline(path);
  EXPECT_EQ(baseline.path, path);
  EXPECT_EQ(baseline.report.metrics[0].values, plain_run().metrics[0].values);
  EXPECT_THAT(remarks_on_baseline(baseline, plain_run()), IsEmpty());
  EXPECT_THROW(read_baseline(folder.path() + "/none.json"), Error);
}

}  // namespace
}  // namespace vq::cli
