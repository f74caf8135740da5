#include "cli/pictures/lettering.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace vq::cli {
namespace {

// What is inked of a picture with this text in the middle.
Rectangle inked(const std::string& text, int scale) {
  RgbImage image(400, 100);
  draw_text(image, 100, 40, text, {{255, 255, 255}, scale});
  int left = 400, right = 0, top = 100, bottom = 0;
  for (int y = 0; y < 100; ++y) {
    for (int x = 0; x < 400; ++x) {
      if (image.at(x, y).green < 128) continue;
      left = std::min(left, x);
      right = std::max(right, x + 1);
      top = std::min(top, y);
      bottom = std::max(bottom, y + 1);
    }
  }
  return {left, top, right - left, bottom - top};
}

TEST(Lettering, StandsWhereItIsAskedTo) {
  for (const int scale : {1, 2, 3}) {
    const Rectangle ink = inked("HE8", scale);
    EXPECT_NEAR(ink.x, 100, 2 * scale);
    EXPECT_NEAR(ink.y, 40, 1);
    EXPECT_NEAR(ink.height, text_height(scale), 1);
    EXPECT_NEAR(ink.width, text_width("HE8", scale), 3 * scale);
  }
}

TEST(Lettering, HasACharacterForEachOfUtf8) {
  for (const char* text : {"\u00e9", "\u20ac", "\U0001F600", "\u0416"}) {
    EXPECT_GT(inked(text, 2).width, 0) << text;
    EXPECT_LT(text_width(text, 2), 40) << text;
  }
  EXPECT_LT(text_width("\u00e9", 1), text_width("ee", 1));
}

TEST(Lettering, BytesThatAreNoTextDoNoHarm) {
  for (const char* text : {"\xff", "\xc3", "a\xe2\x82", "\xf0\x9f", "\x80\x80", "\xc0\x80"}) {
    RgbImage image(20, 20);
    draw_text(image, 0, 5, text, {});
    EXPECT_GE(text_width(text, 1), 0);
  }
}

TEST(Lettering, LongNamesLoseTheirMiddle) {
  const std::string name = "a_very_long_name_of_an_episode.x265.crf24.mkv";
  EXPECT_EQ(fitted_text(name, 2000, 1), name);
  const std::string shorter = fitted_text(name, 120, 1);
  EXPECT_LE(text_width(shorter, 1), 120);
  EXPECT_GT(text_width(shorter, 1), 80);
  EXPECT_EQ(shorter.substr(0, 2), "a_");
  EXPECT_EQ(shorter.substr(shorter.size() - 3), "mkv");
  EXPECT_NE(shorter.find("..."), shorter.npos);
  EXPECT_EQ(fitted_text(name, 1, 1), "");
  EXPECT_EQ(fitted_text("", 10, 1), "");
  EXPECT_EQ(fitted_text("", -10, 1), "");
  EXPECT_EQ(fitted_text("a", -10, 1), "");
  EXPECT_EQ(fitted_text("\x80\x80\x80", -10, 1), "");  // no character begins
  // Characters stay whole.
  const std::string wide = fitted_text("\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac\u20ac",
                                       text_width("\u20ac\u20ac\u20ac....", 1), 1);
  EXPECT_EQ((wide.size() - 3) % 3, 0U) << wide;
}

}  // namespace
}  // namespace vq::cli
