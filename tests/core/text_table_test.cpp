#include "core/text/text_table.h"

#include <gmock/gmock.h>

namespace vq {
namespace {

using ::testing::ElementsAre;

TextTable text_rows() {
  TextTable text_rows({{"name", TextColumn::Align::kLeft},
                       {"mean"},
                       {"p95", TextColumn::Align::kRight, 2},
                       {"max", TextColumn::Align::kRight, 1},
                       {"note", TextColumn::Align::kLeft}});
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
  TextTable text_rows(
      {{"#"}, {"run", TextColumn::Align::kLeft, 0, 8}, {"mean"}, {"max", TextColumn::Align::kRight, 1}});
  text_rows.add({"1", "episode_01_crf18.mp4", "1.25", "22.5"});
  text_rows.add({"2", "short", "2.5", "3"});
  EXPECT_EQ(text_rows.lines(0)[1], "1  episode_01_crf18.mp4  1.25  22.5");
  EXPECT_EQ(text_rows.lines(30)[1], "1  episode_01_crf18.mp4  1.25");
  EXPECT_THAT(text_rows.lines(24), ElementsAre("#  run              mean", "1  episod...18.mp4  1.25",
                                               "2  short             2.5"));
  EXPECT_EQ(text_rows.lines(5)[1], "1  ep...mp4  1.25");
}

TEST(TextTable, WrapsTheLastColumn) {
  TextTable text_rows(
      {{"option", TextColumn::Align::kLeft}, {"meaning", TextColumn::Align::kLeft, 0, 0, true}});
  text_rows.add({"width", "the width at which it was encoded"});
  EXPECT_THAT(text_rows.lines(28),
              ElementsAre("option  meaning", "width   the width at which", "          it was encoded"));
  EXPECT_EQ(text_rows.lines(0).size(), 2U);
  // Other columns go only where too little is left for it.
  TextTable more({{"option", TextColumn::Align::kLeft},
                  {"default", TextColumn::Align::kLeft, 1},
                  {"meaning", TextColumn::Align::kLeft, 0, 0, true}});
  more.add({"width", "0", "the width at which it was encoded"});
  EXPECT_EQ(more.lines(47)[0], "option  default  meaning");
  EXPECT_EQ(more.lines(46)[0], "option  meaning");
}

}  // namespace
}  // namespace vq
