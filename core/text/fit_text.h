// Wrapping and shortening of text for a terminal. A width of 0 columns means no terminal: text is unchanged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vq {

// Number of columns that the text takes, colour escapes not counted.
size_t shown_columns(std::string_view text);

// Shortens the text to at most `width` columns by replacing its middle with three dots: "episo...slow.mp4".
std::string shorten_middle(const std::string& text, size_t width);

// Shortens names that may differ in one place only. Cuts at the middle, the start or the end: the first of
// these that keeps different names different.
std::vector<std::string> shorten_names(const std::vector<std::string>& names, size_t width);

// Breaks lines that are too long between words. Continuation lines are indented to the line's second column
// if that follows two or more blanks, otherwise by two. A single word that is too long is shortened in the
// middle if `shortens`, otherwise left as it is.
std::string fit_text(const std::string& text, size_t width, bool shortens = false);

}  // namespace vq
