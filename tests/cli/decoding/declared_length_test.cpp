#include "cli/decoding/damage/declared_length.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/decoding/damage/picture_numbering.h"

namespace vq::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// So many pictures of 25 a second.
DecodeProgress had_pictures(int64_t count) {
  const double end = static_cast<double>(count) / 25;
  return {
      .packets = count, .pictures = count, .end_seconds = end, .own_end_seconds = end, .is_regular = true};
}

TEST(DeclaredLength, NothingDeclaredIsNothingMissing) {
  EXPECT_THAT(shortage({}, {}), IsEmpty());
}

TEST(DeclaredLength, OneFrameOfThousandsIsMissed) {
  const DeclaredLength seconds{.seconds = 400};
  EXPECT_THAT(shortage(seconds, had_pictures(10'000)), IsEmpty());
  EXPECT_EQ(shortage(seconds, had_pictures(9'999)), "the file ended after 399.960 s of 400.000 s declared");
  const DeclaredLength packets{.packets = 10'000};
  EXPECT_EQ(shortage(packets, had_pictures(9'999)), "the file ended after 9999 of 10000 declared frames");
  // Where the last picture may be of any length, and the duration that of another stream, a little is let
  // pass.
  DecodeProgress uneven = had_pictures(9'999);
  uneven.is_regular = false;
  EXPECT_THAT(shortage(seconds, uneven), IsEmpty());
  uneven.end_seconds = 390;
  EXPECT_THAT(shortage(seconds, uneven), HasSubstr("390.000 s of 400.000 s"));
}

TEST(DeclaredLength, TimesOfDecodingLagBehindThoseOfDisplay) {
  DecodeProgress had = had_pictures(98);
  EXPECT_THAT(shortage({.seconds = 4}, had), HasSubstr("3.920 s of 4.000 s"));
  had.reordered_pictures = 2;
  EXPECT_THAT(shortage({.seconds = 4}, had), IsEmpty());
}

TEST(DeclaredLength, OneOfTwoMeasuresIsEnoughUnlessEachPacketIsGivenOut) {
  DeclaredLength declared{.packets = 101, .seconds = 4};
  EXPECT_THAT(shortage(declared, had_pictures(100)), IsEmpty());
  EXPECT_THAT(shortage(declared, had_pictures(99)), HasSubstr("99 of 101"));
  declared.packets_decide = true;
  EXPECT_THAT(shortage(declared, had_pictures(100)), HasSubstr("100 of 101"));
  declared.packet_slack = 1;
  EXPECT_THAT(shortage(declared, had_pictures(100)), IsEmpty());
}

TEST(DeclaredLength, BytesCountUnlessAllPicturesAreThere) {
  DeclaredLength declared{.bytes = 1000};
  DecodeProgress had = had_pictures(100);
  EXPECT_THAT(shortage(declared, had), IsEmpty());  // a pipe, whose end nobody saw
  had.bytes = 1000;
  EXPECT_THAT(shortage(declared, had), IsEmpty());
  had.bytes = 999;
  EXPECT_EQ(shortage(declared, had), "the file ended after 999 of 1000 declared bytes");
  declared.seconds = 4;
  EXPECT_THAT(shortage(declared, had), IsEmpty());
  had.missing_pictures = 1;
  EXPECT_THAT(shortage(declared, had), HasSubstr("999 of 1000"));
  had.missing_pictures = 0;
  declared.bytes_decide = true;
  EXPECT_THAT(shortage(declared, had), HasSubstr("999 of 1000"));
}

TEST(DisplayOrder, CountsWhatIsMissingInAGap) {
  DisplayOrder order;
  for (const int64_t time : {0, 40, 80}) order.add(time);
  EXPECT_FALSE(order.is_regular());
  EXPECT_EQ(order.add_after_gap(200), std::nullopt);  // too early to speak of a usual distance
  order = {};
  for (const int64_t time : {0, 40, 80, 120}) order.add(time);
  EXPECT_TRUE(order.is_regular());
  EXPECT_EQ(order.step(), 40);
  EXPECT_EQ(order.add_after_gap(160), 0);
  EXPECT_EQ(order.add_after_gap(280), 2);
  EXPECT_TRUE(order.is_regular());
  // No group of frames is that long, and 1.5 frames are no number of frames.
  EXPECT_EQ(order.add_after_gap(280 + 40 * 40), std::nullopt);
  order = {};
  for (const int64_t time : {0, 40, 80, 120}) order.add(time);
  EXPECT_EQ(order.add_after_gap(180), std::nullopt);
}

TEST(DisplayOrder, AStepMayBeAssumedWhereTooFewPicturesCame) {
  DisplayOrder order;
  order.add(0);
  EXPECT_EQ(order.add_after_gap(80), std::nullopt);
  DisplayOrder assumed;
  assumed.assume_step(40);
  EXPECT_EQ(assumed.add_after_gap(0), std::nullopt);
  EXPECT_EQ(assumed.add_after_gap(80), 1);
  EXPECT_EQ(assumed.add_after_gap(120), 0);
  DisplayOrder known;
  for (const int64_t time : {0, 80, 160, 240}) known.add(time);
  known.assume_step(40);
  EXPECT_EQ(known.step(), 80);
}

TEST(DisplayOrder, TimesMayBeRoundedAndCountsMayNot) {
  DisplayOrder milliseconds;
  for (const int64_t time : {0, 17, 33, 50, 67}) milliseconds.add(time);
  EXPECT_EQ(milliseconds.add_after_gap(117), 2);
  DisplayOrder counts;
  for (const int64_t count : {0, 2, 4, 6, 9}) counts.add(count);
  EXPECT_FALSE(counts.is_regular());
}

TEST(DisplayOrder, ACountThatStartsAnewIsNoGap) {
  DisplayOrder order;
  for (const int64_t count : {0, 2, 4, 6, 0, 2, 4}) order.add(count);
  EXPECT_TRUE(order.is_regular());
  EXPECT_EQ(order.add_after_gap(0), std::nullopt);
  order.add(std::nullopt);
  EXPECT_FALSE(order.is_regular());
}

}  // namespace
}  // namespace vq::cli
