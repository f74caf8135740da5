// What a benchmark's figures come to: the sentence on what limits, and the tables.
#include "cli/bench/bench.h"
#include "tests/support/golden_text.h"
#include "tests/support/report_test.h"
#include "tests/support/stored_frame.h"

namespace vq::cli {
namespace {

using vq::test::GoldenTexts;

constexpr double kMemory = 4e12, kLink = 50e9;

BenchBackend on_gpu(const std::string& name, double upload, double mask, double c_values) {
  BenchBackend backend{.backend = name, .device = "GPU 0", .driver = "580.1", .simd = "scalar"};
  backend.stages = {{"upload", true, upload},
                    {"mask", true, mask},
                    {"c_values", name == "vulkan", c_values},
                    {"readback", true, 0.001}};
  return backend;
}

BenchBackend on_cpu(double score_fps) {
  BenchBackend backend{.backend = "cpu", .simd = "avx512"};
  backend.stages = {{"prepare", false, 2}, {"c_values", false, 6}};
  backend.score_fps = score_fps;
  return backend;
}

BenchVideo bench_video(std::optional<double> decode_fps, std::vector<BenchBackend> backends,
                       const std::string& decoder = "hevc") {
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
          .devices = {{"GPU 0", {kMemory, kLink, kLink}}},
          .videos = {bench_video},
          .notes = {}};
}

std::string sentence(const BenchVideo& bench_video, int threads = 16) {
  return limit_sentence(result_of(bench_video, threads), bench_video);
}

// Of 8 seconds the thread that hands frames over waits for scores for 3, and for 4 in one of these parts.
BenchBackend waiting(BenchBackend backend, std::string_view part) {
  backend.pace.seconds = {0, 0.25, 0.25, 0.25, 3, 0.25};
  for (size_t i = 0; i < pace::kParts.size(); ++i) backend.pace.seconds[i] += pace::kParts[i] == part ? 4 : 0;
  return backend;
}

BenchBackend at(BenchBackend backend, double score_fps, std::optional<double> whole_fps = {}) {
  backend = waiting(std::move(backend), pace::kScoring);
  backend.score_fps = score_fps;
  backend.whole_fps = whole_fps;
  return backend;
}

TEST(BenchLimit, SentencesAreAsReviewed) {
  GoldenTexts golden("bench/bench_limits.txt");
  const BenchBackend fast = waiting(at(on_gpu("vulkan", 0.17, 0.016, 0.216), 1630), pace::kDecoding);
  golden.add("decoding", sentence(bench_video(118, {fast})));
  golden.add("decoding, on 4 of 16 cores", sentence(bench_video(118, {fast}), 4));
  golden.add("decoding for the CPU",
             sentence(bench_video(37.25, {waiting(at(on_cpu(120), 120), pace::kDecoding)})));
  golden.add("decoding in hardware", sentence(bench_video(400, {fast}, "hevc (cuda)")));
  // Alone it is faster than that, and still what the run waits for.
  golden.add("decoding beside scoring", sentence(bench_video(2000, {fast}, "hevc (cuda)")));

  const BenchBackend busy = at(on_gpu("vulkan", 0.17, 0.016, 0.983), 850);
  golden.add("the device's stages", sentence(bench_video(2000, {busy})));
  golden.add("the device's stages, though decoding alone is slower", sentence(bench_video(800, {busy})));
  golden.add("the device's stages; decoding was not measured", sentence(bench_video(std::nullopt, {busy})));
  // They go one after another: together they fill a frame's time though neither does.
  golden.add("the device's stages together with the upload",
             sentence(bench_video(2000, {at(on_gpu("vulkan", 0.45, 0.05, 0.45), 1000)})));
  BenchBackend uploading = at(on_gpu("vulkan", 0.33, 0.05, 0.1), 2000);
  golden.add("the upload, whose link is unknown", sentence(bench_video(3000, {uploading})));
  uploading.upload_share = 0.503;
  golden.add("the upload", sentence(bench_video(3000, {uploading})));
  golden.add("copies and waiting",
             sentence(bench_video(2000, {at(on_gpu("vulkan", 0.17, 0.016, 0.216), 500)})));
  golden.add("the thread that hands frames over",
             sentence(bench_video(2000, {waiting(busy, pace::kPreparing)})));
  golden.add("the same with made-up pictures",
             sentence(bench_video(std::nullopt, {waiting(busy, pace::kSubmitting)})));
  // That is told by itself.
  golden.add("opening is no limit", sentence(bench_video(2000, {waiting(busy, pace::kOpening)})));
  golden.add("the host's part of the hybrid",
             sentence(bench_video(2000, {at(on_gpu("hybrid", 0.17, 0.016, 1.4), 690)})));
  golden.add("scoring on the CPU", sentence(bench_video(2000, {at(on_cpu(120), 120)}), 1));

  // Alone each is fast enough.
  golden.add("the cores that decoding and scoring share",
             sentence(bench_video(267, {at(on_cpu(297), 297, 148)})));
  golden.add("together they are as good as alone",
             sentence(bench_video(267, {waiting(at(on_cpu(297), 297, 201), pace::kDecoding)})));
  golden.add("the cores of a hybrid",
             sentence(bench_video(500, {at(on_gpu("hybrid", 0.17, 0.016, 1.4), 690, 300)}), 4));
  golden.add("a device shares no cores",
             sentence(bench_video(
                 500, {waiting(at(on_gpu("vulkan", 0.17, 0.016, 0.216), 690, 300), pace::kDecoding)})));
}

TEST(BenchLimit, IsThatOfTheFastestBackendThatWorks) {
  BenchBackend gpu = at(on_gpu("vulkan", 0.17, 0.016, 0.983), 850),
               broken = at(on_gpu("hybrid", 1, 1, 1), 1e6);
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

TEST(BenchText, RatesHaveThreeDigits) {
  EXPECT_EQ(rate_text(0.04), "0.0");
  EXPECT_EQ(rate_text(37.25), "37.2");
  EXPECT_EQ(rate_text(99.96), "100");
  EXPECT_EQ(rate_text(1629.6), "1,630");
  EXPECT_EQ(rate_text(1234567), "1,234,567");
}

BenchResult all_kinds() {
  BenchBackend gpu = waiting(at(on_gpu("vulkan", 0.17, 0.0016, 0.216), 1630, 117), pace::kDecoding),
               hybrid = on_gpu("hybrid", 0.17, 0.016, 1.4), cpu = at(on_cpu(120), 120, 90);
  cpu.pace.seconds[2] = 0;
  gpu.start_seconds = 0.21;
  cpu.start_seconds = 0.04;
  hybrid.error = "GPU 0 (580.1): submitting work failed: the device is lost";
  BenchResult result = result_of(bench_video(118, {cpu, hybrid, gpu}));
  result.notes = {"Without hybrid: a reason"};
  return result;
}

BenchResult synthetic_pictures() {
  BenchVideo synthetic = bench_video(std::nullopt, {at(on_cpu(120), 120)});
  synthetic.synthetic = true;
  synthetic.codec = "";
  synthetic.name = "made-up bands";
  return result_of(synthetic);
}

TEST(BenchText, IsAsReviewed) {
  GoldenTexts golden("bench/bench.txt");
  golden.add("a table of stages and one of rates", bench_text(all_kinds()));
  const std::string narrow = bench_text(all_kinds(), 80);
  const size_t rates = narrow.find("frames/s  ");
  golden.add("the rates on 80 columns", narrow.substr(rates, narrow.find("\n\n", rates) - rates));
  golden.add("of made-up pictures nothing is said of decoding", bench_text(synthetic_pictures()));
  BenchResult written = all_kinds();
  written.videos[0].backends.erase(written.videos[0].backends.begin());
  written.videos[0].backends[0].stages = {{"c_values", false, 1.4}};
  written.videos[0].backends[1].stages.resize(1);
  golden.add("JSON", without_version(bench_json(written)));
}

// Tables; sentences are wrapped by who prints them.
TEST(BenchText, FitsTerminals) {
  for (const size_t width : {80, 120}) {
    for (const std::string& line : test::lines_of(bench_text(all_kinds(), width))) {
      if (line.find("limits:") == std::string::npos && line.find("copies:") != 0) {
        EXPECT_LE(columns_of(line), width) << line;
      }
    }
  }
  // A feature that runs twice names its stages by their metrics.
  BenchResult several = all_kinds();
  several.videos[0].backends[2].stages[1].name = "cambi_full_reference: mask";
  several.videos[0].backends[2].stages[2].name = "cambi: c_values";
  size_t widest = 0;
  for (const std::string& line : test::lines_of(bench_text(several, 80))) {
    if (line.find("reference") != std::string::npos) widest = std::max(widest, columns_of(line));
  }
  EXPECT_THAT(widest, AllOf(Gt(0U), ::testing::Le(80U)));
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

TEST(StoredFrame, HasTheSameSamplesInTheStore) {
  for (const int depth : {8, 10}) {
    vq::test::HostStore store(2), other;  // there is one piece in the first, and then no more
    const Frame frame =
        synthetic_frame(Synthetic::kNoise, {.name = {}, .width = 101, .height = 7, .bit_depth = depth}, 3, 3);
    const Frame stored = stored_frame(frame, store);
    const std::byte* const begin = dynamic_cast<const HostVisibleMemory&>(*stored.place).data();
    for (int i = 0; i < kMaxPlanes; ++i) {
      const auto same = [&](const auto& before, const auto& after) {
        ASSERT_EQ(std::pair(after.width, after.height), std::pair(before.width, before.height));
        for (int y = 0; y < before.height; ++y)
          EXPECT_TRUE(std::equal(before.row(y), before.row(y) + before.width, after.row(y)));
        EXPECT_EQ((reinterpret_cast<const std::byte*>(after.data) - begin) % kPlaneAlignment, 0);
      };
      EXPECT_TRUE(vq::test::lies_in_place(stored, i)) << i;
      const SampleView &before = frame.planes[static_cast<size_t>(i)],
                       &after = stored.planes[static_cast<size_t>(i)];
      depth == 8 ? same(before.u8, after.u8) : same(before.u16, after.u16);
    }
    // A plane that there is not is none afterwards.
    const Frame luma = synthetic_frame(Synthetic::kFlat, {.name = {}, .width = 8, .height = 8}, 0);
    EXPECT_TRUE(stored_frame(luma, other).planes[1].empty());
    EXPECT_EQ(stored_frame(stored, store).place, stored.place);
    EXPECT_EQ(stored_frame(frame, store).place, nullptr);
  }
}

TEST(SyntheticFrame, DriftsAndIsTheSameEveryTime) {
  const VideoFormat format = {.name = {}, .width = 400, .height = 30, .bit_depth = 10};
  const auto row = [&](int64_t number) {
    const Frame frame = synthetic_frame(Synthetic::kBanded, format, number);
    const uint16_t* const samples = frame.luma().u16.row(10);
    return std::vector<uint16_t>(samples, samples + format.width);
  };
  EXPECT_EQ(row(5), row(5));
  EXPECT_NE(row(5), row(20));
  EXPECT_EQ(row(0)[0], 160);   // 20 / 97 is the first band
  EXPECT_EQ(row(0)[77], 164);  // 97 / 97 the next one, a step of 8-bit video away
  EXPECT_EQ(
      synthetic_frame(Synthetic::kBanded, {.name = {}, .width = 400, .height = 30}, 0).luma().u8.row(10)[77],
      41);
}

std::vector<int> luma_row(const Frame& frame, int y) {
  const uint16_t* const row = frame.luma().u16.row(y);
  return {row, row + frame.luma().width()};
}

int total_steps(const std::vector<int>& row) {
  int steps = 0;
  for (size_t x = 1; x < row.size(); ++x) steps += std::abs(row[x] - row[x - 1]);
  return steps;
}

TEST(SyntheticFrame, FilmHasASkyInBandsAndDetailThatAnEncoderSoftens) {
  const VideoFormat format = {.name = {}, .width = 400, .height = 90, .bit_depth = 10};
  const FramePair pair =
      synthetic_pair(Synthetic::kFilm, format, 2, {.planes = 3, .reference = true, .before = {}});
  EXPECT_EQ(pair.distorted.planes[2].width(), 200);
  EXPECT_EQ(pair.distorted.index, pair.reference->index);
  for (const int level : luma_row(*pair.reference, 10)) ASSERT_EQ(level % 4, 0);
  for (const int level : luma_row(pair.distorted, 10)) ASSERT_EQ(level % 8, 0);
  EXPECT_GT(total_steps(luma_row(*pair.reference, 10)), 0);
  EXPECT_GT(total_steps(luma_row(*pair.reference, 60)), 3 * total_steps(luma_row(pair.distorted, 60)) / 2);
  // What is there moves by three samples to the left, but for the grain of both frames.
  const std::vector<int> before = luma_row(synthetic_frame(Synthetic::kFilm, format, 1), 61),
                         now = luma_row(*pair.reference, 60);
  for (size_t x = 3; x < before.size(); ++x) ASSERT_LE(std::abs(before[x] - now[x - 3]), 15) << x;
}

TEST(SyntheticFrame, PairsOfOtherKindsAreNeighbours) {
  const VideoFormat format = {.name = {}, .width = 200, .height = 30, .bit_depth = 10};
  const FramePair pair =
      synthetic_pair(Synthetic::kBanded, format, 7, {.planes = 1, .reference = true, .before = {}});
  EXPECT_EQ(luma_row(pair.distorted, 3), luma_row(synthetic_frame(Synthetic::kBanded, format, 7), 3));
  EXPECT_EQ(luma_row(*pair.reference, 3), luma_row(synthetic_frame(Synthetic::kBanded, format, 8), 3));
  EXPECT_FALSE(
      synthetic_pair(Synthetic::kFilm, format, 7, {.planes = 1, .reference = false, .before = {}}).reference);
}

}  // namespace
}  // namespace vq::cli
