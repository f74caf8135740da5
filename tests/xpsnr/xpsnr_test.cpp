// Options and plans of XPSNR, and weights that golden pictures do not have.
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

// The last of 85 columns has a column of blocks of its own, and is the edge.
TEST(XpsnrWeights, AreOneWhereABlockIsAllEdge) {
  const XpsnrPlan narrow = plan_of(85, 4800);
  ASSERT_EQ(narrow.form.grid.block.width, 28);
  ASSERT_EQ(narrow.form.grid.column(3).length(), 1);
  const std::vector<double> weights = block_weights(narrow, std::vector<Activity>(narrow.form.grid.count()));
  EXPECT_EQ(weights[3], 1);
  EXPECT_EQ(weights[2], 0.25);
}

// The first block has no neighbour, and each takes the one before for the largest of its own.
TEST(XpsnrWeights, OfOneColumnBecomeNothing) {
  const XpsnrPlan plan = plan_of(4, 600);
  ASSERT_EQ(plan.form.grid.columns, 1);
  const std::vector<double> parts(plan.form.grid.count(), 0.5);
  EXPECT_THAT(block_weights(plan, activities_for(plan, parts)), Each(0));
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
