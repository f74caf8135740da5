// Width of text on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vq {

// Number of columns that UTF-8 text takes on a terminal: two for each wide (such as Chinese) character, none
// for a combining one. If the locale cannot tell, or the text is not UTF-8, every character counts as one.
size_t columns_of(std::string_view text);
// The text padded with trailing blanks to `width` columns.
std::string pad_right(std::string text, size_t width);

}  // namespace vq
