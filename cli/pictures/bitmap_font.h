// A small font for captions in pictures, where there is no other: capital letters, digits and a few signs of 5 x 7 dots.
#pragma once

#include <string_view>

#include "cli/pictures/lettering.h"
#include "cli/pictures/picture.h"

namespace vq::cli {

inline constexpr int kGlyphHeight = 7;
inline constexpr int kGlyphAdvance = 6;  // five dots and a gap

// As text_width() of lettering.h; a dot has `scale` pixels a side.
int dots_width(std::string_view text, int scale);

// As draw_text(). Small letters are shown as capitals.
void draw_dots(RgbImage& image, int x, int y, std::string_view text, const TextStyle& style);

}  // namespace vq::cli
