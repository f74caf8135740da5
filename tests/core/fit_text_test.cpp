// Text that is made to fit a terminal.
#include "core/text/fit_text.h"

#include <gmock/gmock.h>

#include <sstream>

#include "core/text/text_table.h"

namespace vq {
namespace {

TEST(ShortenMiddle, KeepsBothEnds) {
  EXPECT_EQ(shorten_middle("episode_01_slow.mp4", 19), "episode_01_slow.mp4");
  EXPECT_EQ(shorten_middle("episode_01_slow.mp4", 13), "episo...w.mp4");
  EXPECT_EQ(shorten_middle("episode_01_slow.mp4", 12), "epis...w.mp4");
  EXPECT_EQ(shorten_middle("abcdefgh", 4), "...h");
  EXPECT_EQ(shorten_middle("abcdefgh", 3), "abc");
  EXPECT_EQ(shorten_middle("abcdefgh", 0), "");
}

TEST(ShortenMiddle, NeverBreaksACharacter) {
  const std::string film = "\u6620\u753b\u6620\u753b\u6620\u753b.mkv";  // two columns each, and four
  for (size_t width = 3; width < 16; ++width) {
    const std::string text = shorten_middle(film, width);
    EXPECT_LE(columns_of(text), width);
  }
  EXPECT_EQ(shorten_middle(film, 10), "\u6620....mkv");
}

TEST(ShortenNames, KeepsWhatDiffersWhereverThatIs) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(shorten_names({"show_crf18_slow.mp4", "show_crf28_slow.mp4"}, 17),
            (Names{"...crf18_slow.mp4", "...crf28_slow.mp4"}));
  EXPECT_EQ(shorten_names({"a_long_name_one", "b_long_name_one"}, 9), (Names{"a_l...one", "b_l...one"}));
  EXPECT_EQ(shorten_names({"01234567_a.....................", "01234567_b....................."}, 14),
            (Names{"01234567_a....", "01234567_b...."}));
  EXPECT_EQ(shorten_names({"same_long_name", "same_long_name"}, 9), (Names{"sam...ame", "sam...ame"}));
  EXPECT_EQ(shorten_names({"short", "names"}, 9), (Names{"short", "names"}));
}

TEST(ShownColumns, DoNotCountColours) {
  EXPECT_EQ(shown_columns("\x1b[33m5.25\x1b[0m"), 4U);
  EXPECT_EQ(shown_columns("\x1b[K"), 0U);
  EXPECT_EQ(shown_columns("plain"), 5U);
}

TEST(FitText, BreaksBetweenWords) {
  EXPECT_EQ(fit_text("one two three four\n", 10), "one two\n  three\n  four\n");
  EXPECT_EQ(fit_text("one two\nthree\n", 10), "one two\nthree\n");
  EXPECT_EQ(fit_text("one two three four\n", 0), "one two three four\n");
  EXPECT_EQ(fit_text("", 10), "");
  EXPECT_EQ(fit_text("one two three", 8), "one two\n  three");
}

TEST(FitText, GoesOnBelowTheSecondColumn) {
  EXPECT_EQ(fit_text("key   some words of it\n", 18), "key   some words\n      of it\n");
  // What stands there anyway is not moved to a line of its own.
  EXPECT_EQ(fit_text("key   a_very_long_word it\n", 16), "key   a_very_long_word\n      it\n");
  EXPECT_EQ(fit_text("key   a_very_long_word it\n", 16, true), "key   a_v...word\n      it\n");
  // One that is far to the right leaves no room.
  EXPECT_EQ(fit_text("a_long_name   some words\n", 18), "a_long_name   some\n  words\n");
  EXPECT_EQ(fit_text("  two words here\n", 12), "  two words\n    here\n");
}

TEST(FitText, LinesThatBeginFarToTheRightBeginEarlier) {
  EXPECT_EQ(fit_text("                    some words here\n", 20), "        some words\n        here\n");
}

TEST(FitText, KeepsColours) {
  EXPECT_EQ(fit_text("\x1b[33mone\x1b[0m two three", 7), "\x1b[33mone\x1b[0m two\n  three");
}

TEST(FitText, ShortensOnlyWhereItIsAskedTo) {
  EXPECT_EQ(fit_text("of /folder/with/a/name.mp4 it", 12), "of\n  /folder/with/a/name.mp4\n  it");
  EXPECT_EQ(fit_text("of /folder/with/a/name.mp4 it", 12, true), "of\n  /fo....mp4\n  it");
}

TEST(FitText, IsNeverTooWide) {
  const std::string text =
      "The first of  two columns, and a very_long_word_that_fits_nowhere in between.\n  An indented line, "
      "too.\n";
  for (size_t width = 12; width < 90; ++width) {
    std::istringstream lines(fit_text(text, width, true));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(columns_of(line), width) << line;
  }
}

}  // namespace
}  // namespace vq
