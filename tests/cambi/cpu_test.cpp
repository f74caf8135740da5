// The CPU extractor as a whole: order of delivery, threads, repeated pictures, what a bad sample says.

#include <gmock/gmock.h>

#include "core/worker_pool.h"
#include "feature/simd_targets.h"
#include "tests/cambi/stage_test.h"
#include "tests/support/cambi_host.h"
#include "tests/support/expect_error.h"
#include "tests/support/extractor_test.h"

namespace vq::cambi::test {
namespace {

constexpr int kWidth = 256, kHeight = 144;

// A banded picture; `variant` moves the bands.
Frame picture(int variant) {
  const auto luma = std::make_shared<DecodedPlane>(kWidth, kHeight, 10);
  luma->fill([=](int x, int y) { return 120 + (x + y + 7 * variant) / 20; });
  Frame frame = luma_frame(*luma);
  frame.owner = luma;
  return frame;
}

VideoFormats cpu_formats() {
  return {make_format("video", {kWidth, kHeight}, 10), std::nullopt};
}

struct Result {
  Scores scores;
  BackendReport report;
};

Result score(const std::vector<FramePair>& pairs, const CambiOptions& options, int threads,
             Backend backend = Backend::kCpu) {
  WorkerPool pool(threads);
  const auto extractor =
      make_on_host(options, cpu_formats(), {.backend = backend, .pool = &pool, .heatmaps = true});
  Result result;
  score_all(*extractor, pairs, result.scores);
  result.report = extractor->backend_report();
  return result;
}

std::vector<FramePair> video(const std::vector<int>& variants) {
  std::vector<FramePair> pairs;
  for (const int variant : variants) {
    FramePair pair;
    pair.index = pair.distorted.index = static_cast<int64_t>(pairs.size());
    pair.distorted = picture(variant);
    pairs.push_back(pair);
  }
  return pairs;
}

TEST(CambiCpu, ARepeatedPictureIsNotScoredAgain) {
  for (const int threads : {1, 3}) {
    const Result all = score(video({1, 1, 2, 1, 1, 1}), {}, threads);
    EXPECT_EQ(all.report.repeated_frames, 3);
    EXPECT_THAT(all.scores.frames, testing::ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_EQ(all.scores.heatmap_sizes.size(), size_t{6} * kScales);
    const double one = all.scores.all[0][0], two = all.scores.all[2][0];
    EXPECT_GT(one, 0);
    EXPECT_NE(one, two);
    EXPECT_EQ(all.scores.all, (std::vector<std::vector<double>>{{one}, {one}, {two}, {one}, {one}, {one}}));
  }
}

TEST(CambiCpu, APairRepeatsOnlyWhereBothPicturesDo) {
  CambiOptions options;
  options.full_ref = true;
  std::vector<FramePair> pairs = video({1, 1, 1});
  pairs[0].reference = picture(4);
  pairs[1].reference = picture(5);
  pairs[2].reference = picture(5);
  const Result result = score(pairs, options, 1);
  EXPECT_EQ(result.report.repeated_frames, 1);
  EXPECT_NE(result.scores.all[0][1], result.scores.all[1][1]);
  EXPECT_EQ(result.scores.all[1], result.scores.all[2]);
}

TEST(CambiCpu, NeitherThreadsNorBackendChangeAnything) {
  const std::vector<FramePair> pairs = video({1, 2, 3, 3, 4, 5, 6, 1});
  const Result scalar = score(pairs, {}, 1, Backend::kScalar);
  for (const int threads : {1, 2, 5}) {
    const Result simd = score(pairs, {}, threads);
    EXPECT_EQ(scalar.scores.all, simd.scores.all);
    EXPECT_TRUE(scalar.scores.heatmaps == simd.scores.heatmaps);
  }
  EXPECT_EQ(scalar.report.simd, "scalar");
}

TEST(CambiCpu, ASampleAboveTheDepthEndsTheRunAtItsFrame) {
  std::vector<FramePair> pairs = video({1, 2, 3});
  const auto luma =
      std::make_shared<DecodedPlane>(*std::static_pointer_cast<const DecodedPlane>(pairs[1].distorted.owner));
  luma->set(5, 2, 1024);
  pairs[1].distorted.luma() = luma->view();
  pairs[1].distorted.owner = luma;
  pairs[1].distorted.index = 1;
  WorkerPool pool(2);
  const auto extractor = make_on_host({}, cpu_formats(), {.pool = &pool});
  Scores scores;
  expect_error(ErrorKind::kMismatch, {"frame 1", "x=5, y=2"}, [&] {
    for (const FramePair& pair : pairs) extractor->push(pair, scores);
    extractor->finish(scores);
  });
  EXPECT_THAT(scores.frames, testing::ElementsAre(0));
}

TEST(CambiCpu, AWindowOfOneSampleGivesABlackHeatmap) {
  VideoFormats small = cpu_formats();
  small.distorted.height = 33;
  CambiOptions options;
  options.window_size = 15;
  const CambiPlan plan = make_plans(options, small).distorted;
  ASSERT_EQ(plan.window, 1);
  const auto values = canvas_of<float>({{0, 0, 0}});
  Canvas<uint16_t> samples(3, 1);
  scalar_stages().heatmap(values.view(), plan.heatmap_factor, samples.view());
  EXPECT_EQ(rows_of<uint16_t>(samples.view()), (std::vector<std::vector<uint16_t>>{{0, 0, 0}}));
}

TEST(CambiCpu, ReportsTheInstructionSetInUse) {
  WorkerPool pool(1);
  const auto targets = allowed_simd_targets(0);
  const auto best = make_on_host({}, cpu_formats(), {.pool = &pool});
  EXPECT_EQ(best->backend_report().simd, targets.empty() ? "scalar" : targets.front().name);
  const auto none = make_on_host({}, cpu_formats(), {.pool = &pool, .cpumask = ~0U});
  EXPECT_EQ(none->backend_report().simd, "scalar");
}

}  // namespace
}  // namespace vq::cambi::test
