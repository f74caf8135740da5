#include "cli/system/child_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using ::testing::HasSubstr;

TEST(ChildProcess, HasTheExitCodeOrTheSignal) {
  EXPECT_EQ(run_child({"sh", "-c", "echo out; echo err >&2; exit 3"}).code, 3);
  const ChildOutput output = run_child({"sh", "-c", "echo out; echo err >&2; kill -9 $$"});
  EXPECT_EQ(output.code, 137);
  EXPECT_EQ(output.out, "out\n");
  EXPECT_EQ(output.err, "err\n");
  const ChildOutput none = run_child({"/no/such program"});
  EXPECT_EQ(none.code, 127);
  EXPECT_THAT(none.err, HasSubstr("/no/such program"));
}

TEST(ChildProcess, ReadsMuchOfBothStreams) {
  const ChildOutput output =
      run_child({"sh", "-c", "head -c 1000000 /dev/zero >&2; head -c 1000000 /dev/zero"});
  EXPECT_EQ(output.out.size(), 1000000u);
  EXPECT_EQ(output.err.size(), 1000000u);
}

TEST(ChildProcess, AppendsToItsLog) {
  const test::TemporaryFolder folder;
  const std::string log = folder.path() + "/log";
  EXPECT_EQ(ChildProcess({"sh", "-c", "echo one"}, log).wait(), 0);
  EXPECT_EQ(ChildProcess({"sh", "-c", "echo two >&2; exit 4"}, log).wait(), 4);
  EXPECT_EQ(test::read_file(log), "one\ntwo\n");
  EXPECT_THROW(ChildProcess({"true"}, folder.path() + "/none/log"), Error);
}

}  // namespace
}  // namespace vq::cli
