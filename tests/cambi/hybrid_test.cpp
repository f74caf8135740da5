// The hybrid extractor against the one on the CPU: the same values and heatmaps to the last bit.
#include <cstdlib>

#include "core/error.h"
#include "feature/cambi/feature.h"
#include "feature/extractor.h"
#include "tests/support/cambi_device.h"
#include "tests/support/cambi_host.h"
#include "tests/support/extractor_test.h"
#include "tests/support/gpu_test.h"

namespace vq::cambi::test {
namespace {

using namespace vq::test;

struct HybridCase {
  Size size;
  int depth = 8;
  CambiOptions options = {};
};

std::vector<FramePair> hybrid_frames(const HybridCase& what, int count) {
  std::vector<FramePair> frames;
  for (int i = 0; i < count; ++i) {
    const Pattern pattern = std::vector{Pattern::kSteps, Pattern::kRamp, Pattern::kFlatWithDots,
                                        Pattern::kTwoLevels, Pattern::kBorders}[static_cast<size_t>(i % 5)];
    FramePair pair;
    pair.index = i;
    pair.distorted = make_frame(pattern, what.size, what.depth, i);
    if (what.options.full_ref) pair.reference = make_frame(Pattern::kRamp, what.size, what.depth, i);
    frames.push_back(std::move(pair));
  }
  return frames;
}

InputFormats hybrid_formats(const HybridCase& what) {
  InputFormats formats;
  formats.distorted = make_format("dist.y4m", what.size, what.depth);
  if (what.options.full_ref) formats.reference = make_format("ref.y4m", what.size, what.depth);
  return formats;
}

void expect_hybrid_equal(const HybridCase& what, int threads, int count) {
  SCOPED_TRACE(std::to_string(what.size.width) + "x" + std::to_string(what.size.height) + " depth " +
               std::to_string(what.depth));
  WorkerPool pool(threads);
  const std::vector<FramePair> frames = hybrid_frames(what, count);
  Scores expected, actual;
  score_all(*make_on_host(what.options, hybrid_formats(what), {Backend::kScalar, &pool, true}), frames,
            expected);
  const auto hybrid = make_on_device(test_device(), what.options, hybrid_formats(what),
                                               {Backend::kHybrid, &pool, true});
  score_all(*hybrid, frames, actual);
  EXPECT_EQ(expected.frames, actual.frames);
  EXPECT_EQ(expected.all, actual.all);
  EXPECT_EQ(expected.heatmap_sizes, actual.heatmap_sizes);
  EXPECT_TRUE(expected.heatmaps == actual.heatmaps);
  const BackendReport report = hybrid->backend_report();
  EXPECT_EQ(report.backend, "hybrid");
  EXPECT_EQ(report.device, test_device()->info().name);
  EXPECT_FALSE(report.driver.empty());
  EXPECT_GT(report.bytes_uploaded, int64_t{count} * what.size.width * what.size.height);
  EXPECT_GT(report.bytes_read, 0);
  std::vector<std::string> stages;
  for (const StageTotal& stage : report.stages) stages.push_back(stage.stage);
  EXPECT_EQ(stages, (std::vector<std::string>{"upload", "preprocess", "mask", "mode_filter", "decimate",
                                              "readback"}));
}

TEST(CambiHybrid, EqualsTheCpuAtEveryDepth) {
  for (const int depth : {8, 9, 10, 12, 14, 16}) expect_hybrid_equal({{320, 216}, depth}, 2, 5);
}

TEST(CambiHybrid, EqualsTheCpuOnThinStripsAndOddSizes) {
  for (const Size size : {Size{4000, 20}, {20, 4000}, {216, 1}, {1, 216}, {417, 235}, {255, 217}}) {
    expect_hybrid_equal({size, 8}, 2, 3);
    expect_hybrid_equal({size, 10}, 1, 2);
  }
}

TEST(CambiHybrid, EqualsTheCpuUnderEveryOptionOfTheDevicesStages) {
  HybridCase resized{{640, 360}, 10};
  resized.options.enc_width = 480;
  resized.options.enc_height = 270;
  expect_hybrid_equal(resized, 2, 3);
  resized.options.enc_bitdepth = 8;
  expect_hybrid_equal(resized, 1, 3);
  HybridCase undithered{{333, 217}, 8};
  undithered.options.enc_bitdepth = 10;
  expect_hybrid_equal(undithered, 2, 3);
  HybridCase full{{320, 240}, 8};
  full.options.full_ref = true;
  full.options.src_width = 400;
  full.options.src_height = 300;
  expect_hybrid_equal(full, 2, 6);
  HybridCase fast{{1920, 1081}, 8};
  fast.options.high_res_speedup = 1080;
  expect_hybrid_equal(fast, 2, 1);
}

TEST(CambiHybrid, NamesTheSampleAboveTheDepthAfterDeliveringWhatCameBefore) {
  for (const int threads : {1, 3}) {
    const HybridCase what{{300, 220}, 10};
    WorkerPool pool(threads);
    std::vector<FramePair> frames = hybrid_frames(what, 6);
    const auto spoiled = std::make_shared<std::vector<uint16_t>>(300 * 220, uint16_t{500});
    (*spoiled)[219 * 300 + 299] = 1024;
    frames[4].distorted.luma().u16 = {spoiled->data(), 300, 220, 300};
    frames[4].distorted.owner = spoiled;
    std::string messages[2];
    for (const bool on_device : {false, true}) {
      const Execution execution{on_device ? Backend::kHybrid : Backend::kScalar, &pool};
      const auto extractor =
          on_device ? make_on_device(test_device(), what.options, hybrid_formats(what), execution)
                    : make_on_host(what.options, hybrid_formats(what), execution);
      Scores scores;
      try {
        score_all(*extractor, frames, scores);
        FAIL() << "no error";
      } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::kMismatch);
        messages[on_device ? 1 : 0] = error.what();
      }
      EXPECT_EQ(scores.frames, (std::vector<int64_t>{0, 1, 2, 3}));
    }
    EXPECT_EQ(messages[0], messages[1]);
  }
}

TEST(CambiHybrid, TheRegistryOpensADeviceBySelector) {
  const HybridCase what{{300, 220}, 8};
  WorkerPool pool(1);
  const OptionSet set(option_specs());
  // The user's own cache of pipelines is none of a test's business.
  setenv("XDG_CACHE_HOME", ::testing::TempDir().c_str(), 1);
  Execution execution{Backend::kHybrid, &pool};
  execution.devices.selector = std::to_string(test_device()->info().index);
  const std::vector<FeatureRequest> requests = {{&feature_info(), set}};
  const auto extractor = make_extractor(requests, hybrid_formats(what), execution);
  EXPECT_EQ(extractor->backend_report().device, test_device()->info().name);
  EXPECT_GT(extractor_bytes(requests, hybrid_formats(what), execution), 300 * 220);
  execution.devices.selector = "no such device";
  try {
    make_extractor(requests, hybrid_formats(what), execution);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kUsage);
    EXPECT_THAT(error.what(), ::testing::HasSubstr(test_device()->info().name));
  }
}

}  // namespace
}  // namespace vq::cambi::test
