// What is said about a ranking.
#include "cli/reports/run_remarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const ComparisonBasis kByMean = {"cambi", named("mean")};

std::vector<NamedReport> pair_of_runs() {
  std::vector<NamedReport> runs = {run_of("a", {1, 2}), run_of("b", {1, 2})};
  for (NamedReport& run : runs) run.report.run.inputs[0].bit_rate = 1000;
  return runs;
}

InputFacts& video_of(NamedReport& run) {
  return run.report.run.inputs[0];
}

TEST(RunRemarks, NothingIsSaidOfRunsThatFit) {
  EXPECT_THAT(remarks_on(pair_of_runs(), kByMean), IsEmpty());
}

TEST(RunRemarks, LengthsFramesAndScores) {
  EXPECT_THAT(remarks_on({run_of("a.mkv", {1, 2}), run_of("part.json", {5, kNaN, 3})}, kByMean),
              testing::IsSupersetOf({"Lengths differ: a.mkv has 2 frames, part.json has 3 frames. They are ranked all the same.",
                                     "part.json lacks 1 of 3 scores, so it is ranked last."}));
  std::vector<NamedReport> runs = pair_of_runs();
  runs[1].report.frames = {5, 9};
  EXPECT_THAT(remarks_on(runs, kByMean), ElementsAre("The numbers of the scored frames differ: 0 to 1 (a); 5 to 9 (b)."));
}

TEST(RunRemarks, WhatTheVideosAre) {
  std::vector<NamedReport> runs = pair_of_runs();
  runs.push_back(runs[0]);
  runs[2].name = "c";
  video_of(runs[1]).width = 1280;
  video_of(runs[1]).height = 720;
  video_of(runs[1]).frame_rate = 25;
  video_of(runs[2]).transfer = "bt1886";
  runs[2].report.run.crop = CropFacts{3840, 1600, 0, 280};
  EXPECT_THAT(remarks_on(runs, kByMean),
              ElementsAre("Frame rates differ: 23.976 fps (a, c); 25 fps (b).",
                          "Picture sizes differ: 3840x2160 (a, c); 1280x720 (b).",
                          "Scored areas differ: the whole picture (a, b); 3840x1600 at 0, 280 (c).",
                          "Transfer functions differ: pq (a, b); bt1886 (c)."));
}

TEST(RunRemarks, ManyNamesAreCounted) {
  std::vector<NamedReport> runs;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) runs.push_back(run_of(name, {1}));
  video_of(runs[6]).frame_rate = 30;
  EXPECT_THAT(remarks_on(runs, kByMean), ElementsAre("Frame rates differ: 23.976 fps (a, b, c, d and 2 more); 30 fps (g)."));
}

TEST(RunRemarks, WhatIsNotKnownDoesNotDiffer) {
  std::vector<NamedReport> runs = pair_of_runs();
  runs[1].report.run = {};
  EXPECT_THAT(remarks_on(runs, kByMean), IsEmpty());
}

TEST(RunRemarks, DurationsBeyondWhatContainersRound) {
  std::vector<NamedReport> runs = pair_of_runs();
  video_of(runs[0]).duration = 0.08;
  video_of(runs[1]).duration = 0.09;
  EXPECT_THAT(remarks_on(runs, kByMean), IsEmpty());
  video_of(runs[1]).duration = 60;
  EXPECT_THAT(remarks_on(runs, kByMean),
              ElementsAre("Durations of the videos differ: 0.1 s (a); 60.0 s (b).",
                          "Bit rates are those of whole videos, of which only a part was scored: b."));
}

TEST(RunRemarks, ReferencesByTheirNames) {
  std::vector<NamedReport> runs = pair_of_runs();
  runs[0].report.run.inputs.push_back(sample_input("reference", "/here/master.mov"));
  runs[1].report.run.inputs.push_back(sample_input("reference", "/there/master.mov"));
  EXPECT_THAT(remarks_on(runs, kByMean), IsEmpty());
  runs[1].report.run.inputs[1].path = "/here/other.mov";
  EXPECT_THAT(remarks_on(runs, kByMean), ElementsAre("References differ: master.mov (a); other.mov (b)."));
}

TEST(RunRemarks, ModelsOfOneName) {
  std::vector<NamedReport> runs = pair_of_runs();
  runs[0].report.run.models = {{.name = "cambi", .source = "a.json"}, {.name = "other", .source = "c.json"}};
  runs[1].report.run.models = {{.name = "cambi", .source = "b.json"}, {.name = "other", .source = "d.json"}};
  EXPECT_THAT(remarks_on(runs, kByMean), ElementsAre("Models of cambi differ: a.json (a); b.json (b)."));
}

TEST(RunRemarks, RatesOfFilesAndRunsThatWereCut) {
  std::vector<NamedReport> runs = pair_of_runs();
  video_of(runs[1]).bit_rate_of = "file";
  runs[0].report.run.complete = false;
  EXPECT_THAT(remarks_on(runs, kByMean), ElementsAre("a was not scored to its end.",
                                                     "The bit rate of b is that of the file, with all that it holds."));
}

TEST(RunRemarks, EqualHashesAreEqualPictures) {
  std::vector<NamedReport> runs = pair_of_runs();
  runs[0].report.texts = {{"fingerprint", {"12", "34"}}};
  runs[1].report.texts = {{"fingerprint", {"12", "56"}}};
  EXPECT_THAT(remarks_on(runs, kByMean), IsEmpty());
  runs[1].report.texts[0].values[1] = "34";
  EXPECT_THAT(remarks_on(runs, kByMean), ElementsAre("The pictures of a, b are the same, frame by frame."));
}

}  // namespace
}  // namespace vq::cli
