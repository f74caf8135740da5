// What there is to choose from, as JSON arrays for programs.
#pragma once

#include <string>

namespace vq {

std::string features_json();  // name, summary, backends, options and metrics of each
std::string models_json();    // built-in models: name, purpose, and the display each is for
std::string devices_json();   // Vulkan devices; see vulkan::DeviceInfo

}  // namespace vq
