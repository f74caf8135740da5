// Names of files as they stand in texts.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace vq {

// The file that UTF-8 text names; where names are bytes, any bytes. Windows would take a plain string for
// text of another encoding.
inline std::filesystem::path path_of(std::string_view text) {
  return std::u8string(text.begin(), text.end());
}

}  // namespace vq
