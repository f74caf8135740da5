// Bad input, cases 19 to 24: command lines.
#include <sys/stat.h>

#include <random>

#include "tests/support/bad_input.h"
#include "tests/support/comma_locale.h"
#include "tests/support/random_feature.h"

namespace vq::cli::test {
namespace {

using ::testing::HasSubstr;

class BadInputArguments : public BadInputTest {
 protected:
  std::string video_ = made("a.y4m", y4m_video({.frames = 1}));
  void refused_feature(const std::string& text, const Words& parts) const {
    SCOPED_TRACE(text);
    refused({video_, "--feature", text}, 1, parts);
  }
};

TEST_F(BadInputArguments, Case19UnknownNames) {
  refused({video_, "--thread", "4"}, 1, {"--thread", "--threads"});
  refused({video_, "-z"}, 1, {"-z"});
  refused({video_, "--float-ssim"}, 1, {"unknown flag \"--float-ssim\". Try: --feature float_ssim"});
  refused_feature("cambo", {"cambo", "cambi"});
  refused_feature("cambi_vulkan", {"cambi_vulkan"});
  refused_feature("cambi=windw_size=65", {"windw_size", "window_size"});
  refused({video_, "--eotf", "bt1868"}, 1, {"bt1868", "bt1886"});
  refused({video_, "--progress", "barr"}, 1, {"barr", "bar"});
  refused({video_, "--backend", "cpuu"}, 1, {"cpuu", "cpu"});
}

TEST_F(BadInputArguments, Case19MissingAndSuperfluous) {
  for (const char* flag : {"--feature", "--precision", "--reference", "-o", "--eotf", "--start"})
    refused({video_, "-o", out(), "--threads", "1", flag}, 1, {"--"});
  refused({}, 1, {"no video"});
  refused({video_, video_}, 1, {"two videos", "-r", "-d"});
  refused({video_, "-d", video_}, 1, {"-d"});
  refused_feature("cambi=topk=0.2:topk=0.3", {"topk", "twice"});
  refused({video_, "--feature", "cambi", "--feature", "cambi"}, 1, {"\"cambi\""});
  refused({video_, "--full-ref"}, 1, {"-r"});
  refused({video_, "--model", "vmaf.json"}, 1, {"--model", "path=vmaf.json"});
  refused({video_, "--model", "version=vmaf_v0.6.1"}, 1, {"-r"});
}

TEST_F(BadInputArguments, Case20ValuesThatAreNoNumbersOrOutOfRange) {
  for (const char* value :
       {"0.5abc", "", "nan", "inf", "-inf", "1e999", "0x1p-1", "1.1", "0", "-0.5", " 0.5", "0,5"})
    refused_feature(std::string("cambi=topk=") + value, {"topk", "0.0001..1"});
  for (const char* value : {"65.9", "", "nan", "14", "128", "99999999999999999999", "65 ", "0x41", "6e1"})
    refused_feature(std::string("cambi=window_size=") + value, {"window_size", "15..127"});
  refused_feature("cambi=full_ref=maybe", {"full_ref", "true or false"});
  refused_feature("cambi=eotf=hlg", {"eotf", "bt1886 or pq"});
  refused_feature("cambi=cambi_high_res_speedup=720", {"cambi_high_res_speedup", "1080"});
  for (const char* value : {"-1", "abc", "4294967296", "", "1.5", "1e3"})
    refused({video_, "--threads", value}, 1, {"--threads", "0..1024"});
  for (const char* flag : {"--frame_cnt", "--frame_skip_dist", "--frame_skip_ref", "--subsample"})
    refused({video_, flag, "-1"}, 1, {flag, "-1"});
  refused({video_, "--precision", "18"}, 1, {"--precision", "18", "1..17"});
  refused({video_, "--cpumask", "0xg"}, 1, {"--cpumask", "0xg"});
  refused({video_, "--max-memory", "4Q"}, 1, {"--max-memory", "4Q"});
  refused({video_, "--start", "1:99"}, 1, {"--start", "1:99"});
  refused({video_, "-w", "320x", "-h", "240", "-p", "420", "-b", "8"}, 1, {"--width", "320x"});
  refused({video_, "-w", "320", "-h", "240", "-p", "420", "-b", "8"}, 2, {"with them every video is read as raw"});
  refused({video_, "-w", "320", "-h", "240", "-p", "421", "-b", "8"}, 1, {"--pixel_format", "421"});
  refused({video_, "-w", "320", "-h", "240", "-p", "420", "-b", "11"}, 1, {"--bitdepth", "11"});
  refused({video_, "-w", "320", "-h", "240"}, 1, {"-p", "-b"});
}

TEST_F(BadInputArguments, Case21FaultsOfForm) {
  refused_feature("cambi=topk", {"topk", "position 11"});
  refused_feature("cambi:topk=0.5", {"position 6"});
  refused_feature("cambi=topk=0.5:", {"position 16"});
  refused_feature("cambi=", {"position 7"});
  refused_feature("", {"position 1"});
  refused_feature("cambi=heatmaps_path=a\\b", {"position 22"});
  refused_feature("cambi=topk=\xff", {"0xff", "position 12"});
  refused_feature("cambi=topk=\xc3", {"0xc3", "position 12"});
  refused_feature("cambi=topk=0.5\n", {"position 15"});
  refused_feature("cambi=heatmaps_path=" + std::string(5000, 'x'), {"4096"});
}

TEST_F(BadInputArguments, Case22OptionsThatDoNothing) {
  scored({video_, "--feature", "cambi=enc_width=300"}, {"enc_width has no effect"});
  scored({video_, "--feature", "cambi=enc_width=400:enc_height=300"}, {"has no effect"});
  scored({video_, "--feature", "cambi=src_width=320:src_height=240"}, {"has no effect"});
  scored({video_, "--feature", "cambi=topk=0.5:cambi_topk=0.4"}, {"cambi_topk has no effect"});
}

TEST_F(BadInputArguments, Case22FlagsWithoutEffect) {
  const auto is_idle = [&](Words words, const std::string& flag) {
    words.insert(words.begin(), video_);
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.code, 1);
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("cambi: error: " + flag + " has no effect"));
  };
  is_idle({"--extended"}, "--extended");
  is_idle({"--extended", "--xml"}, "--extended");
  is_idle({"--precision", "3"}, "--precision");
  is_idle({"-q", "--worst", "3"}, "--worst");
  is_idle({"-q", "--worst", "3", "--json"}, "--worst");
  is_idle({"--frame_skip_ref", "1"}, "--frame_skip_ref");
  EXPECT_EQ(run_program({"version", "3"}).code, 1);
  EXPECT_EQ(run_program({"help", "info", "diff"}).code, 1);
  EXPECT_EQ(run_program({video_, "-q", "--worst", "3", "--json", "--extended"}).code, 0);
  EXPECT_EQ(run_program({video_, "-q", "--precision", "3", "--stream-scores"}).code, 0);
}

TEST_F(BadInputArguments, Case23AnyCombinationInRange) {
  scored({video_, "--feature", "cambi=cambi_vis_lum_threshold=300"});
  std::mt19937 random(20240501);
  for (int i = 0; i < 150; ++i) {
    const std::string feature = random_feature(random);
    SCOPED_TRACE(feature);
    const ProgramResult result = run({"-r", video_, "-d", video_, "-q", "--feature", feature}, 1 + i % 4);
    ASSERT_EQ(result.code, 0) << result.err;
    const auto report = nlohmann::json::parse(read_file(out()));
    for (const auto& [name, value] : report.at("frames")[0].at("metrics").items())
      EXPECT_TRUE(value.is_number() && value >= 0) << name << " " << value;
  }
}

TEST_F(BadInputArguments, Case24DecimalPointsInEveryLocale) {
  const CommaLocale locale;
  const ProgramOptions german{.environment = {{"LC_ALL", locale.name()}, {"LOCPATH", locale.folder()}}};
  const Words words = {video_, "--feature", "cambi=topk=0.25"};
  EXPECT_EQ(scored(words, {}, german), scored(words));
  refused({video_, "--feature", "cambi=topk=0,25"}, 1, {"topk", "0,25"}, german);
  const ProgramResult result = run(words, 1, german);
  EXPECT_THAT(result.out, HasSubstr("cambi_topk_0.25"));
}

}  // namespace
}  // namespace vq::cli::test
