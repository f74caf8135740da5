// The process ends while contexts score on a Vulkan device, which is any. Each does so in a process of its
// own, behind a layer that ends it otherwise where the driver is called too late.
#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/libvmaf/client.h"
#include "tests/support/leaving_driver.h"

namespace client {
namespace {

constexpr int kExitCode = 42;
constexpr unsigned kNever = ~0U;

// Not after the time that a driver is given which does not return.
void end_soon() {
  alarm(4);
  std::exit(kExitCode);
}

std::atomic<unsigned> told = 0;

void wait_for_a_score(std::chrono::milliseconds more) {
  while (told == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  std::this_thread::sleep_for(more);
}

// One that counts its scores, and ends the process in the callback for a picture.
Context open_counting(unsigned last_picture) {
  setenv("CAMBI_BACKEND", "vulkan", 1);
  Context context = open(2);
  static unsigned last = kNever;
  last = last_picture;
  static char name[] = "psnr_y";
  const auto count = [](void*, Metadata* score) {
    ++told;
    if (score->picture_index == last) end_soon();
  };
  if (vmaf_register_metadata_handler(context.get(), {name, count, nullptr}) != 0) std::abort();
  use(context, "psnr");
  return context;
}

template <typename Condition>
void read_while(const Context& context, Condition condition) {
  for (unsigned index = 0; condition(); ++index) {
    if (read(context, {}, index) != 0) break;
  }
}

void read_on(const Context& context) {
  read_while(context, [] { return true; });
  for (;;) pause();
}

void exit_from_main(std::chrono::milliseconds moment) {
  const Context context = open_counting(kNever);
  std::thread([&context] { read_on(context); }).detach();
  wait_for_a_score(moment);
  end_soon();
}

void exit_from_another_thread(std::chrono::milliseconds moment) {
  const Context context = open_counting(kNever);
  std::thread([moment] {
    wait_for_a_score(moment);
    end_soon();
  }).detach();
  read_on(context);
}

void exit_in_a_callback(unsigned picture) {
  read_on(open_counting(picture));
}

// Its destructor runs when the driver has left.
void exit_before_a_context_is_closed(std::chrono::milliseconds moment) {
  static Context context;
  context = open_counting(kNever);
  std::atomic<bool> is_over = false;
  std::thread timer([&] {
    wait_for_a_score(moment);
    is_over = true;
  });
  read_while(context, [&] { return !is_over; });
  timer.join();
  end_soon();
}

class LibvmafExitOnDeviceDeathTest : public testing::Test {
 protected:
  LibvmafExitOnDeviceDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  const testing::ExitedWithCode is_in_order_{kExitCode};
};

constexpr std::chrono::milliseconds kMoments[] = {std::chrono::milliseconds(0), std::chrono::milliseconds(7),
                                                  std::chrono::milliseconds(30),
                                                  std::chrono::milliseconds(71)};

TEST_F(LibvmafExitOnDeviceDeathTest, LeavesTheDriverAlone) {
  for (const char* call : {"vkCreateInstance", "vkCreateDevice", "vkCreateComputePipelines"}) {
    const vq::test::LeavingDriver driver(call);
    for (const std::chrono::milliseconds moment : kMoments)
      EXPECT_EXIT(exit_from_main(moment), is_in_order_, "") << call << ' ' << moment.count();
  }
}

TEST_F(LibvmafExitOnDeviceDeathTest, MayComeFromAnyThread) {
  const vq::test::LeavingDriver driver("vkCreateComputePipelines");
  for (const std::chrono::milliseconds moment : kMoments)
    EXPECT_EXIT(exit_from_another_thread(moment), is_in_order_, "") << moment.count();
}

TEST_F(LibvmafExitOnDeviceDeathTest, MayComeFromACallback) {
  const vq::test::LeavingDriver driver("vkCreateComputePipelines");
  for (const unsigned picture : {0U, 1U, 20U})
    EXPECT_EXIT(exit_in_a_callback(picture), is_in_order_, "") << picture;
}

TEST_F(LibvmafExitOnDeviceDeathTest, MayCloseAContextAtLast) {
  const vq::test::LeavingDriver driver("vkCreateComputePipelines");
  for (const std::chrono::milliseconds moment : {kMoments[0], kMoments[2]})
    EXPECT_EXIT(exit_before_a_context_is_closed(moment), is_in_order_, "") << moment.count();
}

}  // namespace
}  // namespace client
