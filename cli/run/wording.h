// What the engine has to say, with the flags that help.
#pragma once

#include <string>

#include "engine/diagnostic.h"

namespace vq::cli {

std::string in_words(const Diagnostic& diagnostic);

// What an error says, with the flags that help.
std::string in_words(const Error& error);

}  // namespace vq::cli
