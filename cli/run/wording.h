// What the engine has to say, with the flags that help.
#pragma once

#include <string>

#include "engine/settle.h"

namespace vq::cli {

std::string in_words(const Diagnostic& diagnostic);

// As select(), with errors in words.
Selection select_features(const Request& request);

}  // namespace vq::cli
