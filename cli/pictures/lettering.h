// Captions in pictures, in DejaVu Sans.
#pragma once

#include <string>
#include <string_view>

#include "cli/pictures/picture.h"

namespace vq::cli {

struct TextStyle {
  Colour colour = {230, 230, 230};
  int scale = 1;  // 1 is the smallest that can be read
};

// From the top of capitals and digits to the line that they stand on.
int text_height(int scale);

// Columns the text takes. It is UTF-8; what is none, and letters that the font lacks, are empty boxes.
int text_width(std::string_view text, int scale);

// Draws with the top left corner of the first capital at (x, y); what lies outside the picture is cut.
void draw_text(RgbImage& image, int x, int y, std::string_view text, const TextStyle& style);

// The text, or its start and its end with dots between where it is wider than that.
std::string fitted_text(const std::string& text, int width, int scale);

// The font, a TrueType file that is part of the program: pictures look the same on every machine, also where
// no font is installed. Made by cli/pictures/embed_font.py.
std::string_view lettering_font();

}  // namespace vq::cli
