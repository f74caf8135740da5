#include "cli/system/process.h"
#include "cli/system/messages.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

class MessagesTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_;
  Messages messages_{[this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(MessagesTest, AreLines) {
  messages_.warn("a\nb");
  messages_.note("c");
  messages_.error("d\x1b[31m");
  messages_.finish();
  EXPECT_THAT(lines_, ElementsAre("cambi: warning: a\\nb\n", "cambi: c\n", "cambi: error: d\\x1b[31m\n"));
  EXPECT_THAT(messages_.warnings(), ElementsAre("a\\nb"));
}

TEST(GithubAnnotation, IsOneLine) {
  EXPECT_EQ(github_annotation("notice", "1 %\r\n::error::x"), "::notice title=cambi::1 %25%0D%0A::error::x");
}

TEST_F(MessagesTest, FloodsOfWarningsAreCountedAndTheFirstKept) {
  for (int i = 0; i < 1000; ++i) messages_.warn("number " + std::to_string(i));
  EXPECT_EQ(messages_.warnings().size(), 1000U);
  for (int i = 0; i < 4000; ++i) messages_.warn("again");
  ASSERT_EQ(lines_.size(), 20U);
  EXPECT_THAT(lines_.back(), HasSubstr("number 19"));
  messages_.finish();
  EXPECT_EQ(lines_.size(), 21U);
  EXPECT_EQ(lines_.back(), "cambi: warning: 4980 more warnings\n");
  EXPECT_EQ(messages_.warnings().size(), 1000U);
  EXPECT_EQ(messages_.warnings().back(), "number 999");
}

// A root folder with the system files of a process in control groups.
class ControlGroups : public test::FolderTest {
 protected:
  void file(const std::string& path, const std::string& content) {
    std::filesystem::create_directories(std::filesystem::path(folder_.path() + path).parent_path());
    test::write_file(folder_.path() + path, content);
  }
  int64_t limit() { return control_group_limit(folder_.path()); }
};

constexpr const char* kMountsV2 =
    "22 1 0:20 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
    "30 22 0:26 / /sys/fs/cgroup rw,nosuid shared:4 master:1 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kMountsV1 =
    "31 22 0:28 / /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "32 22 0:29 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n";

TEST_F(ControlGroups, NoneIsNoLimit) {
  EXPECT_EQ(limit(), INT64_MAX);
  file("/proc/self/mountinfo", kMountsV2);
  file("/proc/self/cgroup", "0::/user.slice\n");
  EXPECT_EQ(limit(), INT64_MAX);
}

TEST_F(ControlGroups, Version2TakesTheLeastOnTheWayUp) {
  file("/proc/self/mountinfo", kMountsV2);
  file("/proc/self/cgroup", "0::/user.slice/user-1000.slice/job.scope\n");
  file("/sys/fs/cgroup/memory.max", "max\n");
  file("/sys/fs/cgroup/user.slice/memory.max", "3000000\n");
  file("/sys/fs/cgroup/user.slice/user-1000.slice/memory.max", "1000000\n");
  file("/sys/fs/cgroup/user.slice/user-1000.slice/job.scope/memory.max", "2000000\n");
  file("/sys/fs/cgroup/user.slice/user-1000.slice/other.scope/memory.max", "5\n");
  EXPECT_EQ(limit(), 1000000);
  file("/sys/fs/cgroup/user.slice/user-1000.slice/job.scope/memory.max", "700000\n");
  EXPECT_EQ(limit(), 700000);
}

TEST_F(ControlGroups, Version1HasAHierarchyForMemory) {
  file("/proc/self/mountinfo", kMountsV1);
  file("/proc/self/cgroup", "5:cpu,cpuacct:/elsewhere\n4:memory:/batch/job\n0::/\n");
  file("/sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  file("/sys/fs/cgroup/memory/elsewhere/memory.limit_in_bytes", "5\n");
  EXPECT_EQ(limit(), 9223372036854771712);
  file("/sys/fs/cgroup/memory/batch/job/memory.limit_in_bytes", "157286400\n");
  EXPECT_EQ(limit(), 157286400);
}

TEST_F(ControlGroups, AContainerSeesItsGroupAsTheRoot) {
  file("/sys/fs/cgroup/memory.max", "4000000\n");
  file("/proc/self/mountinfo", kMountsV2);
  file("/proc/self/cgroup", "0::/\n");
  EXPECT_EQ(limit(), 4000000);
  // Without a name space of its own the process is told its place outside, and only its part is mounted.
  file("/proc/self/mountinfo",
       "30 22 0:26 /docker/0123 /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate\n");
  file("/proc/self/cgroup", "0::/docker/0123/inner\n");
  file("/sys/fs/cgroup/inner/memory.max", "3000000\n");
  EXPECT_EQ(limit(), 3000000);
  file("/proc/self/cgroup", "0::/other\n");
  EXPECT_EQ(limit(), 4000000);
}

TEST_F(ControlGroups, MixedVersionsBothCount) {
  std::string mounts(kMountsV1);
  mounts += "33 22 0:30 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
  file("/proc/self/mountinfo", mounts);
  file("/proc/self/cgroup", "4:memory:/a\n0::/b\n");
  file("/sys/fs/cgroup/memory/a/memory.limit_in_bytes", "2000000\n");
  file("/sys/fs/cgroup/unified/b/memory.max", "1000000\n");
  EXPECT_EQ(limit(), 1000000);
}

}  // namespace
}  // namespace vq::cli
