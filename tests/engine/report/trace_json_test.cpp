#include "engine/report/trace_json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace vq {
namespace {

TEST(TraceJson, HasAnEventForEachSpanAndTheNamesOfThreads) {
  const Timeline timeline;
  name_thread("the \"main\" one");
  { const TraceSpan span("read", 12); }
  { const TraceSpan span("close"); }
  const nlohmann::json json = nlohmann::json::parse(trace_json(timeline));
  EXPECT_EQ(json.at("droppedSpans"), 0);
  const nlohmann::json& events = json.at("traceEvents");
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].at("ph"), "M");
  EXPECT_EQ(events[0].at("name"), "thread_name");
  EXPECT_EQ(events[0].at("args").at("name"), "the \"main\" one");
  EXPECT_EQ(events[1].at("ph"), "X");
  EXPECT_EQ(events[1].at("name"), "read");
  EXPECT_EQ(events[1].at("tid"), events[0].at("tid"));
  EXPECT_EQ(events[1].at("args").at("frame"), 12);
  EXPECT_EQ(events[2].at("name"), "close");
  EXPECT_FALSE(events[2].contains("args"));
  EXPECT_GE(events[2].at("ts"), events[1].at("ts").get<double>() + events[1].at("dur").get<double>() - 0.001);
  EXPECT_EQ(events[3].at("name"), "process_name");
}

}  // namespace
}  // namespace vq
