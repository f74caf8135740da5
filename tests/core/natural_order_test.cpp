#include "core/text/natural_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace vq {
namespace {

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
  std::sort(shuffled.begin(), shuffled.end(), natural_less);
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

}  // namespace
}  // namespace vq
