#include "tests/support/leaving_driver.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace vq::test {

LeavingDriver::LeavingDriver(const std::string& call) {
  if (std::getenv("CAMBI_VULKAN_LEAVES") != nullptr) return;
  folder_ = testing::TempDir() + "leaving_driver_" + std::to_string(getpid());
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ / "leaving.json")
      << R"({"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_CAMBI_leaving", "type": "GLOBAL",)"
      << R"("library_path": ")" LEAVING_VULKAN R"(", "api_version": "1.3.0", "implementation_version": "1",)"
      << R"("description": "refuses late calls"
}
})";
  layers_.emplace("VK_INSTANCE_LAYERS", "VK_LAYER_CAMBI_leaving");
  path_.emplace("VK_LAYER_PATH", folder_.string());
  call_.emplace("CAMBI_VULKAN_LEAVES", call);
}

LeavingDriver::~LeavingDriver() {
  if (!folder_.empty()) std::filesystem::remove_all(folder_);
}

}  // namespace vq::test
