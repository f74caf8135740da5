#include "core/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <sstream>
#include <string>
#include <vector>

namespace vq {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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
    EXPECT_THAT(split(text, '\n'), testing::ElementsAreArray(lines)) << text;
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

}  // namespace
}  // namespace vq
