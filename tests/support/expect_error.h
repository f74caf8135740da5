// Checks that something is refused for the right reason: the error's kind and the arguments that its message
// names (options, values, files, sizes), whatever the sentence around them.
#pragma once

#include <initializer_list>

#include "core/error.h"
#include "tests/support/test.h"

namespace vq::test {

// Fails unless `run` throws an Error of this kind whose message has all `parts` in it. Returns the message.
// The last two are the caller's place, which Clang 14 does not have as std::source_location.
inline std::string expect_error(ErrorKind kind, std::initializer_list<std::string_view> parts,
                                const std::function<void()>& run, const char* file = __builtin_FILE(),
                                int line = __builtin_LINE()) {
  const ::testing::ScopedTrace trace(file, line, "expected an error");
  try {
    run();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    EXPECT_EQ(error.kind(), kind) << message;
    for (const std::string_view part : parts)
      EXPECT_NE(message.find(part), std::string_view::npos) << "no \"" << part << "\" in: " << message;
    return std::string(message);
  }
  ADD_FAILURE() << "nothing was thrown";
  return {};
}

}  // namespace vq::test
