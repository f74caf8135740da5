// cambi fingerprint.
#include <regex>

#include "tests/support/bad_input.h"

namespace vq::cli::test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

class FingerprintCommand : public BadInputTest {
 protected:
  static ProgramResult fingerprint(Words words) {
    words.insert(words.begin(), "fingerprint");
    words.insert(words.end(), {"--backend", "cpu"});
    return run_program(words);
  }
  static Words lines_of(const std::string& text) {
    std::istringstream all(text);
    Words lines;
    for (std::string line; std::getline(all, line);) lines.push_back(line);
    return lines;
  }
};

TEST_F(FingerprintCommand, PrintsALineAFrame) {
  const std::string video = clip("static_640x360_8b.mp4");
  const ProgramResult result = fingerprint({video, "-q"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.err, IsEmpty());
  const Words lines = lines_of(result.out);
  ASSERT_EQ(lines.size(), 12U);
  for (size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(std::regex_match(lines[i].substr(0, lines[i].size() - video.size()),
                                 std::regex("[0-9a-f]{32}  " + std::to_string(i) + "  [0-9]+\\.[0-9]{6}  ")))
        << lines[i];
    EXPECT_TRUE(lines[i].ends_with(video));
  }
  EXPECT_EQ(lines[1].substr(0, 32), lines[2].substr(0, 32));
  EXPECT_NE(lines[0].substr(0, 32), lines[11].substr(0, 32));
}

TEST_F(FingerprintCommand, TakesWhatSaysWhatIsRead) {
  const std::string video = clip("sky_640x360_8b.mp4");
  const Words all = lines_of(fingerprint({video}).out);
  EXPECT_EQ(lines_of(fingerprint({video, "--start", "3", "--end", "5"}).out),
            Words(all.begin() + 3, all.begin() + 5));
  const Words some = lines_of(fingerprint({video, "--subsample", "4"}).out);
  EXPECT_EQ(some, (Words{all[0], all[4], all[8]}));
  EXPECT_NE(lines_of(fingerprint({video, "--planes", "all"}).out)[0], all[0]);
  run_ffmpeg("-i " + video + " -frames:v 2 -f rawvideo " + in_folder("raw.yuv"));
  const Words raw =
      lines_of(fingerprint({in_folder("raw.yuv"), "-w", "640", "-h", "360", "-p", "420", "-b", "8"}).out);
  ASSERT_EQ(raw.size(), 2U);
  EXPECT_EQ(raw[1].substr(0, 32), all[1].substr(0, 32));
}

TEST_F(FingerprintCommand, ListsMoreThanTwoVideosOneAfterTheOther) {
  const std::string a = clip("small_256x144_8b.mp4"), b = clip("tiny_128x96_8b.mp4");
  const ProgramResult result = fingerprint({a, b, a});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out, fingerprint({a}).out + fingerprint({b}).out + fingerprint({a}).out);
}

TEST_F(FingerprintCommand, ComparesTwoVideos) {
  const std::string video = clip("sky_640x360_8b.mp4"), other = clip("sky_640x360_8b_ref.mp4");
  run_ffmpeg("-i " + video + " -c:v ffv1 " + in_folder("lossless.mkv"));
  run_ffmpeg("-ss 0.1 -i " + in_folder("lossless.mkv") + " -c:v ffv1 " + in_folder("cut.mkv"));
  const ProgramResult same = fingerprint({video, in_folder("lossless.mkv"), "-q", "--planes", "all"});
  EXPECT_EQ(same.code, 0) << same.err;
  EXPECT_THAT(same.out, HasSubstr("12"));
  const ProgramResult differ = fingerprint({video, other});
  EXPECT_EQ(differ.code, 7);
  EXPECT_THAT(differ.out, HasSubstr("12 of 12"));
  const ProgramResult cut = fingerprint({video, in_folder("cut.mkv")});
  EXPECT_EQ(cut.code, 7);
  EXPECT_THAT(cut.out, AllOf(HasSubstr("3 frames earlier"), HasSubstr("9 of the 9"), HasSubstr("3 to 11")));
}

TEST_F(FingerprintCommand, WritesJsonAndCsv) {
  const std::string a = clip("small_256x144_8b.mp4"), b = clip("tiny_128x96_8b.mp4");
  const ProgramResult result = fingerprint({a, b, "-o", in_folder("h.json"), "-o", in_folder("h.csv")});
  EXPECT_EQ(result.code, 7);
  const json document = json::parse(read_file(in_folder("h.json")));
  EXPECT_EQ(document["videos"][0]["path"], a);
  EXPECT_EQ(document["videos"][0]["frames"][0]["fingerprint"], fingerprint({a}).out.substr(0, 32));
  EXPECT_EQ(document["comparison"]["same"], false);
  EXPECT_THAT(read_file(in_folder("h.csv")),
              StartsWith("path,frame,timestamp,fingerprint\n" + a + ",0,0.000000,"));
  // A list has one place, standard output where no other is named.
  const ProgramResult listed = fingerprint({a, "-o", in_folder("one.csv"), "-q"});
  EXPECT_EQ(listed.out + listed.err, "");
  EXPECT_EQ(json::parse(fingerprint({a, "--json", "-q"}).out)["videos"].size(), 1U);
}

}  // namespace
}  // namespace vq::cli::test
