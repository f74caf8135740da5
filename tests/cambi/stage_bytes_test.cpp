// What stages must move, against figures worked out by hand.
#include "feature/cambi/cambi.h"

#include <gmock/gmock.h>

#include "feature/extractor.h"
#include "feature/feature.h"

namespace vq::cambi {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

// Scales of 512x256, 256x128, 128x64, 64x32 and 32x16 samples: a quarter each of the one before.
constexpr int kWhole = 512 * 256, kCoarse = 256 * 128 + 128 * 64 + 64 * 32 + 32 * 16,
              kScalesTogether = kWhole + kCoarse;

VideoFormats stage_formats(int depth) {
  return {.distorted = {.name = "clip", .width = 512, .height = 256, .bit_depth = depth}, .reference = {}};
}

std::vector<std::pair<std::string, int64_t>> bytes_of(const CambiOptions& options,
                                                      const VideoFormats& stage_formats, Backend backend) {
  std::vector<std::pair<std::string, int64_t>> list;
  for (const StageBytes& stage :
       Cambi::stage_bytes(make_plans(options, stage_formats), stage_formats, backend))
    list.emplace_back(stage.stage, stage.bytes);
  return list;
}

TEST(CambiStageBytes, OnTheHost) {
  EXPECT_THAT(bytes_of({}, stage_formats(8), Backend::kCpu),
              ElementsAre(Pair("prepare", kWhole * (1 + 2 + 1)), Pair("decimate", kCoarse * 2 * 3),
                          Pair("mode_filter", kCoarse * 2 * 2), Pair("c_values", kScalesTogether * 3)));
  EXPECT_THAT(bytes_of({}, stage_formats(10), Backend::kScalar)[0], Pair("prepare", kWhole * (2 + 2 + 1)));
}

TEST(CambiStageBytes, ASourceTakesAsMuchAgain) {
  CambiOptions options;
  options.full_ref = true;
  VideoFormats both = stage_formats(8);
  both.reference = both.distorted;
  const auto one = bytes_of({}, stage_formats(8), Backend::kVulkan),
             two = bytes_of(options, both, Backend::kVulkan);
  ASSERT_EQ(one.size(), two.size());
  for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(two[i].second, 2 * one[i].second) << one[i].first;
}

// Every feature says what it moves, on every backend it has; with several each stage is called by its metric.
TEST(StageBytes, OfEveryFeature) {
  VideoFormats both = stage_formats(8);
  both.reference = both.distorted;
  for (const FeatureInfo* info : features()) {
    ASSERT_NE(info->stage_bytes, nullptr) << info->name;
    const std::vector<FeatureRequest> twice(2, {.info = info, .options = OptionSet(info->options)});
    for (const Backend backend : info->backends) {
      int64_t bytes = 0;
      for (const StageBytes& stage : stage_bytes_of(std::span(twice).first(1), both, backend)) {
        EXPECT_GT(stage.bytes, 0) << info->name << " " << stage.stage;
        EXPECT_EQ(bare_stage(stage.stage), stage.stage);
        bytes += stage.bytes;
      }
      // The least is read by SpEED: 9 of 16 rows of the chroma of both.
      EXPECT_GE(bytes, kWhole * 9 / 16) << info->name;
      const std::string metric = info->metric_names(twice[0].options).front();
      for (const StageBytes& stage : stage_bytes_of(twice, both, backend)) {
        EXPECT_EQ(stage.stage, prefixed_stage(metric, bare_stage(stage.stage)));
      }
      EXPECT_EQ(stage_bytes_of(twice, both, backend, true).empty(), !needs_every_frame(twice[0]))
          << info->name;
    }
  }
}

}  // namespace
}  // namespace vq::cambi
