#include "core/text.h"
#include "core/platform.h"
#include "core/text_table.h"
#include "tests/support/test.h"

namespace vq {
namespace {

TEST(Split, TakesPartsBetweenSeparators) {
  EXPECT_THAT(split("", ','), IsEmpty());
  EXPECT_THAT(split("a", ','), ElementsAre("a"));
  EXPECT_THAT(split("a,b c,", ','), ElementsAre("a", "b c"));
  EXPECT_THAT(split(",,a,,", ','), ElementsAre("", "", "a", ""));
  EXPECT_THAT(split("\n", '\n'), ElementsAre(""));
}

TEST(Split, TakesTheLinesOfAStream) {
  std::mt19937 random(1);
  for (int i = 0; i < 1000; ++i) {
    std::string text;
    for (uint32_t left = random() % 12; left > 0; --left) text += "a,\n"[random() % 3];
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    EXPECT_THAT(split(text, '\n'), ElementsAreArray(lines)) << text;
  }
}

TEST(Paths, AreTheSameTextAgain) {
  for (const std::string text : {"é漢 🎬/Ã©.mp4", "//a/./b/", "", "C:/x:y"}) {
    EXPECT_EQ(text_of(path_of(text)), text);
    EXPECT_EQ(text_of(path_of(text) / path_of("é")),
              text.ends_with('/') || text.empty() ? text + "é" : text + "/é");
  }
}

TEST(Words, StandAtThePlaceholders) {
  EXPECT_EQ(words("no placeholder"), "no placeholder");
  EXPECT_EQ(words("{}", "alone"), "alone");
  const std::string name = "a{}b";
  EXPECT_EQ(words("{} of {} frames of {}", 3, int64_t{1} << 40, name), "3 of 1099511627776 frames of a{}b");
  EXPECT_EQ(words("{}{}", std::string_view("x"), uint64_t{18446744073709551615U}), "x18446744073709551615");
}

TEST(Join, PutsSeparatorsBetween) {
  EXPECT_EQ(join(std::vector<std::string>(), ", "), "");
  EXPECT_EQ(join(std::vector<std::string>{"", "b", ""}, ", "), ", b, ");
  EXPECT_EQ(join(std::vector<int>{1, 2, 3}, "+", [](int i) { return std::to_string(i * i); }), "1+4+9");
}

TEST(NaturalOrder, CountsAsPeopleDo) {
  // Of names of one number the bytes decide: '.' comes before '0' and '0' before '1'.
  const std::vector<std::string> sorted = {"",
                                           "a",
                                           "a/b",
                                           "a/b.mkv",
                                           "a b",
                                           "a.mkv",
                                           "e0.mkv",
                                           "e00.mkv",
                                           "e01.mkv",
                                           "e1.mkv",
                                           "e2.mkv",
                                           "e10.mkv",
                                           "e99999999999999999999998.mkv",
                                           "e99999999999999999999999.mkv",
                                           "ep",
                                           "s1/e9",
                                           "s1/e10",
                                           "s2/e1",
                                           "s10/e1"};
  std::vector<std::string> shuffled = sorted;
  std::shuffle(shuffled.begin(), shuffled.end(), std::mt19937(1));
  std::ranges::sort(shuffled, natural_less);
  EXPECT_EQ(shuffled, sorted);
}

TEST(NaturalOrder, IsAnOrder) {
  const std::vector<std::string> names = {"",    "0",  "00", "1",    "01", "a", "a0", "a/",
                                          "a/0", "a.", "A",  "\xff", "10", "9", "9a", "9/"};
  for (const std::string& a : names) {
    EXPECT_FALSE(natural_less(a, a)) << a;
    for (const std::string& b : names) {
      if (a != b) {
        EXPECT_NE(natural_less(a, b), natural_less(b, a)) << a << " and " << b;
      }
      for (const std::string& c : names) {
        if (natural_less(a, b) && natural_less(b, c)) {
          EXPECT_TRUE(natural_less(a, c)) << a << ", " << b << ", " << c;
        }
      }
    }
  }
}

TextTable text_rows() {
  TextTable text_rows({{"name", kFlushLeft},
                       {"mean"},
                       {"p95", kFlushRight, 2},
                       {"max", kFlushRight, 1},
                       {"note", kFlushLeft}});
  text_rows.add({"caf\u00e9", "1.5", "22.125", "3", ""});
  text_rows.add({"b", "10.5", "2", "3", "x"});
  return text_rows;
}

TEST(TextTable, AlignsWhatPeopleSee) {
  EXPECT_EQ(text_rows().text(),
            "name  mean     p95  max  note\n"
            "caf\u00e9   1.5  22.125    3\n"
            "b     10.5       2    3  x\n");
}

TEST(TextTable, KnowsWideCharactersAndThoseWithoutAWidth) {
  EXPECT_EQ(columns_of("\u6620\u753b.mkv"), 8U);
  EXPECT_EQ(columns_of("\uc601\ud654"), 4U);
  EXPECT_EQ(columns_of("\U0001F3AC"), 2U);
  EXPECT_EQ(columns_of("cafe\u0301"), 4U);
  EXPECT_EQ(columns_of("\u0444\u0438\u043b\u044c\u043c"), 5U);
  EXPECT_EQ(columns_of("a\xff"
                       "b"),
            3U);  // no UTF-8
  EXPECT_EQ(columns_of(""), 0U);
  EXPECT_EQ(pad_right("\u6620\u753b", 6), "\u6620\u753b  ");
}

TEST(TextTable, LosesColumnsWhereItIsNarrow) {
  EXPECT_EQ(text_rows().lines(29)[0], "name  mean     p95  max  note");
  EXPECT_EQ(text_rows().lines(28)[0], "name  mean  max  note");
  EXPECT_EQ(text_rows().lines(20)[0], "name  mean  note");
  EXPECT_THAT(text_rows().lines(3), ElementsAre("name  mean  note", "caf\u00e9   1.5", "b     10.5  x"));
}

TEST(TextTable, ShortensNamesWhereThatIsNotEnough) {
  TextTable text_rows({{"#"}, {"run", kFlushLeft, 0, 8}, {"mean"}, {"max", kFlushRight, 1}});
  text_rows.add({"1", "episode_01_crf18.mp4", "1.25", "22.5"});
  text_rows.add({"2", "short", "2.5", "3"});
  EXPECT_EQ(text_rows.lines(0)[1], "1  episode_01_crf18.mp4  1.25  22.5");
  EXPECT_EQ(text_rows.lines(30)[1], "1  episode_01_crf18.mp4  1.25");
  EXPECT_THAT(text_rows.lines(24), ElementsAre("#  run              mean", "1  episod...18.mp4  1.25",
                                               "2  short             2.5"));
  EXPECT_EQ(text_rows.lines(5)[1], "1  ep...mp4  1.25");
}

TEST(TextTable, WrapsTheLastColumn) {
  TextTable text_rows({{"option", kFlushLeft}, {"meaning", kFlushLeft, 0, 0, true}});
  text_rows.add({"width", "the width at which it was encoded"});
  EXPECT_THAT(text_rows.lines(28),
              ElementsAre("option  meaning", "width   the width at which", "          it was encoded"));
  EXPECT_EQ(text_rows.lines(0).size(), 2U);
  // Other columns go only where too little is left for it.
  TextTable more({{"option", kFlushLeft}, {"default", kFlushLeft, 1}, {"meaning", kFlushLeft, 0, 0, true}});
  more.add({"width", "0", "the width at which it was encoded"});
  EXPECT_EQ(more.lines(47)[0], "option  default  meaning");
  EXPECT_EQ(more.lines(46)[0], "option  meaning");
}

// Text that is made to fit a terminal.

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
