// What tests on devices that lack something or fail share: the layer in failing_vulkan.cpp, which makes them
// so.
#pragma once

#include "tests/support/bad_input.h"

namespace vq::cli::test {

class SpoiltDeviceTest : public BadInputTest {
 protected:
  SpoiltDeviceTest() {
    std::filesystem::create_directory(in_folder("layers"));
    made("layers/failing.json",
         R"({"file_format_version": "1.2.0", "layer": {"name": "VK_LAYER_CAMBI_failing", "type": "GLOBAL",)"
         R"("library_path": ")" +
             failing_vulkan_module() +
             R"(", "api_version": "1.3.0", "implementation_version": "1",)"
             R"("description": "makes calls fail"}})");
  }

  // With one of the variables that the layer reads.
  ProgramOptions spoilt(const std::string& variable, const std::string& value) const {
    return {.environment = {{variable, value},
                            {"VK_INSTANCE_LAYERS", "VK_LAYER_CAMBI_failing"},
                            {"VK_LAYER_PATH", in_folder("layers")}}};
  }
  // The at-th use of a call, counted from 0, gives that VkResult.
  ProgramOptions failing(const std::string& call, int at, int result) const {
    return spoilt("CAMBI_VULKAN_FAULT", call + ":" + std::to_string(at) + ":" + std::to_string(result));
  }
};

}  // namespace vq::cli::test
