// What is said about a ranking.
#include "cli/reports/summary.h"

#include <functional>

#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

std::vector<NamedReport> pair_of_runs() {
  std::vector<NamedReport> runs = {run_of("a", {1, 2}), run_of("b", {1, 2})};
  for (NamedReport& run : runs) run.report.run.inputs[0].bit_rate = 1000;
  return runs;
}

InputFacts& video_of(NamedReport& run) {
  return run.report.run.inputs[0];
}

TEST(RunRemarks, AreAsReviewed) {
  vq::test::GoldenTexts golden("reports/run_remarks.txt");
  const auto add = [&](const std::string& title, const std::vector<NamedReport>& runs) {
    std::string text;
    for (const std::string& remark : remarks_on(runs, {"cambi", named("mean")})) text += remark + "\n";
    golden.add(title, text.empty() ? "none" : text);
  };
  const auto changed = [](const std::function<void(std::vector<NamedReport>&)>& change) {
    std::vector<NamedReport> runs = pair_of_runs();
    change(runs);
    return runs;
  };
  add("runs that fit", pair_of_runs());
  add("lengths and scores", {run_of("a.mkv", {1, 2}), run_of("part.json", {5, kNaN, 3})});
  add("frames", changed([](auto& runs) { runs[1].report.frames = {5, 9}; }));
  add("what the videos are", changed([](auto& runs) {
        runs.push_back(runs[0]);
        runs[2].name = "c";
        video_of(runs[1]).width = 1280;
        video_of(runs[1]).height = 720;
        video_of(runs[1]).frame_rate = 25;
        video_of(runs[2]).transfer = "bt1886";
        runs[2].report.run.crop = CropFacts{3840, 1600, 0, 280};
      }));
  std::vector<NamedReport> many;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) many.push_back(run_of(name, {1}));
  video_of(many[6]).frame_rate = 30;
  add("many names are counted", many);
  add("what is not known does not differ", changed([](auto& runs) { runs[1].report.run = {}; }));
  add("durations as containers round them", changed([](auto& runs) {
        video_of(runs[0]).duration = 0.08;
        video_of(runs[1]).duration = 0.09;
      }));
  add("durations", changed([](auto& runs) {
        video_of(runs[0]).duration = 0.08;
        video_of(runs[1]).duration = 60;
      }));
  for (const char* other : {"/there/master.mov", "/here/other.mov"}) {
    add(std::string("references /here/master.mov and ") + other, changed([&](auto& runs) {
          runs[0].report.run.inputs.push_back(sample_input("reference", "/here/master.mov"));
          runs[1].report.run.inputs.push_back(sample_input("reference", other));
        }));
  }
  add("rates of files, and runs that were cut", changed([](auto& runs) {
        video_of(runs[1]).bit_rate_of = "file";
        runs[0].report.run.complete = false;
      }));
  for (const char* last : {"56", "34"}) {
    add(std::string("hashes 12, 34 and 12, ") + last, changed([&](auto& runs) {
          runs[0].report.texts = {{"fingerprint", {"12", "34"}}};
          runs[1].report.texts = {{"fingerprint", {"12", last}}};
        }));
  }
}

}  // namespace
}  // namespace vq::cli
