#include "tests/support/paths.h"

#include <cstdlib>

namespace vq {

std::string testdata(const std::string& path) { return TESTDATA_DIR "/" + path; }

const std::string& cambi_program() {
  static const char* const other = std::getenv("CAMBI_TESTED_PROGRAM");
  static const std::string path = other != nullptr ? other : CAMBI_PROGRAM;
  return path;
}

bool is_other_program() { return cambi_program() != CAMBI_PROGRAM; }

const std::string& failing_calls_module() {
  static const std::string path = FAILING_CALLS;
  return path;
}

const std::string& failing_vulkan_module() {
  static const std::string path = FAILING_VULKAN;
  return path;
}

}  // namespace vq
