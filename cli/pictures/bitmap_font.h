// A small font for captions in pictures: capital letters, digits and a few signs of 5 x 7 dots.
#pragma once

#include <string_view>

#include "cli/pictures/picture.h"

namespace vq::cli {

inline constexpr int kGlyphHeight = 7;
inline constexpr int kGlyphAdvance = 6;  // five dots and a gap

struct TextStyle {
  Colour colour = {230, 230, 230};
  int scale = 1;  // pixels a dot
};

// Columns the text takes, without the gap after the last letter.
int text_width(std::string_view text, int scale);

// Draws with the top left dot at (x, y); what lies outside the picture is cut. Small letters are shown as
// capitals, characters the font lacks as an empty box.
void draw_text(RgbImage& image, int x, int y, std::string_view text, const TextStyle& style);

}  // namespace vq::cli
