// Compressed text in a page, which cannot contain markup.
#pragma once

#include <string>
#include <string_view>

namespace vq::cli {

// Bytes as base64.
std::string base64(std::string_view bytes);

// The text deflated (the zlib format) as base64, which unpacked() in cli/pages/assets/base.js gives back byte
// for byte. Throws Error{kUsage} in a build without pages.
std::string packed_text(std::string_view text);

}  // namespace vq::cli
