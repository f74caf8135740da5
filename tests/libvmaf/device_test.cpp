// How long devices stay open, on any Vulkan device.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

#include "tests/libvmaf/client.h"

namespace client {
namespace {

// Whether some device is open: Vulkan's loader goes with the last.
bool has_device() {
  std::ifstream file("/proc/self/maps");
  const std::string maps((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  return maps.find("libvulkan.so") != std::string::npos;
}

int score_on(const char* backend) {
  setenv("CAMBI_BACKEND", backend, 1);
  const Context context = open();
  EXPECT_EQ(use(context, "psnr"), 0);
  const int result = read(context, {}, 0);
  unsetenv("CAMBI_BACKEND");
  return result == 0 ? flush(context) : result;
}

TEST(LibvmafDevicesOnDevice, StayForSomeSeconds) {
  using Clock = std::chrono::steady_clock;
  ASSERT_EQ(score_on("vulkan"), 0);
  const Clock::time_point closed = Clock::now();
  VmafPicture kept = alloc({});  // memory of the host
  EXPECT_TRUE(has_device());
  ASSERT_EQ(score_on("vulkan"), 0);
  while (has_device() && Clock::now() - closed < std::chrono::seconds(60))
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(has_device());
  EXPECT_GT(Clock::now() - closed, std::chrono::seconds(4));
  EXPECT_EQ(vmaf_picture_unref(&kept), 0);
  ASSERT_EQ(score_on("vulkan"), 0);  // opened anew
  EXPECT_TRUE(has_device());
}

TEST(LibvmafDevicesOnDevice, AreTheParentsAfterAFork) {
  ASSERT_EQ(score_on("vulkan"), 0);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    const bool is_right = score_on("vulkan") == -EINVAL && score_on("cpu") == 0;
    _exit(is_right ? 0 : 1);  // the driver's exit handlers are the parent's
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

// In a process of its own.
TEST(LibvmafDevicesOnDeviceDeathTest, MayBeOpenWhenTheProcessEnds) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(std::exit(score_on("vulkan")), testing::ExitedWithCode(0), "");
  const auto with_a_context = [] {
    setenv("CAMBI_BACKEND", "vulkan", 1);
    Context context = open(2);
    use(context, "psnr");
    const int result = read(context, {}, 0);
    (void)context.release();
    std::exit(result);
  };
  EXPECT_EXIT(with_a_context(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace client
