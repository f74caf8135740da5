// Where the time of a run went, and what held it up.
#include "engine/report/run_pace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/report/run_pace_json.h"
#include "tests/support/golden_text.h"

namespace vq {
namespace {

RunFacts paced_run() {
  RunFacts run;
  run.threads = 4;
  run.stages = {{.name = "upload", .on_device = true, .milliseconds = 100, .bytes = 1'000'000},
                {.name = "readback", .on_device = true, .milliseconds = 50, .bytes = std::nullopt},
                {.name = "c_values", .on_device = false, .milliseconds = 4000, .bytes = 500'000'000}};
  run.pace = PaceFacts{.seconds = {0.5, 0.25, 0.125, 0, 1.0000004, 0.0625}};
  return run;
}

TEST(RunPace, WhatTakesLongestLimits) {
  for (size_t i = 0; i < pace::kParts.size(); ++i) {
    PaceFacts facts = *paced_run().pace;
    facts.seconds[i] = 1.5;
    EXPECT_EQ(limit_of(facts), pace::kParts[i]);
  }
  EXPECT_EQ(limit_of(PaceFacts()), std::nullopt);
}

TEST(RunPace, OfARunThatTellsNothing) {
  EXPECT_TRUE(pace_json(RunFacts()).is_null());
  EXPECT_EQ(stages_json(RunFacts()).dump(), "[]");
  RunFacts instant;
  instant.pace.emplace();
  EXPECT_TRUE(pace_json(instant)["limit"].is_null());
}

TEST(RunPace, JsonIsAsReviewed) {
  vq::test::GoldenTexts golden("reports/run_pace.txt");
  golden.add("stages", stages_json(paced_run()).dump(2));
  golden.add("pace", pace_json(paced_run()).dump(2));
}

}  // namespace
}  // namespace vq
