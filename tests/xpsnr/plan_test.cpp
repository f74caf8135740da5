#include "feature/xpsnr/xpsnr.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/option_rows.h"

namespace vq::xpsnr {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

VideoFormats formats_of(int width, int height, Chroma chroma = Chroma::k420) {
  const VideoFormat format = {.name = "a", .width = width, .height = height, .chroma = chroma};
  return {format, format};
}

PlaneSize block_of(int width, int height) {
  return Xpsnr::make_plan({}, formats_of(width, height)).form.grid.block;
}

TEST(XpsnrOptions, AreChromaAndTheFrameRate) {
  using Row = vq::test::OptionRow<XpsnrOptions>;
  vq::test::check_options<XpsnrOptions>(
      Xpsnr::kOptions,
      {Row{"enable_chroma", &XpsnrOptions::chroma, true, "false", false},
       Row{"fps", &XpsnrOptions::fps, 0, "59.94", 59.94, {"-1", "1001", "nan", "inf", "30000/1001"}}},
      {"gamma", "stats_file"});
}

TEST(XpsnrOptions, EnterNoMetricName) {
  const OptionSet set =
      vq::test::set_of(Xpsnr::kOptions.specs(), {{"fps", "60"}, {"enable_chroma", "false"}});
  EXPECT_THAT(feature_info().metric_names(set), ElementsAre("xpsnr_y", "xpsnr_min"));
  EXPECT_THAT(feature_info().metric_names(OptionSet(Xpsnr::kOptions.specs())),
              ElementsAre("xpsnr_y", "xpsnr_u", "xpsnr_v", "xpsnr_min", "xpsnr_weighted"));
}

// The integer part is what counts, so 31.99 is slow.
TEST(XpsnrOptions, ManyFramesASecondTakeTwoFramesBefore) {
  const auto before = [](const char* fps) {
    return feature_info().neighbours(vq::test::set_of(Xpsnr::kOptions.specs(), {{"fps", fps}})).references;
  };
  EXPECT_EQ(before("24"), 1);
  EXPECT_EQ(before("31.99"), 1);
  EXPECT_EQ(before("32"), 2);
  EXPECT_EQ(before("59.94"), 2);
  EXPECT_EQ(before("0"), 2) << "as many as any rate takes";
  EXPECT_FALSE(Xpsnr::make_plan({.fps = 31.99}, formats_of(64, 64)).form.is_second_order);
  EXPECT_TRUE(Xpsnr::make_plan({.fps = 32}, formats_of(64, 64)).form.is_second_order);
}

TEST(XpsnrOptions, TheRateIsThatOfTheDistortedVideo) {
  VideoFormats formats = formats_of(64, 64);
  formats.distorted.frame_rate = 60000.0 / 1001;
  formats.reference->frame_rate = 24;
  OptionSet set(Xpsnr::kOptions.specs());
  EXPECT_THAT(feature_info().resolve(set, formats, AskedBy::kProgram).notes,
              ElementsAre("xpsnr: fps=59.94 (from the stream)"));
  EXPECT_EQ(set.get_real("fps"), 60000.0 / 1001);

  OptionSet given = vq::test::set_of(Xpsnr::kOptions.specs(), {{"fps", "25"}});
  EXPECT_THAT(feature_info().resolve(given, formats, AskedBy::kUser).notes, IsEmpty());
  EXPECT_EQ(given.get_real("fps"), 25);

  OptionSet absurd(Xpsnr::kOptions.specs());
  formats.distorted.frame_rate = 90000;
  feature_info().resolve(absurd, formats, AskedBy::kProgram);
  EXPECT_EQ(absurd.get_real("fps"), 1000);

  OptionSet unknown(Xpsnr::kOptions.specs());
  formats.distorted.frame_rate = 0;
  EXPECT_THAT(feature_info().resolve(unknown, formats, AskedBy::kProgram).notes,
              ElementsAre("xpsnr: fps=25 (assumed)"));
  EXPECT_FALSE(is_fast(unknown.get_real("fps")));
}

TEST(XpsnrOptions, VideoWithoutChromaIsComparedByItsLuma) {
  OptionSet set = vq::test::set_of(Xpsnr::kOptions.specs(), {{"enable_chroma", "true"}, {"fps", "25"}});
  EXPECT_THAT(feature_info().resolve(set, formats_of(64, 64, Chroma::k400), AskedBy::kUser).notes,
              ElementsAre(HasSubstr("luma alone")));
  EXPECT_FALSE(set.get_bool("enable_chroma"));
}

// The sides of blocks that FFmpeg's filter has for these sizes.
TEST(XpsnrPlan, BlocksGrowWithThePicture) {
  EXPECT_EQ(block_of(3840, 2160), (PlaneSize{128, 128}));
  EXPECT_EQ(block_of(4096, 2160), (PlaneSize{132, 132}));
  EXPECT_EQ(block_of(1920, 1080), (PlaneSize{64, 64}));
  EXPECT_EQ(block_of(1280, 720), (PlaneSize{44, 44}));
  EXPECT_EQ(block_of(640, 360), (PlaneSize{20, 20}));
  EXPECT_EQ(block_of(128, 96), (PlaneSize{4, 4}));
}

TEST(XpsnrPlan, VerySmallPicturesHaveNoWeights) {
  const XpsnrPlan small = Xpsnr::make_plan({}, formats_of(44, 46)),
                  larger = Xpsnr::make_plan({}, formats_of(45, 45));
  EXPECT_FALSE(small.is_weighted);
  EXPECT_EQ(small.grids[0].count(), 1U);
  EXPECT_EQ(small.grids[1].block, (PlaneSize{22, 23}));
  EXPECT_TRUE(larger.is_weighted);
  EXPECT_EQ(larger.form.grid.columns, 12);
}

TEST(XpsnrPlan, LargePicturesAreMeasuredInCells) {
  EXPECT_FALSE(Xpsnr::make_plan({}, formats_of(2048, 1152)).form.in_cells);
  EXPECT_TRUE(Xpsnr::make_plan({}, formats_of(2048, 1153)).form.in_cells);
}

// Whatever the sampling and the sides, each block of chroma is at the place of one of luma's.
TEST(XpsnrPlan, EveryPlaneHasAsManyBlocks) {
  for (const Chroma chroma :
       {Chroma::k410, Chroma::k411, Chroma::k420, Chroma::k422, Chroma::k440, Chroma::k444}) {
    for (const bool rounds_down : {false, true}) {
      for (int width = 45; width < 200; ++width) {
        VideoFormats formats = formats_of(width, 90 + width % 7, chroma);
        formats.distorted.rounds_chroma_down = formats.reference->rounds_chroma_down = rounds_down;
        const XpsnrPlan plan = Xpsnr::make_plan({}, formats);
        for (int i = 0; i < plan.planes; ++i) {
          const Grid& grid = plan.grids[static_cast<size_t>(i)];
          EXPECT_EQ(grid.plane, plane_size(formats.distorted, i));
          EXPECT_GE(grid.columns * grid.block.width, grid.plane.width) << width;
          EXPECT_GE(grid.rows * grid.block.height, grid.plane.height) << width;
          if (rounds_down) continue;
          EXPECT_GT(grid.column(grid.columns - 1).length(), 0) << width;
          EXPECT_GT(grid.row(grid.rows - 1).length(), 0) << width;
        }
      }
    }
  }
}

TEST(XpsnrPlan, ShiftsTheVideoOfFewerBits) {
  VideoFormats formats = formats_of(64, 64);
  formats.reference->bit_depth = 10;
  const XpsnrPlan plan = Xpsnr::make_plan({}, formats);
  EXPECT_EQ(plan.bit_depth, 10);
  EXPECT_EQ(plan.distorted_shift, 2);
  EXPECT_EQ(plan.reference_shift, 0);
}

TEST(XpsnrPlan, VideosThatDoNotFitAreRefused) {
  vq::test::expect_error(ErrorKind::kUsage, {"xpsnr"}, [] {
    Xpsnr::make_plan({}, {formats_of(64, 64).distorted, {}});
  });
  const VideoFormats other = {formats_of(64, 64).distorted, formats_of(66, 64).distorted};
  vq::test::expect_error(ErrorKind::kMismatch, {"64x64", "66x64"}, [&] { Xpsnr::make_plan({}, other); });
  const VideoFormats sampled = {formats_of(64, 64).distorted, formats_of(64, 64, Chroma::k444).distorted};
  vq::test::expect_error(ErrorKind::kMismatch, {"enable_chroma=false"},
                         [&] { Xpsnr::make_plan({}, sampled); });
  EXPECT_EQ(Xpsnr::make_plan({.chroma = false}, sampled).planes, 1);
}

}  // namespace
}  // namespace vq::xpsnr
