// What the engine has to say, with the flags that help.
#pragma once

#include <string>

#include "engine/analysis/alignment.h"
#include "engine/request.h"

namespace vq::cli {

std::string in_words(const Diagnostic& diagnostic);

// What an error says, with the flags that help.
std::string in_words(const Error& error);

// "--frame_skip_dist 3", "--frame_skip_ref 2", or both; empty where nothing is skipped.
std::string skip_flags(const Skips& skips);

}  // namespace vq::cli
