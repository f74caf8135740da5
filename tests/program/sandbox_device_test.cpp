// --sandbox with a GPU, which needs its device, its driver and their caches.
#include <gtest/gtest.h>

#include "cli/sandbox/sandbox.h"
#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

TEST(SandboxOnDevice, ScoresAreTheSameToTheByte) {
  if (kSanitized || landlock_version() == 0) GTEST_SKIP() << "there is no sandbox: see SandboxOfThisSystem";
  const TemporaryFolder folder;
  const std::string reports[] = {folder.path() + "/outside.csv", folder.path() + "/inside.csv"};
  for (const std::string& report : reports) {
    Words words = {
        clip("small_256x144_8b.mp4"), "--backend", "vulkan", "--frame_cnt", "3", "-q", "-o", report};
    if (report == reports[1]) words.push_back("--sandbox");
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.code, 0) << result.err;
  }
  EXPECT_FALSE(read_file(reports[0]).empty());
  EXPECT_EQ(read_file(reports[1]), read_file(reports[0]));
}

}  // namespace
}  // namespace vq::cli::test
