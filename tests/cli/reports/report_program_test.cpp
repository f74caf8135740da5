// The reference tool's reports, reproduced by the whole program in all four formats.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

struct Sample {
  std::string name;
  std::vector<std::string> words;
};

// Version and speed are the only things that may differ.
std::string comparable(const std::string& text) {
  static const std::regex kVersion("version=?\"?:? ?\"[^\"]*\""), kFps("fps=?\"?:? ?\"?[0-9.]+\"?");
  return std::regex_replace(std::regex_replace(text, kVersion, "version"), kFps, "fps");
}

TEST(ReportProgram, WritesTheReferenceToolsReports) {
  const std::vector<Sample> samples = {
      {"full_ref_enc_480x270", {"--feature", "cambi=full_ref=true:enc_width=480:enc_height=270"}},
      {"subsample_4", {"--feature", "cambi", "--subsample", "4"}},
      {"two_features_skip_3_count_4",
       {"--feature", "cambi=topk=0.3:eotf=pq", "--feature", "cambi=window_size=33", "--frame_skip_ref", "3",
        "--frame_skip_dist", "3", "--frame_cnt", "4"}},
  };
  const std::string clips = testdata("clips/");
  for (const Sample& sample : samples) {
    const TemporaryFolder folder;
    std::vector<std::string> words = {
        "-r", clips + "sky_640x360_8b_ref.mp4", "-d", clips + "sky_640x360_8b.mp4", "-n", "-q"};
    words.insert(words.end(), sample.words.begin(), sample.words.end());
    for (const char* extension : {"json", "xml", "csv", "sub"}) {
      words.insert(words.end(), {"-o", folder.path() + "/report." + extension});
    }
    const ProgramResult result = run_program(words);
    ASSERT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out + result.err, "");
    for (const char* extension : {"json", "xml", "csv", "sub"}) {
      const std::string expected = read_file(testdata("golden/reports/") + sample.name + "." + extension);
      ASSERT_FALSE(expected.empty());
      EXPECT_EQ(comparable(read_file(folder.path() + "/report." + extension)), comparable(expected))
          << sample.name << "." << extension;
    }
  }
}

// A still video: as many of its frames equal the one before, however many features look at them.
TEST(ReportProgram, TwoFeaturesSeeTheSameRepeatedFrames) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/r.json";
  std::vector<std::string> words = {testdata("clips/static_640x360_8b.mp4"), "-q", "--extended", "-o", path};
  const auto repeated = [&](const std::vector<std::string>& features) {
    std::vector<std::string> all = words;
    for (const std::string& feature : features) all.insert(all.end(), {"--feature", feature});
    EXPECT_EQ(run_program(all).code, 0);
    return nlohmann::json::parse(read_file(path))["run"]["repeated_frames"].get<int>();
  };
  const int one = repeated({"cambi"});
  EXPECT_GT(one, 0);
  EXPECT_LT(one, 12);
  EXPECT_EQ(repeated({"cambi", "cambi=topk=0.3"}), one);
}

TEST(ReportProgram, RangesAreAccurateToTheFrame) {
  const std::string clip = testdata("clips/sky_640x360_8b.mp4");
  const ProgramResult all = run_program({clip, "-q", "--csv", "-o", "-"});
  const ProgramResult range = run_program({clip, "-q", "--csv", "-o", "-", "--start", "4", "--end", "6"});
  const ProgramResult time =
      run_program({clip, "-q", "--csv", "-o", "-", "--start", "0:00.1666", "--end", "0.25s"});
  ASSERT_EQ(all.code + range.code + time.code, 0);
  const auto line = [&](int frame) {
    const size_t at = all.out.find("\n" + std::to_string(frame) + ",") + 1;
    return all.out.substr(at, all.out.find('\n', at) - at + 1);
  };
  EXPECT_EQ(range.out, "Frame,cambi,\n" + line(4) + line(5));
  EXPECT_EQ(time.out, range.out);
}

// Matroska has milliseconds: frames 2 and 5 are at 83 and 208, a third of a millisecond early.
TEST(ReportProgram, RangesAllowForTimestampsThatTheContainerRounds) {
  const std::string clip = testdata("clips/sky_640x360_10b.mkv");
  const auto range = [&](const std::string& start, const std::string& end) {
    const ProgramResult result =
        run_program({clip, "-q", "--csv", "-o", "-", "--start", start, "--end", end});
    EXPECT_EQ(result.code, 0) << result.err;
    return result.out;
  };
  EXPECT_EQ(range("0.0833333s", "0.2083333s"), range("2", "5"));
}

}  // namespace
}  // namespace vq::cli::test
