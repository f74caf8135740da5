// For tests of what must not happen: when there is nobody left who could do it.
#pragma once

#include <unistd.h>

#include "tests/support/test.h"

namespace vq::test {

// How often each other thread of this process was taken from its core; none where one of them is not asleep.
inline std::optional<std::map<std::string, std::string>> switches_of_sleepers() {
  std::map<std::string, std::string> switches;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
    const std::string id = task.path().filename();
    if (id == std::to_string(::gettid())) continue;
    std::ifstream status(task.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:") && line.find('S', 6) == line.npos) return std::nullopt;
      if (line.find("ctxt_switches") != line.npos) switches[id] += line;
    }
  }
  return switches;
}

// Waits until all other threads wait for something at the same time: none of them ran between two looks at
// all of them.
inline void wait_until_others_sleep() {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (std::chrono::steady_clock::now() < deadline) {
    const auto before = switches_of_sleepers();
    if (before && switches_of_sleepers() == before) return;
    std::this_thread::yield();
  }
  ADD_FAILURE() << "the other threads are still at work";
}

}  // namespace vq::test
