#include "cli/reports/frame_match.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace vq::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

TEST(FrameMatch, EqualVideosAgree) {
  const FrameMatch result = match("abca", "abca");
  EXPECT_TRUE(result.same());
  EXPECT_EQ(result.frames, 4);
  EXPECT_FALSE(result.first);
  EXPECT_FALSE(result.shift);
  EXPECT_EQ(match_text(result), "a and b agree in all 4 frames\n");
}

TEST(FrameMatch, FindsTheFirstFrameThatDiffers) {
  const FrameMatch result = match("abcdef", "abXdeY");
  EXPECT_FALSE(result.same());
  EXPECT_EQ(result.equal, 4);
  ASSERT_TRUE(result.first);
  EXPECT_EQ(result.first->frame, 2);
  EXPECT_EQ(match_text(result), "a and b differ in 2 of 6 frames; the first is frame 2 (0:00:00.20)\n");
}

TEST(FrameMatch, AShorterVideoDiffersWhereItEnds) {
  const FrameMatch result = match("abcd", "abc");
  EXPECT_FALSE(result.same());
  EXPECT_EQ(result.only_in_a, 1);
  EXPECT_EQ(result.first->frame, 3);
  EXPECT_FALSE(result.shift);
  EXPECT_EQ(match_text(result),
            "a and b differ in 1 of 4 frames, 1 only in a; the first is frame 3 (0:00:00.30)\n");
  EXPECT_EQ(match("abc", "abcd").only_in_b, 1);
  EXPECT_EQ(match("abc", "abcd").first->frame, 3);
}

TEST(FrameMatch, FindsAShiftEitherWay) {
  const FrameMatch later = match("abcdef", "XYabcd");
  ASSERT_TRUE(later.shift);
  EXPECT_EQ(later.shift->offset, 2);
  EXPECT_EQ(later.shift->common, 4);
  EXPECT_EQ(later.shift->equal, 4);
  EXPECT_EQ(later.shift->first, 0);
  EXPECT_EQ(later.shift->run, 4);
  EXPECT_THAT(
      match_text(later),
      HasSubstr("b has the frames of a 2 frames later: 4 of the 4 in common are equal, the longest run "
                "frames 0 to 3 of a\n"));
  const FrameMatch earlier = match("abcdef", "bcdXf");
  ASSERT_TRUE(earlier.shift);
  EXPECT_EQ(earlier.shift->offset, -1);
  EXPECT_EQ(earlier.shift->common, 5);
  EXPECT_EQ(earlier.shift->equal, 4);
  EXPECT_EQ(earlier.shift->first, 1);
  EXPECT_EQ(earlier.shift->run, 3);
  EXPECT_THAT(match_text(earlier),
              HasSubstr("b has the frames of a 1 frame earlier: 4 of the 5 in common are equal"));
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

TEST(FrameWordsJson, HasListsAndWhatTheyHaveInCommon) {
  using nlohmann::json;
  const std::vector<FrameWords> videos = {matched_video("a", "abc"), matched_video("b", "Xab")};
  const json alone = json::parse(frame_words_json(videos, std::nullopt));
  EXPECT_EQ(alone["videos"][1]["path"], "b");
  EXPECT_EQ(alone["videos"][1]["frames"][1],
            json::parse(R"({"frameNum": 1, "timestamp": 0.1, "hash": "a"})"));
  EXPECT_FALSE(alone.contains("comparison"));
  const json compared = json::parse(frame_words_json(videos, match_frames(videos[0], videos[1])));
  EXPECT_EQ(compared["comparison"],
            json::parse(R"({"same": false, "frames": 3, "equal": 0, "only_in_first": 0, "only_in_second": 0,
      "first_difference": {"frameNum": 0, "timestamp": 0.0},
      "shift": {"offset": 1, "common": 2, "equal": 2, "longest_run": {"frameNum": 0, "frames": 2}}})"));
}

}  // namespace
}  // namespace vq::cli
