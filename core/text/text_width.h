// How wide text is on a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace vq {

// Columns that UTF-8 text takes on a terminal: two for each wide character, as of Chinese, none for a
// combining one. Where the system cannot tell, and of what is no UTF-8, every character takes one.
size_t columns_of(std::string_view text);
// The text with blanks behind it, `width` columns or more.
std::string pad_right(std::string text, size_t width);

}  // namespace vq
