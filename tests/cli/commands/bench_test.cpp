// The benchmark on the processor alone, which needs no device. No time is looked at.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

class BenchProgram : public ::testing::Test {
 protected:
  static ProgramResult bench(Words words) {
    words.insert(words.begin(), "bench");
    return run_program(words);
  }
  static Words names(const json& list) {
    Words names;
    for (const json& entry : list) names.push_back(entry.at("name"));
    return names;
  }

  static double seconds_of(const json& backend) {
    double sum = 0;
    for (const auto& [part, seconds] : backend.at("pace").items()) sum += seconds.get<double>();
    return sum;
  }

  const std::string clip_ = testdata("clips/small_256x144_8b.mp4");
  TemporaryFolder folder_;
};

TEST_F(BenchProgram, MeasuresAVideoOnTheCpu) {
  const std::string path = folder_.path() + "/bench.json";
  const ProgramResult result =
      bench({clip_, "--backend", "cpu", "--frames", "2", "--threads", "2", "-o", path});
  EXPECT_EQ(result.code, 0) << result.err;
  for (const char* text : {"small_256x144_8b.mp4  h264 256x144 8-bit", "c_values", "frames/s  "})
    EXPECT_THAT(result.out, HasSubstr(text));
  const json written = json::parse(read_file(path));
  EXPECT_EQ(written.at("threads"), 2);
  EXPECT_GT(written.at("host_bytes_per_second"), 0);
  EXPECT_EQ(written.at("devices"), json::array());
  const json& video = written.at("videos").at(0);
  EXPECT_EQ(video.at("name"), clip_);
  EXPECT_NE(video.at("limit"), "");
  ASSERT_EQ(video.at("backends").size(), 1u);
  const json& cpu = video.at("backends").at(0);
  EXPECT_EQ(cpu.at("backend"), "cpu");
  EXPECT_TRUE(cpu.at("error").is_null());
  EXPECT_EQ(cpu.at("decoder"), "h264");
  EXPECT_EQ(cpu.at("decoded_frames"), 2);
  EXPECT_EQ(cpu.at("whole_frames"), 2);
  for (const char* figure : {"decode_fps", "score_fps", "whole_fps", "start_seconds"})
    EXPECT_GT(cpu.at(figure), 0) << figure;
  EXPECT_THAT(names(cpu.at("stages")),
              ElementsAre("prepare", "c_values", "pooling", "decimate", "mode_filter"));
  for (const json& stage : cpu.at("stages")) {
    EXPECT_GT(stage.at("milliseconds"), 0);
  }
  EXPECT_EQ(cpu.at("stages").at(0).at("bytes"), 256 * 144 * 4);
  EXPECT_GT(seconds_of(cpu), cpu.at("start_seconds").get<double>());
}

TEST_F(BenchProgram, MakesPicturesUpWithoutAVideo) {
  const ProgramResult result = bench({"--backend", "cpu", "--frames", "1", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const json videos = json::parse(result.out).at("videos");
  Words sizes;
  for (const json& video : videos) {
    EXPECT_EQ(video.at("made_up"), true);
    EXPECT_TRUE(video.at("backends").at(0).at("decode_fps").is_null());
    EXPECT_TRUE(video.at("backends").at(0).at("whole_fps").is_null());
    EXPECT_GT(video.at("backends").at(0).at("score_fps"), 0);
    // Nothing but scoring.
    EXPECT_EQ(video.at("backends").at(0).at("pace").at("opening"), 0);
    EXPECT_GT(seconds_of(video.at("backends").at(0)), 0);
    sizes.push_back(std::to_string(video.at("height").get<int>()) + "@" +
                    std::to_string(video.at("bit_depth").get<int>()));
  }
  EXPECT_THAT(sizes, ElementsAre("1080@8", "1080@10", "2160@8", "2160@10"));
}

TEST_F(BenchProgram, MeasuresTheFeaturesThatItIsTold) {
  const std::string reference = testdata("clips/small_256x144_8b.mp4");
  const ProgramResult result = bench({"-r", reference, "-d", clip_, "--feature", "psnr", "--feature", "cambi",
                                      "--backend", "scalar", "--frames", "2", "-o", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  const json scalar = json::parse(result.out).at("videos").at(0).at("backends").at(0);
  EXPECT_EQ(scalar.at("backend"), "scalar");
  EXPECT_THAT(names(scalar.at("stages")),
              ElementsAre("psnr_y: score", "cambi: prepare", "cambi: c_values", "cambi: pooling",
                          "cambi: decimate", "cambi: mode_filter"));
  // Made-up pictures have a reference where one is needed.
  const ProgramResult synthetic = bench({"--feature", "psnr", "--backend", "cpu", "--frames", "1", "--json"});
  EXPECT_EQ(synthetic.code, 0) << synthetic.err;
  EXPECT_EQ(json::parse(synthetic.out).at("videos").at(0).at("name"), "made-up film");
}

TEST_F(BenchProgram, MeasuresWhatAModelAsksFor) {
  const ProgramResult result = bench({"-r", clip_, "-d", clip_, "--model", "version=vmaf_v0.6.1", "--backend",
                                      "cpu", "--frames", "1", "-o", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  const json cpu = json::parse(result.out).at("videos").at(0).at("backends").at(0);
  EXPECT_GT(cpu.at("score_fps"), 0);
  EXPECT_THAT(names(cpu.at("stages")),
              ElementsAre(HasSubstr("adm2"), HasSubstr("motion"), HasSubstr("vif_scale0")));
}

// Of a video the model that its reference calls for.
TEST_F(BenchProgram, ChoosesTheModelThatSuitsTheReference) {
  const std::string clip = testdata("clips/sky_640x360_8b.mp4");
  const ProgramResult result =
      bench({"-r", clip, "-d", clip, "--model", "auto", "--backend", "cpu", "--frames", "1", "-o", "-"});
  EXPECT_EQ(result.code, 0) << result.err;
  const json cpu = json::parse(result.out).at("videos").at(0).at("backends").at(0);
  EXPECT_TRUE(cpu.at("error").is_null());
  EXPECT_GT(cpu.at("score_fps"), 0);
  EXPECT_THAT(names(cpu.at("stages")), ::testing::Contains(HasSubstr("speed_chroma")));
}

// So many frames that it would never end by itself.
TEST_F(BenchProgram, EndsOnAnInterrupt) {
  RunningProgram program(
      {"--backend=cpu", "--frames=1000000", "--output=" + folder_.path() + "/bench.json"},
      {.program = cambi_program() + "-bench", .environment = {{"CAMBI_PROGRAM", cambi_program()}}});
  program.wait_until_caught(SIGINT);
  program.send(SIGINT);
  const ProgramResult result = program.wait();
  EXPECT_FALSE(result.signalled);
  EXPECT_EQ(result.code, 130);
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(read_file(folder_.path() + "/bench.json"), "");
}

}  // namespace
}  // namespace vq::cli::test
