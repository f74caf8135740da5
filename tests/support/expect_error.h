// Checks that something is refused for the right reason: the error's kind and the arguments that its message
// names (options, values, files, sizes), whatever the sentence around them.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <source_location>
#include <string>
#include <string_view>

#include "core/error.h"

namespace vq::test {

// Fails unless `run` throws an Error of this kind whose message has all `parts` in it.
inline void expect_error(ErrorKind kind, std::initializer_list<std::string_view> parts,
                         const std::function<void()>& run,
                         const std::source_location& caller = std::source_location::current()) {
  const ::testing::ScopedTrace trace(caller.file_name(), static_cast<int>(caller.line()), "expected an error");
  try {
    run();
  } catch (const Error& error) {
    const std::string_view message = error.what();
    EXPECT_EQ(error.kind(), kind) << message;
    for (const std::string_view part : parts) {
      EXPECT_NE(message.find(part), std::string_view::npos) << "no \"" << part << "\" in: " << message;
    }
    return;
  }
  ADD_FAILURE() << "nothing was thrown";
}

}  // namespace vq::test
