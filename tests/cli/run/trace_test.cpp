// The timeline that --trace writes.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

json trace_of(const std::string& path) {
  std::ifstream file(path);
  return json::parse(file).at("traceEvents");
}

std::set<std::string> names_in(const json& events, const std::string& phase) {
  std::set<std::string> names;
  for (const json& event : events) {
    if (event.at("ph") != phase) continue;
    names.insert(phase == "M" ? event.at("args").at("name") : event.at("name"));
  }
  return names;
}

TEST(TraceOfARun, ShowsWhatItsThreadsDid) {
  const test::TemporaryFolder folder;
  const std::string trace = folder.path() + "/trace.json", video = testdata("formats/faststart.mp4");
  const test::ProgramResult result = test::run_program(
      {video, "--feature", "bounds", "--frame_cnt", "5", "--backend", "cpu", "--trace", trace, "-q"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json events = trace_of(trace);
  EXPECT_THAT(names_in(events, "M"), IsSupersetOf({std::string("main"), "reader of " + video}));
  EXPECT_THAT(names_in(events, "X"),
              IsSupersetOf({"run", "open the videos", "read", "send a packet", "bounds_share", "close"}));
  int64_t read = 0;
  for (const json& event : events) read += event.at("name") == "read" ? 1 : 0;
  EXPECT_GE(read, 5) << "one for each frame, whether its scores are those of the one before or not";
}

TEST(TraceOfARun, IsWrittenThoughTheRunFails) {
  const test::TemporaryFolder folder;
  const std::string trace = folder.path() + "/trace.json";
  const test::ProgramResult result =
      test::run_program({folder.path() + "/missing.mp4", "--backend", "cpu", "--trace", trace});
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr("cannot be opened"));
  EXPECT_THAT(names_in(trace_of(trace), "X"), IsSupersetOf({"run"}));
}

TEST(TraceOfARun, IsForRunsAndBatchesAlone) {
  const std::string video = testdata("formats/faststart.mp4");
  const test::ProgramResult result = test::run_program({"compare", video, video, "--trace", "trace.json"});
  EXPECT_EQ(result.code, 1);
  EXPECT_THAT(result.err, HasSubstr("compare does not take --trace"));
}

TEST(TraceOfARun, IsNoReport) {
  const test::TemporaryFolder folder;
  const std::string file = folder.path() + "/one.json";
  const test::ProgramResult result =
      test::run_program({testdata("formats/faststart.mp4"), "--frame_cnt", "1", "-o", file, "--trace", file});
  EXPECT_EQ(result.code, 1) << "both would be the same file";
}

}  // namespace
}  // namespace vq::cli
