// For processes that end while a device is at work. The layer of failing_vulkan.cpp in front of Vulkan's
// drivers ends them otherwise if the driver is called too late.
#pragma once

#include "tests/support/temporary_folder.h"

namespace vq::test {

// While it lives, in this process and in those that it starts, where it does nothing.
class LeavingDriver {
 public:
  // `call`: that in which the layer registers its handler.
  explicit LeavingDriver(const std::string& call);
  LeavingDriver& operator=(LeavingDriver&&) = delete;

 private:
  std::optional<TemporaryFolder> folder_;
  std::optional<Variable> layers_, path_, call_;
};

inline constexpr int kExitCode = 42;

// Not after the time that a driver is given which does not return.
inline void end_soon() {
  alarm(4);
  std::exit(kExitCode);
}

// Each process is one of its own.
class EndingDeathTest : public testing::Test {
 protected:
  EndingDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
  const testing::ExitedWithCode is_in_order_{kExitCode};
};

}  // namespace vq::test
