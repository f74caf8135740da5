#include "feature/cambi/cambi.h"

#include "tests/support/expect_error.h"

namespace vq::cambi {
namespace {

VideoFormats formats(int width, int height, int depth = 8) {
  return {{.name = "clip.mkv", .width = width, .height = height, .bit_depth = depth}, std::nullopt};
}

CambiPlan plan_of(int width, int height, const CambiOptions& options = {}) {
  return make_plans(options, formats(width, height)).distorted;
}

TEST(CambiPlan, WindowsOver255AreRefused) {
  const CambiOptions options = {.window_size = 127};
  EXPECT_EQ(plan_of(7680, 4320, options).window, 255);
  EXPECT_THROW(plan_of(8192, 4320, options), Error);
}

TEST(CambiPlan, VisibilityEndsOfTheBisection) {
  const Luminance luminance("bt1886", LumaRange{});
  EXPECT_EQ(last_visible_level(luminance, 1, 1e9), 0);
  EXPECT_EQ(last_visible_level(luminance, 32, 0.0001), 1023);
}

TEST(CambiPlan, LuminanceMatchesTheStandards) {
  const Luminance bt1886("bt1886", LumaRange{}), pq("pq", LumaRange{});
  EXPECT_NEAR(bt1886.at(64), 0.01, 1e-12);
  EXPECT_NEAR(bt1886.at(940), 300.0, 1e-9);
  EXPECT_NEAR(pq.at(64), 0.0, 1e-12);
  EXPECT_NEAR(pq.at(940), 10000.0, 1e-6);
  EXPECT_NEAR(pq.at(502), 92.2457, 1e-3);  // half signal: ST 2084 gives 92.2457 cd/m2
}

TEST(CambiPlan, HlgIsThatOfBt2100OnADisplayOf1000Nits) {
  // From the standard's formulas, computed apart from this program.
  const Luminance hlg("hlg", LumaRange{64, 1064});
  EXPECT_NEAR(hlg.at(64), 0.0, 1e-12);
  EXPECT_NEAR(hlg.at(64 + 100), 1.0652572394602036, 1e-9);
  EXPECT_NEAR(hlg.at(64 + 250), 9.605290744601332, 1e-9);
  EXPECT_NEAR(hlg.at(64 + 500), 50.69702849110048, 1e-9);
  EXPECT_NEAR(hlg.at(64 + 750), 203.15214593754538, 1e-9);  // HDR reference white, 203 cd/m2
  EXPECT_NEAR(hlg.at(64 + 900), 522.1101446777631, 1e-9);
  EXPECT_NEAR(hlg.at(1064), 1000.0, 1e-4);
}

TEST(CambiPlan, HlgContrastsAreVisibleUpToTheLastLevel) {
  const Luminance limited("hlg", LumaRange{}), full("hlg", kFullRange);
  EXPECT_EQ(last_visible_level(limited, 1, 0.019), 191);
  EXPECT_EQ(last_visible_level(limited, 2, 0.019), 318);
  EXPECT_EQ(last_visible_level(limited, 3, 0.019), 1023);  // invisible around half signal, visible at white
  EXPECT_EQ(last_visible_level(full, 1, 0.019), 127);
  EXPECT_EQ(last_visible_level(full, 2, 0.019), 254);
}

TEST(CambiPlan, ReciprocalsAreNineDigitsWide) {
  const std::vector<float> reciprocals = make_reciprocals(65);
  ASSERT_EQ(reciprocals.size(), 4226U);
  int differing = 0;
  for (size_t k = 1; k <= 4225; ++k) {
    const float exact = 1.0F / static_cast<float>(k);
    if (reciprocals[k] == exact) continue;
    ++differing;
    EXPECT_TRUE(reciprocals[k] == std::nextafter(exact, 0.0F) ||
                reciprocals[k] == std::nextafter(exact, 1.0F));
  }
  EXPECT_EQ(differing, 42);
}

TEST(CambiPlan, CoordinateTablesStayInside) {
  const CambiPlan plan = plan_of(7680, 4320, {.enc_width = 5993, .enc_height = 4320});
  EXPECT_EQ(plan.source_columns.size(), 5993U);
  EXPECT_EQ(plan.source_columns.back(), 7679);
  EXPECT_EQ(plan.source_rows.back(), 4319);
}

TEST(CambiPlan, SizesThatDoNotFitAreRefused) {
  EXPECT_THROW(plan_of(215, 215), Error);
  EXPECT_NO_THROW(plan_of(216, 1));
  EXPECT_NO_THROW(plan_of(20, 4000));
  EXPECT_THROW(plan_of(16385, 2160), Error);
  const CambiOptions options = {.src_width = 1280, .src_height = 300, .full_ref = true};
  EXPECT_THROW(make_plans(options, formats(640, 360)), Error);
  vq::test::expect_error(ErrorKind::kMismatch, {"clip.mkv", "160x90", "216"}, [] { plan_of(160, 90); });
}

// What functions of the C library, which differ in their last bits between libraries, decide nothing of.

// Some powers lose three digits to a difference of nearly equal numbers.
constexpr double kMargin = 1e-9;
constexpr double kThreshold = 0.019;  // unless options say otherwise
constexpr int kMostContrast = 32;

TEST(LibraryMargin, VisibilityIsFarFromItsThreshold) {
  for (const std::string eotf : {"bt1886", "pq", "hlg"}) {
    for (const LumaRange range : {LumaRange(), kFullRange}) {
      const Luminance luminance(eotf, range);
      for (int level = range.foot; level < range.head; ++level) {
        for (int contrast = 1; contrast <= kMostContrast && level + contrast <= range.head; ++contrast) {
          const double base = luminance.at(level), difference = luminance.at(level + contrast) - base;
          if (base == 0) continue;  // any difference is visible
          ASSERT_GT(std::abs(difference / base - kThreshold), kMargin)
              << eotf << " " << level << " " << contrast;
        }
      }
    }
  }
}

bool advises(const ScoredVideo& video, std::string_view title) {
  const std::vector<Remedy> all = remedies(video);
  return contains(all, title, &Remedy::title);
}

TEST(Remedies, MoreBitsAreForVideoThatHasFew) {
  EXPECT_TRUE(advises({.bit_depth = 8}, "Encode with 10 bits"));
  EXPECT_TRUE(advises({.bit_depth = 0}, "Encode with 10 bits"));
  EXPECT_FALSE(advises({.bit_depth = 10}, "Encode with 10 bits"));
  EXPECT_FALSE(advises({.bit_depth = 12}, "Dither where bit depth is reduced"));
}

TEST(Remedies, TheSourceComesFirst) {
  EXPECT_EQ(remedies({.bit_depth = 8}).front().title, "Score the source as well");
  EXPECT_EQ(remedies({.bit_depth = 8, .reference_noteworthy = 0.25}).front().title, "Deband the source");
  EXPECT_EQ(remedies({.bit_depth = 8}).front().title, "Score the source as well");
  EXPECT_EQ(remedies({.bit_depth = 8, .has_reference = true}).front().title,
            "Look for banding in the reference as well");
  EXPECT_EQ(remedies({.bit_depth = 8, .reference_noteworthy = 0.01}).back().title, "Deband the source");
  for (const std::string_view title : {"Score the source as well", "Deband the source"})
    EXPECT_FALSE(advises({.bit_depth = 8, .reference_noteworthy = 0}, title)) << title;
  EXPECT_FALSE(advises({.bit_depth = 8, .reference_noteworthy = 0.25}, "Score the source as well"));
}

}  // namespace
}  // namespace vq::cambi
