// Golden cases on the CPU: every figure to the last bit, and every integer.
#include <gtest/gtest.h>

#include "tests/xpsnr/golden_cases.h"

namespace vq::xpsnr::test {
namespace {

struct GoldenPair {
  Video reference, distorted;
};

GoldenPair pair_of(const json& golden) {
  GoldenPair pair{.reference = decoded(golden.at("reference")), .distorted = {}};
  pair.distorted = golden.contains("distorted") ? decoded(golden.at("distorted")) : stirred(pair.reference);
  return pair;
}

void expect_frame(const json& golden, const FrameResult& result) {
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(result.values[i], figure(golden.at(kFigures[i]))) << kFigures[i];
    // The roots of different integers differ, as far as these go.
    EXPECT_EQ(result.tallies[i], std::sqrt(golden.at(kIntegers[i]).get<double>())) << kIntegers[i];
  }
  EXPECT_EQ(result.values[3], std::min({result.values[0], result.values[1], result.values[2]}));
}

void expect_run(const json& golden, const std::vector<std::pair<std::string, double>>& run) {
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(run[i].first, kFigures[i]);
    EXPECT_EQ(run[i].second, figure(golden.at(kFigures[i]))) << kFigures[i];
  }
  EXPECT_EQ(run[3], std::pair(std::string("xpsnr_min"), figure(golden.at("minimum"))));
}

void expect_golden(const json& golden, const GoldenPair& videos, const GoldenWay& way) {
  OptionSet options(feature_info().options);
  options.set("fps", golden.at("options").at("fps").dump());
  const VideoFormats formats = {videos.distorted.format, videos.reference.format};
  const Backend backend = way.backend == "scalar" ? Backend::kScalar : Backend::kCpu;
  const auto feature =
      feature_info().make(options, formats, {.backend = backend, .threads = 1, .cpumask = way.cpumask});
  PreviousFrames before(feature_info().neighbours(options));
  std::vector<double> totals;
  const json& frames = golden.at("frames");
  ASSERT_LE(frames.size(), std::min(videos.reference.frames.size(), videos.distorted.frames.size()));
  for (size_t i = 0; i < frames.size(); ++i) {
    SCOPED_TRACE("frame " + std::to_string(i));
    FramePair pair{.distorted = videos.distorted.frames[i], .reference = videos.reference.frames[i]};
    before.give(pair);
    const FrameResult result = feature->score(pair);
    expect_frame(frames[i], result);
    totals.resize(result.tallies.size());
    for (size_t k = 0; k < totals.size(); ++k) totals[k] += result.tallies[k];
  }
  expect_run(golden.at("run"), feature_info().aggregates(options, formats, totals));
}

// Those of pictures of up to so many samples, in each of these ways.
void expect_cases(int64_t most, const std::vector<GoldenWay>& ways) {
  for (const json& golden : xpsnr_cases()) {
    const GoldenPair videos = pair_of(golden);
    const VideoFormat& format = videos.reference.format;
    if (int64_t{format.width} * format.height > most) continue;
    for (const GoldenWay& way : ways) {
      SCOPED_TRACE(golden.at("reference").get<std::string>() + " and " +
                   golden.value("distorted", "stirred") + ", " + text_of_feature(golden) + ", " +
                   way.backend + ", mask " + std::to_string(way.cpumask));
      expect_golden(golden, videos, way);
    }
  }
}

TEST(XpsnrGolden, FileHasAllItsCases) {
  EXPECT_EQ(xpsnr_cases().size(), 59U);
}

TEST(XpsnrGolden, SmallPicturesScoreAsTheFilterOnEveryInstructionSet) {
  expect_cases(150000, host_ways());
}

TEST(XpsnrGolden, AllCasesScoreAsTheFilter) {
  expect_cases(int64_t{1} << 40, {{"cpu"}});
}

TEST(XpsnrGoldenOfEverySize, EqualsTheFilterOnEveryInstructionSet) {
  expect_cases(int64_t{1} << 40, host_ways());
}

// What the filter does to samples from 32768 on, and to a narrow last column of a large picture, is left out.
TEST(XpsnrGolden, DiffersFromTheFilterWhereThatSlips) {
  int slips = 0;
  for (const json& golden : xpsnr_cases()) {
    if (!golden.contains("filter")) continue;
    ++slips;
    EXPECT_NE(golden.at("filter").at("run"), golden.at("run"));
  }
  EXPECT_EQ(slips, 3);
}

}  // namespace
}  // namespace vq::xpsnr::test
