// Text for people made to fit a terminal. A width of 0 columns means that there is none: then text stays as
// it is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace vq {

// The columns that the text takes, without the escapes that colour it.
size_t shown_columns(std::string_view text);

// "episo...slow.mp4": so many columns or fewer, three dots in the place of the middle. What fits stays as it
// is.
std::string shorten_middle(const std::string& text, size_t width);

// The same for names of which some may differ at one place only: shortened in the middle, at the start or at
// the end, the first of these that leaves different names different.
std::vector<std::string> shorten_names(const std::vector<std::string>& names, size_t width);

// Lines that are too long are broken between words; what follows is indented to where the second column of
// the line begins, if two blanks or more are before it, else by two. A word that fits no line by itself is
// shortened in the middle where `shortens`, and otherwise left as it is.
std::string fit_text(const std::string& text, size_t width, bool shortens = false);

}  // namespace vq
