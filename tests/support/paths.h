// Where the tests find their data and the programs under test, and how these were built. The build gives the
// folders to paths.cpp alone, so that every other object is the same in each checkout.
#pragma once

#include <string>

namespace vq {

// Whether sanitizers watch the program and the tests. Clang says so in its own way.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// The absolute path of something in testdata/: testdata("clips/sky_640x360_8b.mp4").
std::string testdata(const std::string& path);

// The absolute path of the program under test: what CAMBI_TESTED_PROGRAM says, or that of this build.
const std::string& cambi_program();
bool is_other_program();  // whether that is not the one of this build

// The absolute paths of the modules that stand in for calls of the system and of Vulkan.
const std::string& failing_calls_module();
const std::string& failing_vulkan_module();  // empty in a build without Vulkan

}  // namespace vq
