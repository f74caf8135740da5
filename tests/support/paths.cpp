#include "tests/support/paths.h"

namespace vq {

std::string testdata(const std::string& path) {
  return TESTDATA_DIR "/" + path;
}

const std::string& cambi_program() {
  static const std::string path = CAMBI_PROGRAM;
  return path;
}

const std::string& failing_calls_module() {
  static const std::string path = FAILING_CALLS;
  return path;
}

const std::string& failing_vulkan_module() {
  static const std::string path = FAILING_VULKAN;
  return path;
}

}  // namespace vq
