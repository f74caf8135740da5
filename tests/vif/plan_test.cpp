#include "feature/vif/vif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/decoded_plane.h"
#include "tests/support/expect_error.h"
#include "tests/vif/stages_test.h"

namespace vq::vif::test {
namespace {

using ::testing::ElementsAre;
using namespace vq::test;

VideoFormats formats_of(int width, int height, int distorted_depth = 8, int reference_depth = 8) {
  return {{.name = "show.mkv", .width = width, .height = height, .bit_depth = distorted_depth},
          VideoFormat{.name = "master.mov", .width = width, .height = height, .bit_depth = reference_depth}};
}

void refuses(ErrorKind kind, std::initializer_list<std::string_view> parts, const VideoFormats& formats) {
  vq::test::expect_error(kind, parts, [&] { Vif::make_plan({}, formats); });
}

TEST(VifPlan, HalvesThePictureThreeTimes) {
  const VifPlan plan = Vif::make_plan({}, formats_of(31, 200));
  EXPECT_THAT(plan.sizes,
              ElementsAre(PlaneSize{31, 200}, PlaneSize{15, 100}, PlaneSize{7, 50}, PlaneSize{3, 25}));
}

TEST(VifPlan, RefusesWhatItCannotCompare) {
  refuses(ErrorKind::kMismatch, {"7x100", "vif", "8"}, formats_of(7, 100));
  refuses(ErrorKind::kMismatch, {"show.mkv is 100x7;", "vif", "8"}, formats_of(100, 7));
  EXPECT_NO_THROW(Vif::make_plan({}, formats_of(8, 8)));
  VideoFormats formats = formats_of(100, 100);
  formats.reference->width = 102;
  refuses(ErrorKind::kMismatch, {"100x100", "102x100", "vif"}, formats);
  formats.reference.reset();
  refuses(ErrorKind::kUsage, {"vif", "reference"}, formats);
}

// 4096 units of 1/2048 bit are 2 bits; 2 * 16384 * 65025 of flat variance count as 2 samples.
TEST(VifPlan, InformationIsBitsAndFlatSamples) {
  const Information information = information_of(
      {.num_log = 4096, .den_log = 10240, .flat = 100, .flat_variance = int64_t{2} * 16384 * 65025});
  EXPECT_EQ(information.num, 100.0F);
  EXPECT_EQ(information.den, 105.0F);
}

constexpr Information kScalesOf[] = {{1, 2}, {3, 4}, {5, 5}, {8, 4}};

TEST(VifPlan, ScoresAreQuotients) {
  const VifPlan plan = Vif::make_plan({.debug = true}, formats_of(64, 64));
  EXPECT_THAT(frame_result(plan, kScalesOf).values,
              ElementsAre(0.5, 0.75, 1, 2, 17.0 / 15.0, 17, 15, 1, 2, 3, 4, 5, 5, 8, 4));
  EXPECT_THAT(frame_result(Vif::make_plan({}, formats_of(64, 64)), kScalesOf).values,
              ElementsAre(0.5, 0.75, 1, 2));
}

TEST(VifPlan, AScaleThatIsSkippedCountsForNothing) {
  const VifPlan plan = Vif::make_plan({.skip_scale0 = true, .debug = true}, formats_of(64, 64));
  const Information scales[] = {{}, kScalesOf[1], kScalesOf[2], kScalesOf[3]};
  EXPECT_THAT(frame_result(plan, scales).values,
              ElementsAre(0, 0.75, 1, 2, 16.0 / 13.0, 16, 13, 0, -1, 3, 4, 5, 5, 8, 4));
}

// Samples of the shallower video are shifted left: four times its levels are the same picture.
TEST(VifDriver, BringsVideosOfDifferentDepthsTogether) {
  const PlaneSize size = {50, 40};
  const DecodedPlane bytes = noise_plane(size, 8, 0, 255, 6);
  DecodedPlane words(size.width, size.height, 10);
  words.fill([&](int x, int y) { return bytes.view().u8.row(y)[x] * 4; });
  for (const Implementation& implementation : implementations()) {
    SCOPED_TRACE(implementation.name);
    const auto values = [&](const DecodedPlane& reference, int reference_depth, const DecodedPlane& distorted,
                            int distorted_depth) {
      const VifPlan plan = Vif::make_plan(
          {.debug = true}, formats_of(size.width, size.height, distorted_depth, reference_depth));
      Workspace workspace(plan);
      return score_pictures(plan, {reference.view(), distorted.view()}, implementation.stages, workspace)
          .values;
    };
    const std::vector<double> expected = values(words, 10, words, 10);
    EXPECT_GT(expected[0], 0.99);
    EXPECT_EQ(values(bytes, 8, words, 10), expected);
    EXPECT_EQ(values(words, 10, bytes, 8), expected);
    EXPECT_EQ(values(bytes, 8, bytes, 8), expected);
  }
}

// One row or column is left of the last scale.
TEST(VifDriver, EveryImplementationEqualsScalarOnTheSmallestPictures) {
  for (const PlaneSize& size : {PlaneSize{8, 8}, {9, 15}, {15, 70}, {70, 8}, {33, 17}}) {
    const DecodedPlane reference = noise_plane(size, 8, 0, 255, 1),
                       distorted = noise_plane(size, 8, 0, 255, 2);
    const VifPlan plan = Vif::make_plan({.debug = true}, formats_of(size.width, size.height));
    Workspace workspace(plan);
    const std::string where = std::to_string(size.width) + "x" + std::to_string(size.height);
    vq::test::expect_same_of_all(implementations(), where, [&](const Implementation& one) {
      return score_pictures(plan, {reference.view(), distorted.view()}, one.stages, workspace).values;
    });
  }
}

TEST(VifDriver, WorkMemoryIsNoMoreThanItSays) {
  for (const PlaneSize& size : {PlaneSize{1920, 1080}, {640, 360}, {16, 16}}) {
    const VifPlan plan = Vif::make_plan({}, formats_of(size.width, size.height, 8, 10));
    int64_t samples = 0;
    for (const PlaneSize& scale : plan.sizes) samples += int64_t{scale.width} * scale.height;
    EXPECT_GE(Workspace::bytes(plan), 2 * 2 * samples + 48 * size.width);
    EXPECT_LT(Workspace::bytes(plan), 2 * 2 * samples * 5 / 4 + 100000);
  }
}

}  // namespace
}  // namespace vq::vif::test
