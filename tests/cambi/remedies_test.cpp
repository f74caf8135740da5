// What is advised follows from what is known of the video and its source.
#include "feature/cambi/cambi.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace vq::cambi {
namespace {

bool advises(const ScoredVideo& video, std::string_view title) {
  const std::vector<Remedy> all = remedies(video);
  return std::any_of(all.begin(), all.end(), [&](const Remedy& one) { return one.title == title; });
}

TEST(Remedies, MoreBitsAreForVideoThatHasFew) {
  EXPECT_TRUE(advises({.bit_depth = 8}, "Encode with 10 bits"));
  EXPECT_TRUE(advises({.bit_depth = 0}, "Encode with 10 bits"));
  EXPECT_FALSE(advises({.bit_depth = 10}, "Encode with 10 bits"));
  EXPECT_FALSE(advises({.bit_depth = 12}, "Dither where bit depth is reduced"));
}

TEST(Remedies, TheSourceComesFirst) {
  EXPECT_EQ(remedies({.bit_depth = 8}).front().title, "Score the source as well");
  EXPECT_EQ(remedies({.bit_depth = 8, .reference_noteworthy = 0.25}).front().title, "Deband the source");
  EXPECT_EQ(remedies({.bit_depth = 8}).front().title, "Score the source as well");
  EXPECT_EQ(remedies({.bit_depth = 8, .has_reference = true}).front().title,
            "Look for banding in the reference as well");
  EXPECT_EQ(remedies({.bit_depth = 8, .reference_noteworthy = 0.01}).back().title, "Deband the source");
  for (const std::string_view title : {"Score the source as well", "Deband the source"}) {
    EXPECT_FALSE(advises({.bit_depth = 8, .reference_noteworthy = 0}, title)) << title;
  }
  EXPECT_FALSE(advises({.bit_depth = 8, .reference_noteworthy = 0.25}, "Score the source as well"));
}

}  // namespace
}  // namespace vq::cambi
