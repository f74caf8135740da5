#include "cli/pictures/bitmap_font.h"
#include "cli/pictures/lettering.h"

namespace vq::cli {

int text_height(int scale) {
  return kGlyphHeight * scale;
}

int text_width(std::string_view text, int scale) {
  return dots_width(text, scale);
}

void draw_text(RgbImage& image, int x, int y, std::string_view text, const TextStyle& style) {
  draw_dots(image, x, y, text, style);
}

}  // namespace vq::cli
