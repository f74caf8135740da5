#include "cli/reports/frame_match.h"

#include <gtest/gtest.h>

#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"

namespace vq::cli {
namespace {

// A frame for each letter, from frame `first` on, ten a second.
FrameWords matched_video(const std::string& path, const std::string& letters, int64_t first = 0) {
  FrameWords made{.path = path, .frames = {}, .timestamps = {}, .words = {"hash", {}}};
  for (size_t i = 0; i < letters.size(); ++i) {
    made.frames.push_back(first + static_cast<int64_t>(i));
    made.timestamps.emplace_back(0.1 * static_cast<double>(i));
    made.words.values.emplace_back(1, letters[i]);
  }
  return made;
}

FrameMatch match(const std::string& a, const std::string& b) {
  return match_frames(matched_video("a", a), matched_video("b", b));
}

TEST(FrameMatch, TextsAreAsReviewed) {
  vq::test::GoldenTexts golden("reports/frame_match.txt");
  for (const auto& [a, b] : {std::pair("abca", "abca"),
                             {"abcdef", "abXdeY"},
                             {"abcd", "abc"},
                             {"abc", "abcd"},
                             {"abcdef", "XYabcd"},
                             {"abcdef", "bcdXf"}}) {
    golden.add(std::string(a) + " and " + b, match_text(match(a, b)));
  }
  const std::vector<FrameWords> videos = {matched_video("a", "abc"), matched_video("b", "Xab")};
  golden.add("JSON", without_version(frame_words_json(videos, std::nullopt)));
  golden.add("JSON, compared", without_version(frame_words_json(videos, match_frames(videos[0], videos[1]))));
}

TEST(FrameMatch, FindsWhereVideosDiffer) {
  EXPECT_TRUE(match("abca", "abca").same());
  EXPECT_FALSE(match("abca", "abca").first);
  const FrameMatch other = match("abcdef", "abXdeY"), shorter = match("abcd", "abc"),
                   longer = match("abc", "abcd");
  EXPECT_FALSE(other.same() || shorter.same() || longer.same());
  EXPECT_EQ(other.equal, 4);
  EXPECT_EQ(other.first->frame, 2);
  EXPECT_EQ(shorter.only_in_a, 1);
  EXPECT_EQ(shorter.first->frame, 3);
  EXPECT_EQ(longer.only_in_b, 1);
  EXPECT_EQ(longer.first->frame, 3);
  EXPECT_FALSE(shorter.shift);
}

TEST(FrameMatch, FindsAShiftEitherWay) {
  const FrameMatch later = match("abcdef", "XYabcd"), earlier = match("abcdef", "bcdXf");
  ASSERT_TRUE(later.shift && earlier.shift);
  EXPECT_EQ(later.shift->offset, 2);
  EXPECT_EQ(later.shift->common, 4);
  EXPECT_EQ(later.shift->equal, 4);
  EXPECT_EQ(later.shift->first, 0);
  EXPECT_EQ(later.shift->run, 4);
  EXPECT_EQ(earlier.shift->offset, -1);
  EXPECT_EQ(earlier.shift->common, 5);
  EXPECT_EQ(earlier.shift->equal, 4);
  EXPECT_EQ(earlier.shift->first, 1);
  EXPECT_EQ(earlier.shift->run, 3);
}

// Film whose frames are repeated two and three times, cut in the middle of such a run.
TEST(FrameMatch, FindsAShiftOfRepeatedFrames) {
  const std::string film = "aabbbccdddeefffgghhh";
  const FrameMatch result = match(film, film.substr(3));
  ASSERT_TRUE(result.shift);
  EXPECT_EQ(result.shift->offset, -3);
  EXPECT_EQ(result.shift->equal, 17);
  EXPECT_EQ(result.shift->run, 17);
}

// A still says nothing about when it is, and a word that comes up again could be either.
TEST(FrameMatch, StillsAndWordsThatReturnTellNoShift) {
  EXPECT_FALSE(match("aaaa", "aaa").shift);
  EXPECT_FALSE(match("abab", "baba").shift);
  EXPECT_FALSE(match("abcd", "efgh").shift);
}

// One frame alike by chance or by design, such as a black one, is no shift where more are alike as they are.
TEST(FrameMatch, TellsAShiftOnlyWhereItExplainsMore) {
  EXPECT_FALSE(match("abcdZfgh", "abcXeZgh").shift);
  EXPECT_FALSE(match("abcdefgh", "ZZZbcdZZZ").shift);     // three of the seven in common
  EXPECT_FALSE(match("xxxxxxqxab", "xxxxxxqabx").shift);  // seven as they are, seven a frame earlier
  EXPECT_TRUE(match("abcdefgh", "ZZZbcdeZZ").shift);      // four of them
}

// Numbers of frames count, not places in the list: damage may have left some out.
TEST(FrameMatch, FramesMeetByTheirNumbers) {
  FrameWords a = matched_video("a", "abcde"), b = a;
  b.path = "b";
  b.frames.erase(b.frames.begin() + 1);
  b.timestamps.erase(b.timestamps.begin() + 1);
  b.words.values.erase(b.words.values.begin() + 1);
  const FrameMatch result = match_frames(a, b);
  EXPECT_EQ(result.frames, 5);
  EXPECT_EQ(result.equal, 4);
  EXPECT_EQ(result.only_in_a, 1);
  EXPECT_EQ(result.first->frame, 1);
  EXPECT_FALSE(result.shift);
}

TEST(FrameMatch, NoFramesAreEqual) {
  EXPECT_TRUE(match("", "").same());
  EXPECT_EQ(match("", "a").only_in_b, 1);
}

TEST(FrameLines, AreWordsNumbersTimesAndPaths) {
  FrameWords one = matched_video("dir/with blanks\n.mkv", "ab", 7);
  one.timestamps[1].reset();
  EXPECT_EQ(frame_lines({one, matched_video("b", "c")}),
            "a  7  0.000000  dir/with blanks\\n.mkv\nb  8  -  dir/with blanks\\n.mkv\nc  0  0.000000  b\n");
  EXPECT_EQ(
      frame_words_csv({one, matched_video("b,c", "d")}),
      "path,frame,timestamp,hash\n\"dir/with blanks\n.mkv\",7,0.000000,a\n\"dir/with blanks\n.mkv\",8,,b\n"
      "\"b,c\",0,0.000000,d\n");
}

}  // namespace
}  // namespace vq::cli
