// Puts the layer of failing_vulkan.cpp in front of Vulkan's drivers.
#pragma once

#include <optional>
#include <string>

#include "tests/support/temporary_folder.h"

namespace vq::test {

// While it lives, in this process and in those that it starts, where it does nothing.
class LeavingDriver {
 public:
  // `call`: that in which the layer registers its handler.
  explicit LeavingDriver(const std::string& call);
  LeavingDriver(const LeavingDriver&) = delete;
  LeavingDriver& operator=(const LeavingDriver&) = delete;

 private:
  std::optional<TemporaryFolder> folder_;
  std::optional<Variable> layers_, path_, call_;
};

}  // namespace vq::test
