#include "cli/system/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vq::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class MessagesTest : public ::testing::Test {
 protected:
  std::vector<std::string> lines_;
  Messages messages_{[this](std::string_view line) { lines_.emplace_back(line); }};
};

TEST_F(MessagesTest, AreLines) {
  messages_.warn("a\nb");
  messages_.note("c");
  messages_.error("d\x1b[31m");
  messages_.finish();
  EXPECT_THAT(lines_, ElementsAre("cambi: warning: a\\nb\n", "cambi: c\n", "cambi: error: d\\x1b[31m\n"));
  EXPECT_THAT(messages_.warnings(), ElementsAre("a\\nb"));
}

TEST_F(MessagesTest, AreAnnotationsAsWellWhereThatIsWanted) {
  messages_.annotate();
  messages_.warn("50% of\nit");
  messages_.note("no");
  messages_.error("a: b");
  EXPECT_THAT(lines_, ElementsAre("cambi: warning: 50% of\\nit\n::warning title=cambi::50%25 of\\nit\n",
                                  "cambi: no\n", "cambi: error: a: b\n::error title=cambi::a: b\n"));
}

TEST(GithubAnnotation, IsOneLine) {
  EXPECT_EQ(github_annotation("notice", "1 %\r\n::error::x"), "::notice title=cambi::1 %25%0D%0A::error::x");
}

TEST_F(MessagesTest, FloodsOfWarningsAreCounted) {
  for (int i = 0; i < 23; ++i) messages_.warn("number " + std::to_string(i));
  ASSERT_EQ(lines_.size(), 20U);
  EXPECT_THAT(lines_.back(), HasSubstr("number 19"));
  messages_.finish();
  EXPECT_EQ(lines_.size(), 21U);
  EXPECT_EQ(lines_.back(), "cambi: warning: 3 more warnings\n");
  EXPECT_EQ(messages_.warnings().size(), 23U);
}

TEST_F(MessagesTest, NotMoreThanAReportHoldsIsKept) {
  for (int i = 0; i < 5000; ++i) messages_.warn("again");
  EXPECT_EQ(messages_.warnings().size(), 1000U);
  messages_.finish();
  EXPECT_EQ(lines_.back(), "cambi: warning: 4980 more warnings\n");
}

}  // namespace
}  // namespace vq::cli
