#include "tests/support/leaving_driver.h"

namespace vq::test {

LeavingDriver::LeavingDriver(const std::string& call) {
  if (std::getenv("CAMBI_VULKAN_LEAVES") != nullptr) return;
  folder_.emplace();
  std::ofstream(folder_->path() + "/leaving.json")
      << R"({"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_CAMBI_leaving", "type": "GLOBAL",)"
      << R"("library_path": ")" FAILING_VULKAN R"(", "api_version": "1.3.0", "implementation_version": "1",)"
      << R"("description": "refuses late calls"
}
})";
  layers_.emplace("VK_INSTANCE_LAYERS", "VK_LAYER_CAMBI_leaving");
  path_.emplace("VK_LAYER_PATH", folder_->path());
  call_.emplace("CAMBI_VULKAN_LEAVES", call);
}

}  // namespace vq::test
