// Options and plans of XPSNR, and weights, smoothing and what becomes of them, by examples to check by hand.
#include "feature/xpsnr/xpsnr.h"

#include "tests/support/option_rows.h"

namespace vq::xpsnr {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

VideoFormats formats_of(int width, int height, Chroma chroma = Chroma::k420) {
  const VideoFormat format = {.name = "a", .width = width, .height = height, .chroma = chroma};
  return {format, format};
}

TEST(XpsnrOptions, AreChromaAndTheFrameRate) {
  using Row = vq::test::OptionRow<XpsnrOptions>;
  vq::test::check_options<XpsnrOptions>(
      Xpsnr::kOptions,
      {Row{"enable_chroma", &XpsnrOptions::chroma, true, "false", false},
       Row{"fps", &XpsnrOptions::fps, 0, "59.94", 59.94, {"-1", "1001", "nan", "inf", "30000/1001"}}},
      {"gamma", "stats_file"});
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
  struct Case {
    std::vector<std::pair<std::string, std::string>> options;
    double rate, expected;
    std::vector<std::string> notes;
  };
  for (const auto& [options, rate, expected, notes] :
       {Case{{}, 60000.0 / 1001, 60000.0 / 1001, {"xpsnr: fps=59.94 (from the stream)"}},
        Case{{{"fps", "25"}}, 60000.0 / 1001, 25, {}},
        Case{{}, 90000, 1000, {"xpsnr: fps=1000 (from the stream)"}},
        Case{{}, 0, 25, {"xpsnr: fps=25 (assumed)"}}}) {
    VideoFormats formats = formats_of(64, 64);
    formats.distorted.frame_rate = rate;
    formats.reference->frame_rate = 24;
    OptionSet set = vq::test::set_of(Xpsnr::kOptions.specs(), options);
    const AskedBy asked_by = options.empty() ? AskedBy::kProgram : AskedBy::kUser;
    EXPECT_EQ(feature_info().resolve(set, formats, asked_by).notes, notes);
    EXPECT_EQ(set.get_real("fps"), expected);
  }
}

// The sides of blocks that FFmpeg's filter has for these sizes.
TEST(XpsnrPlan, BlocksGrowWithThePicture) {
  for (const auto& [width, height, side] : {std::tuple{3840, 2160, 128},
                                            {4096, 2160, 132},
                                            {1920, 1080, 64},
                                            {1280, 720, 44},
                                            {640, 360, 20},
                                            {128, 96, 4}}) {
    EXPECT_EQ(Xpsnr::make_plan({}, formats_of(width, height)).form.grid.block, (PlaneSize{side, side}));
  }
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

XpsnrPlan plan_of(int width, int height, int bit_depth = 8, bool chroma = false) {
  const VideoFormat format = {.name = "a", .width = width, .height = height, .bit_depth = bit_depth};
  return Xpsnr::make_plan({.chroma = chroma}, {format, format});
}

// Activities with which blocks have these weights, as fractions of the largest, 2^(6 - depth).
std::vector<Activity> activities_for(const XpsnrPlan& plan, const std::vector<double>& parts) {
  std::vector<Activity> activities;
  const Grid& grid = plan.form.grid;
  for (size_t k = 0; k < parts.size(); ++k) {
    const auto columns = static_cast<size_t>(grid.columns);
    const Span across = grid.column(static_cast<int>(k % columns)),
               down = grid.row(static_cast<int>(k / columns));
    const double area = static_cast<double>(across.length()) * down.length();
    activities.push_back({0, static_cast<uint64_t>(std::lround(4 / parts[k] * area / 2))});
  }
  return activities;
}

// Too large to be smoothed.
TEST(XpsnrWeights, AreTheInverseOfBothActivities) {
  const XpsnrPlan plan = plan_of(100, 4000);
  ASSERT_EQ(plan.form.grid.block, (PlaneSize{28, 28}));
  std::vector<Activity> activities(plan.form.grid.count(), {7840, 7840});
  const std::vector<double> weights = block_weights(plan, activities);
  ASSERT_EQ(plan.form.grid.columns, 4);
  EXPECT_EQ(weights[5], 1 / (7840.0 / 784 + 2 * 7840.0 / 784)) << "of an inner block";
  EXPECT_EQ(weights[1], 1 / (7840.0 / (28 * 27) + 2 * 7840.0 / 784)) << "without the row of the edge";
  EXPECT_EQ(weights[4], 1 / (7840.0 / (27 * 28) + 2 * 7840.0 / 784)) << "without the column of the edge";
  EXPECT_EQ(weights[7], 1 / (7840.0 / (15 * 28) + 2 * 7840.0 / (16 * 28))) << "cut, without the last column";
}

TEST(XpsnrWeights, HaveALimitThatFollowsTheDepth) {
  const std::vector<Activity> none(plan_of(100, 4000).form.grid.count());
  EXPECT_THAT(block_weights(plan_of(100, 4000, 8), none), Each(0.25));
  EXPECT_THAT(block_weights(plan_of(100, 4000, 10), none), Each(1.0 / 16));
  EXPECT_THAT(block_weights(plan_of(100, 4000, 16), none), Each(1.0 / 1024));
}

// The last of 85 columns has a column of blocks of its own, and is the edge.
TEST(XpsnrWeights, AreOneWhereABlockIsAllEdge) {
  const XpsnrPlan narrow = plan_of(85, 4800);
  ASSERT_EQ(narrow.form.grid.block.width, 28);
  ASSERT_EQ(narrow.form.grid.column(3).length(), 1);
  const std::vector<double> weights = block_weights(narrow, std::vector<Activity>(narrow.form.grid.count()));
  EXPECT_EQ(weights[3], 1);
  EXPECT_EQ(weights[2], 0.25);
}

// 12 columns and 12 rows. Each block in turn is lowered to the largest of those around it that are known.
TEST(XpsnrWeights, OfSmallPicturesAreSmoothed) {
  const XpsnrPlan plan = plan_of(48, 48);
  ASSERT_EQ(plan.form.grid.count(), 144U);
  std::vector<double> parts(144, 0.25);
  parts[13 * 4] = 1;  // with lower ones around
  std::vector<double> weights = block_weights(plan, activities_for(plan, parts));
  EXPECT_EQ(weights[52], weights[51]);
  parts[53] = 0.5;  // to the right
  weights = block_weights(plan, activities_for(plan, parts));
  EXPECT_NEAR(weights[52], 0.125, 1e-9);
  parts[53] = 0.25;
  parts[52 - 12] = 1;  // above, which is lowered before
  weights = block_weights(plan, activities_for(plan, parts));
  EXPECT_NEAR(weights[40], 0.0625, 1e-9);
  EXPECT_NEAR(weights[52], 0.0625, 1e-9);
}

// The last block of a row has only the one before it and the one above, and is lowered when the next row
// begins.
TEST(XpsnrWeights, SmoothingGoesOnAtTheEndsOfRows) {
  const XpsnrPlan plan = plan_of(48, 48);
  std::vector<double> parts(144, 0.25);
  parts[23] = 1;
  parts[24] = 0.5;  // its successor, in the next row, is no neighbour
  EXPECT_NEAR(block_weights(plan, activities_for(plan, parts))[23], 0.0625, 1e-9);
  parts.assign(144, 0.25);
  parts[22] = parts[23] = 0.5;
  parts[24] = 1;  // the last of the row above is no neighbour either
  EXPECT_NEAR(block_weights(plan, activities_for(plan, parts))[24], 0.0625, 1e-9);
  parts.assign(144, 0.25);
  parts[143] = 1;
  EXPECT_NEAR(block_weights(plan, activities_for(plan, parts))[143], 0.0625, 1e-9) << "the last of all";
  parts[130] = parts[131] = 0.5;  // above it, with one beside that so that it stays
  EXPECT_NEAR(block_weights(plan, activities_for(plan, parts))[143], 0.125, 1e-9);
  parts[129] = 0.5;
  parts[131] = 0.25;  // not above it
  EXPECT_NEAR(block_weights(plan, activities_for(plan, parts))[143], 0.0625, 1e-9);
}

// The first block has no neighbour, and each takes the one before for the largest of its own.
TEST(XpsnrWeights, OfOneColumnBecomeNothing) {
  const XpsnrPlan plan = plan_of(4, 600);
  ASSERT_EQ(plan.form.grid.columns, 1);
  const std::vector<double> parts(plan.form.grid.count(), 0.5);
  EXPECT_THAT(block_weights(plan, activities_for(plan, parts)), Each(0));
}

TEST(XpsnrScore, WithoutWeightsTheErrorIsTheSquaredOne) {
  const XpsnrPlan plan = plan_of(40, 40);
  BlockSums sums(plan);
  EXPECT_TRUE(sums.activities.empty());
  sums.errors[0][0] = 12345;
  EXPECT_EQ(weighted_errors(plan, sums)[0], 12345U);
}

TEST(XpsnrScore, ErrorsAreWeightedAndRounded) {
  const XpsnrPlan plan = plan_of(3840, 2160);
  BlockSums sums(plan);
  sums.errors[0][17] = 1000;  // weight 1/4, factor sqrt(16 * 2^7)
  EXPECT_EQ(weighted_errors(plan, sums)[0], static_cast<uint64_t>(250 * std::sqrt(2048.0) + 0.5));
  sums.errors[0][17] = 0;
  EXPECT_EQ(weighted_errors(plan, sums)[0], 0U);
}

TEST(XpsnrScore, IsTheLogarithmOfTheErrorAgainstTheDepthsLargest) {
  const XpsnrPlan plan = plan_of(100, 50);
  const FrameResult result = frame_result(plan, {5000 * 65025 / 100});
  EXPECT_NEAR(result.values[0], 20, 1e-12);
  EXPECT_EQ(result.values[1], result.values[0]);
  EXPECT_THAT(result.tallies, ElementsAre(std::sqrt(5000.0 * 65025 / 100), 1));
  EXPECT_EQ(frame_result(plan, {0}).values[0], kInfinity);
  EXPECT_NEAR(frame_result(plan_of(100, 50, 10), {50 * 1023 * 1023}).values[0], 20, 1e-6);
}

// 20, 23 and 30 dB.
TEST(XpsnrScore, PlanesHaveALeastAndAWeightedFigure) {
  const XpsnrPlan plan = plan_of(100, 100, 8, true);
  const auto error = [](double samples, double db) {
    return static_cast<uint64_t>(samples * 65025 * std::pow(10, -db / 10));
  };
  const std::vector<double> values =
      frame_result(plan, {error(10000, 23), error(2500, 20), error(2500, 30)}).values;
  ASSERT_EQ(values.size(), 5U);
  EXPECT_EQ(values[3], values[1]);
  EXPECT_NEAR(values[4], -10 * std::log10((4 * std::pow(10, -2.3) + 0.01 + 0.001) / 6), 1e-4);
  EXPECT_NEAR(frame_result(plan, {error(10000, 23), 0, 0}).values[4], 23 + 10 * std::log10(1.5), 1e-4);
  EXPECT_THAT(frame_result(plan, {0, 0, 0}).values, Each(kInfinity));
}

// Roots 10 and 30: as if every frame had 20. A run whose mean root is below 1 has an infinite figure.
TEST(XpsnrScore, ARunHasTheFigureOfItsMeanRoot) {
  const XpsnrPlan plan = plan_of(100, 50);
  const auto all = Xpsnr::aggregates(plan, std::vector<double>{40, 2});
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].first, "xpsnr_y");
  EXPECT_EQ(all[0].second, frame_result(plan, {400}).values[0]);
  EXPECT_EQ(all[1], (std::pair<std::string, double>("xpsnr_min", all[0].second)));
  EXPECT_EQ(Xpsnr::aggregates(plan, std::vector<double>{1.9, 2})[0].second, kInfinity);
  EXPECT_TRUE(Xpsnr::aggregates(plan, {}).empty());
}

}  // namespace
}  // namespace vq::xpsnr
