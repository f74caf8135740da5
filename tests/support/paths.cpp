#include "tests/support/paths.h"

#include <cstdlib>

namespace vq {

std::string testdata(const std::string& path) { return TESTDATA_DIR "/" + path; }

static const char* other_program() { return std::getenv("CAMBI_TESTED_PROGRAM"); }

bool is_other_program() { return other_program() != nullptr; }

const std::string& cambi_program() {
  static const std::string path = is_other_program() ? other_program() : CAMBI_PROGRAM;
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
