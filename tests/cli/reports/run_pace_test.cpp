// What limited a run, from its figures.
#include "cli/reports/run_pace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/reports/run_pace_json.h"
#include "tests/support/golden_text.h"

namespace vq::cli {
namespace {

// 100 frames in two seconds, one of them spent waiting for frames less than half.
RunFacts paced_run() {
  RunFacts paced_run;
  paced_run.threads = 4;
  paced_run.stages = {{.name = "upload", .on_device = true, .milliseconds = 100, .bytes = 1'000'000},
                {.name = "mask", .on_device = true, .milliseconds = 200, .bytes = 300'000'000},
                {.name = "readback", .on_device = true, .milliseconds = 50, .bytes = std::nullopt},
                {.name = "c_values", .on_device = false, .milliseconds = 4000, .bytes = 500'000'000}};
  paced_run.pace = PaceFacts{.frames = 100, .seconds = 2, .decoding_seconds = 1.25, .waiting_seconds = 0.9};
  return paced_run;
}

TEST(RunPace, OfEachPart) {
  const std::vector<PartPace> paces = part_paces(paced_run());
  ASSERT_EQ(paces.size(), 4u);
  EXPECT_EQ(paces[0].part, WorkPart::kDecoding);
  EXPECT_DOUBLE_EQ(paces[0].fps, 80);
  EXPECT_EQ(paces[1].part, WorkPart::kUploading);
  EXPECT_DOUBLE_EQ(paces[1].fps, 1000);
  EXPECT_EQ(paces[2].part, WorkPart::kDevice);
  EXPECT_DOUBLE_EQ(paces[2].seconds, 0.25);
  EXPECT_EQ(paces[3].part, WorkPart::kHost);
  EXPECT_DOUBLE_EQ(paces[3].seconds, 1);  // of four threads
}

TEST(RunPace, WhatIsAtWorkLongestLimits) {
  RunFacts facts = paced_run();
  EXPECT_EQ(limit_of(facts), WorkPart::kHost);  // not decoding, though that took longer: nobody waited for it
  facts.stages.pop_back();
  EXPECT_EQ(limit_of(facts), WorkPart::kDevice);
  facts.stages[0].milliseconds = 251;
  EXPECT_EQ(limit_of(facts), WorkPart::kUploading);
}

TEST(RunPace, DecodingLimitsWhereFramesAreWaitedFor) {
  RunFacts facts = paced_run();
  facts.pace->waiting_seconds = 1.01;
  EXPECT_EQ(limit_of(facts), WorkPart::kDecoding);
}

TEST(RunPace, HardwareThatDecodesLimitsWhereNothingElseIsBusy) {
  RunFacts facts = paced_run();
  facts.pace->waiting_seconds = 0;
  facts.stages.back().milliseconds = 3900;  // of four threads: less than half of two seconds
  facts.inputs.resize(2);
  for (InputFacts& input : facts.inputs) input.decoder = "hevc";
  EXPECT_EQ(limit_of(facts), WorkPart::kHost);
  facts.inputs.back().decoder = "hevc (cuda)";
  EXPECT_EQ(limit_of(facts), WorkPart::kDecoding);
  facts.stages.back().milliseconds = 4100;
  EXPECT_EQ(limit_of(facts), WorkPart::kHost);
  facts.stages.clear();
  EXPECT_EQ(limit_of(facts), WorkPart::kDecoding);
}

TEST(RunPace, NothingLimitsWhatTellsNothing) {
  EXPECT_EQ(limit_of(RunFacts()), std::nullopt);
  EXPECT_TRUE(pace_json(RunFacts()).is_null());
  EXPECT_EQ(stages_json(RunFacts()).dump(), "[]");
  RunFacts facts = paced_run();
  facts.pace->frames = 0;
  EXPECT_EQ(limit_of(facts), std::nullopt);
  EXPECT_TRUE(pace_json(facts)["limit"].is_null());
}

TEST(RunPace, JsonIsAsReviewed) {
  vq::test::GoldenTexts golden("reports/run_pace.txt");
  golden.add("stages", stages_json(paced_run()).dump(2));
  golden.add("pace", pace_json(paced_run()).dump(2));
}

}  // namespace
}  // namespace vq::cli
