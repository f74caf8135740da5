// What a benchmark's figures come to: the sentence on what limits, and the tables.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/reports/bench_text.h"
#include "cli/text/text_width.h"

namespace vq::cli {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr double kMemory = 4e12, kLink = 50e9;

BenchBackend on_gpu(const std::string& name, double upload, double mask, double c_values) {
  BenchBackend backend{.backend = name, .device = "GPU 0", .driver = "580.1", .simd = "scalar"};
  backend.stages = {{"upload", true, upload, 8'294'400, kLink}, {"mask", true, mask, 24'883'200, kMemory}};
  backend.stages.push_back({"c_values", name == "vulkan", c_values, 82'900'000, kMemory});
  backend.stages.push_back({"readback", true, 0.001});
  return backend;
}

BenchBackend on_cpu(double score_fps) {
  BenchBackend backend{.backend = "cpu", .simd = "avx512"};
  backend.stages = {{"prepare", false, 2, 33'177'600, 20e9}, {"c_values", false, 6, 33'000'000, 20e9}};
  backend.score_fps = score_fps;
  return backend;
}

BenchVideo bench_video(std::optional<double> decode_fps, std::vector<BenchBackend> backends, const std::string& decoder = "hevc") {
  for (BenchBackend& backend : backends) {
    backend.decode_fps = decode_fps;
    if (decode_fps) backend.decoder = decoder;
  }
  return {.name = "show.mkv",
          .codec = "hevc",
          .width = 3840,
          .height = 2160,
          .bit_depth = 8,
          .backends = std::move(backends)};
}

BenchResult result_of(const BenchVideo& bench_video, int threads = 16, int cores = 16) {
  return {.threads = threads,
          .cores = cores,
          .host_memory = 20e9,
          .devices = {{"GPU 0", kMemory, kLink, kLink}},
          .videos = {bench_video},
          .notes = {}};
}

std::string sentence(const BenchVideo& bench_video, int threads = 16) {
  return limit_sentence(result_of(bench_video, threads), bench_video);
}

TEST(BenchLimit, Decoding) {
  BenchBackend gpu = on_gpu("vulkan", 0.17, 0.016, 0.216);
  gpu.score_fps = 1630;
  EXPECT_EQ(sentence(bench_video(118, {gpu})),
            "Decoding limits: 118 of 1,630 frames/s that GPU 0 could score; hardware decoding or more cores "
            "would help.");
  EXPECT_THAT(sentence(bench_video(118, {gpu}), 4), EndsWith("hardware decoding or more threads would help."));
  EXPECT_EQ(sentence(bench_video(37.25, {on_cpu(120)})),
            "Decoding limits: 37.2 of 120 frames/s that the CPU could score; hardware decoding or more cores "
            "would help.");
}

TEST(BenchLimit, DecodingInHardware) {
  BenchBackend gpu = on_gpu("vulkan", 0.17, 0.016, 0.216);
  gpu.score_fps = 1630;
  EXPECT_EQ(sentence(bench_video(400, {gpu}, "hevc (cuda)")),
            "Decoding limits: 400 of 1,630 frames/s that GPU 0 could score; hevc (cuda) makes no more, which --decoder software "
            "may.");
}

TEST(BenchLimit, TheDevicesStages) {
  BenchBackend gpu = on_gpu("vulkan", 0.17, 0.016, 0.983);
  gpu.score_fps = 850;
  EXPECT_EQ(sentence(bench_video(2000, {gpu})),
            "The device's stages limit: c_values takes 98 % of the 1 ms a frame on GPU 0; decoding alone "
            "makes 2,000 frames/s.");
  EXPECT_THAT(sentence(bench_video(std::nullopt, {gpu})), EndsWith("of the 1 ms a frame on GPU 0."));
}

// Stages and upload go one after another: together they fill a frame's time though neither does.
TEST(BenchLimit, TheDevicesStagesTogetherWithTheUpload) {
  BenchBackend gpu = on_gpu("vulkan", 0.45, 0.05, 0.45);
  gpu.score_fps = 1000;
  EXPECT_THAT(sentence(bench_video(2000, {gpu})), HasSubstr("The device's stages limit: c_values takes 90 %"));
}

TEST(BenchLimit, TheUpload) {
  BenchBackend gpu = on_gpu("vulkan", 0.33, 0.05, 0.1);
  gpu.score_fps = 2000;
  EXPECT_EQ(sentence(bench_video(3000, {gpu})),
            "Uploading limits: it takes 0.33 ms of the 0.5 ms a frame on GPU 0, at 50 % of what the link "
            "carries; decoding alone "
            "makes 3,000 frames/s.");
}

TEST(BenchLimit, TheHostsPartOfTheHybrid) {
  BenchBackend hybrid = on_gpu("hybrid", 0.17, 0.016, 1.4);
  hybrid.score_fps = 690;
  EXPECT_EQ(sentence(bench_video(2000, {hybrid})),
            "The host's part of the hybrid limits: c_values takes 100 % of the 1.4 ms a frame on 16 threads; "
            "more cores or "
            "--backend vulkan would help.");
}

TEST(BenchLimit, ScoringOnTheCpu) {
  EXPECT_EQ(sentence(bench_video(2000, {on_cpu(120)}), 1),
            "Scoring on the CPU limits: c_values takes 75 % of the 8 ms a frame on one thread; more threads "
            "or a GPU would help; "
            "decoding alone makes 2,000 frames/s.");
}

// Alone each is fast enough.
TEST(BenchLimit, TheCoresThatDecodingAndScoringShare) {
  BenchBackend cpu = on_cpu(297);
  cpu.whole_fps = 148;
  EXPECT_EQ(sentence(bench_video(267, {cpu})),
            "The cores limit: decoding alone makes 267 frames/s, scoring alone 297, both together 148; "
            "hardware decoding, a GPU or "
            "more cores would help.");
  cpu.whole_fps = 201;  // as good as alone
  EXPECT_THAT(sentence(bench_video(267, {cpu})), HasSubstr("Decoding limits: 267 of 297"));
  BenchBackend hybrid = on_gpu("hybrid", 0.17, 0.016, 1.4), gpu = on_gpu("vulkan", 0.17, 0.016, 0.216);
  hybrid.score_fps = gpu.score_fps = 690;
  hybrid.whole_fps = gpu.whole_fps = 300;
  EXPECT_THAT(sentence(bench_video(500, {hybrid}), 4), HasSubstr("--backend vulkan or more threads would help."));
  EXPECT_THAT(sentence(bench_video(500, {gpu})), HasSubstr("Decoding limits"));
}

TEST(BenchLimit, HandingFramesOver) {
  BenchBackend gpu = on_gpu("vulkan", 0.17, 0.016, 0.216);
  gpu.score_fps = 500;
  EXPECT_EQ(sentence(bench_video(2000, {gpu})),
            "Handing frames over limits: of the 2 ms a frame no part is at work for more than 0.233 ms, so "
            "copies on the host and "
            "waiting for GPU 0 take the rest; decoding alone makes 2,000 frames/s.");
}

TEST(BenchLimit, IsThatOfTheFastestBackendThatWorks) {
  BenchBackend gpu = on_gpu("vulkan", 0.17, 0.016, 0.983), broken = on_gpu("hybrid", 1, 1, 1);
  gpu.score_fps = 850;
  broken.score_fps = 1e6;
  broken.error = "the device is lost";
  const BenchVideo all = bench_video(std::nullopt, {on_cpu(120), broken, gpu});
  EXPECT_EQ(fastest(all), &all.backends[2]);
  EXPECT_THAT(sentence(all), HasSubstr("The device's stages limit"));
  // From the file the CPU may be as fast as that, or faster.
  BenchVideo whole = all;
  whole.backends[0].whole_fps = 110;
  whole.backends[2].whole_fps = 100;
  EXPECT_EQ(fastest(whole)->backend, "cpu");
  EXPECT_EQ(sentence(bench_video(100, {broken})), "");
  EXPECT_EQ(sentence(bench_video(100, {})), "");
}

TEST(BenchStage, FollowsFromBytesAndTime) {
  const BenchStage stage{"mask", true, 0.5, 1'000'000'000, 4e12};
  EXPECT_DOUBLE_EQ(*stage.gigabytes_per_second(), 2000);
  EXPECT_DOUBLE_EQ(*stage.share_of_copy(), 0.5);
  EXPECT_DOUBLE_EQ(*stage.floor_milliseconds(), 0.25);
  EXPECT_DOUBLE_EQ(*stage.times_floor(), 2);
  const BenchStage unknown{"readback", true, 0.5}, untimed{"mask", true, 0, 1000, 4e12};
  EXPECT_FALSE(unknown.gigabytes_per_second() || unknown.share_of_copy() || unknown.floor_milliseconds());
  EXPECT_FALSE(untimed.gigabytes_per_second() || untimed.times_floor());
}

TEST(BenchText, RatesHaveThreeDigits) {
  EXPECT_EQ(rate_text(0.04), "0.0");
  EXPECT_EQ(rate_text(37.25), "37.2");
  EXPECT_EQ(rate_text(99.96), "100");
  EXPECT_EQ(rate_text(1629.6), "1,630");
  EXPECT_EQ(rate_text(1234567), "1,234,567");
}

BenchResult all_kinds() {
  BenchBackend gpu = on_gpu("vulkan", 0.17, 0.016, 0.216), hybrid = on_gpu("hybrid", 0.17, 0.016, 1.4),
               cpu = on_cpu(120);
  gpu.score_fps = 1630;
  gpu.whole_fps = 117;
  gpu.start_seconds = 0.21;
  cpu.whole_fps = 90;
  cpu.start_seconds = 0.04;
  hybrid.error = "GPU 0 (580.1): submitting work failed: the device is lost";
  BenchResult result = result_of(bench_video(118, {cpu, hybrid, gpu}));
  result.notes = {"Without hybrid: a reason"};
  return result;
}

TEST(BenchText, IsATableOfStagesAndOneOfRates) {
  EXPECT_EQ(bench_text(all_kinds()),
            R"(copies: host 20.0 GB/s on 16 threads; GPU 0 4,000 GB/s, to it 50.0 GB/s, back 50.0 GB/s

show.mkv  hevc 3840x2160 8-bit  16 threads

cpu on CPU (avx512)
stage     on    ms/frame    MB  GB/s  of a copy  floor ms  x floor
prepare   host     2.000  33.2  16.6       83 %     1.659     1.21
c_values  host     6.000  33.0  5.50       28 %     1.650     3.64

hybrid on GPU 0
stage     on      ms/frame    MB   GB/s  of a copy  floor ms  x floor
upload    device     0.170  8.29   48.8       98 %     0.166     1.02
mask      device     0.016  24.9  1,555       39 %     0.006     2.57
c_values  host       1.400  82.9   59.2        1 %     0.021     67.6
readback  device     0.001     -      -          -         -        -

vulkan on GPU 0
stage     on      ms/frame    MB   GB/s  of a copy  floor ms  x floor
upload    device     0.170  8.29   48.8       98 %     0.166     1.02
mask      device     0.016  24.9  1,555       39 %     0.006     2.57
c_values  device     0.216  82.9    384       10 %     0.021     10.4
readback  device     0.001     -      -          -         -        -

frames/s  on            decoder  decode  upload  score  whole   start
cpu       CPU (avx512)  hevc        118       -    120   90.0  0.04 s
hybrid    GPU 0         hevc        118   5,882      -      -       -  failed: GPU 0 (580.1): submitting work failed: the device is lost
vulkan    GPU 0         hevc        118   5,882  1,630    117  0.21 s
Decoding limits: 118 of 1,630 frames/s that GPU 0 could score; hardware decoding or more cores would help.

Without hybrid: a reason
)");
}

// Tables; sentences are wrapped by who prints them.
TEST(BenchText, FitsTerminals) {
  for (const size_t width : {80, 120}) {
    std::istringstream lines(bench_text(all_kinds(), width));
    for (std::string line; std::getline(lines, line);) {
      if (line.find("limits:") == std::string::npos && line.find("copies:") != 0) {
        EXPECT_LE(columns_of(line), width) << line;
      }
    }
  }
  EXPECT_THAT(bench_text(all_kinds(), 80), HasSubstr("stage     on      ms/frame"));
  // A feature that runs twice names its stages by their metrics.
  BenchResult several = all_kinds();
  several.videos[0].backends[2].stages[1].name = "cambi_full_reference: mask";
  several.videos[0].backends[2].stages[2].name = "cambi: c_values";
  std::istringstream lines(bench_text(several, 80));
  size_t widest = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("reference") != std::string::npos) widest = std::max(widest, columns_of(line));
  }
  EXPECT_THAT(widest, ::testing::AllOf(::testing::Gt(0U), ::testing::Le(80U)));
}

TEST(BenchText, OfMadeUpPicturesSaysNothingOfDecoding) {
  BenchVideo made_up = bench_video(std::nullopt, {on_cpu(120)});
  made_up.made_up = true;
  made_up.codec = "";
  made_up.name = "made-up bands";
  const std::string text = bench_text(result_of(made_up));
  EXPECT_THAT(text, HasSubstr("made-up bands  3840x2160 8-bit\n"));
  EXPECT_THAT(text, Not(HasSubstr("thread\n")));
  EXPECT_THAT(text, Not(HasSubstr("decode ")));
}

TEST(BenchJson, HasTheSameFigures) {
  const auto json = nlohmann::json::parse(bench_json(all_kinds()));
  EXPECT_EQ(json["devices"][0]["upload_bytes_per_second"], 50e9);
  const auto& shown = json["videos"][0];
  EXPECT_EQ(shown["backends"][0]["decode_fps"], 118);
  EXPECT_EQ(shown["backends"][0]["decoder"], "hevc");
  EXPECT_EQ(shown["limit"], limit_sentence(all_kinds(), all_kinds().videos[0]));
  EXPECT_TRUE(shown["backends"][2]["error"].is_null());
  EXPECT_EQ(shown["backends"][1]["error"], all_kinds().videos[0].backends[1].error);
  EXPECT_TRUE(shown["backends"][1]["score_fps"].is_null());
  const auto& stage = shown["backends"][2]["stages"][0];
  EXPECT_EQ(stage["name"], "upload");
  EXPECT_EQ(stage["bytes"], 8294400);
  EXPECT_DOUBLE_EQ(stage["floor_milliseconds"].get<double>(), 0.165888);
  EXPECT_TRUE(shown["backends"][2]["stages"][3]["floor_milliseconds"].is_null());
}

// Metrics carry the options that a model gave them.
TEST(BenchText, StagesOfSeveralFeaturesAreCalledByTheFeature) {
  const std::string adm = "integer_adm2_csf_2_egl_1: score", other = "integer_adm2: score";
  BenchBackend backend = on_cpu(100);
  backend.stages = {{adm, false, 6}, {"psnr_y: score", false, 2}, {"upload", true, 1}};
  EXPECT_EQ(backend.shown_name(backend.stages[0]), "adm: score");
  EXPECT_EQ(backend.shown_name(backend.stages[1]), "psnr: score");
  EXPECT_EQ(backend.shown_name(backend.stages[2]), "upload");
  backend.stages.push_back({other, false, 1});
  EXPECT_EQ(backend.shown_name(backend.stages[0]), adm);
  EXPECT_EQ(backend.shown_name(backend.stages[3]), other);
  EXPECT_EQ(backend.shown_name(backend.stages[1]), "psnr: score");
}

}  // namespace
}  // namespace vq::cli
