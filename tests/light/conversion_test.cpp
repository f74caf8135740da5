// That the tables of light are the same with any mathematical library.
#include "feature/light/light.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace vq::light {
namespace {

// SMPTE ST 2084, 1.0 being 100 cd/m2.
long double pq_light(long double v) {
  const long double c1 = 0.8359375L, c2 = 18.8515625L, c3 = 18.6875L, m1 = 0.1593017578125L, m2 = 78.84375L;
  const long double q = std::pow(v, 1 / m2);
  return 100 * std::pow(std::max(q - c1, 0.0L) / (c2 - c3 * q), 1 / m1);
}

// ITU-R BT.2100's inverse OETF.
long double hlg_light(long double v) {
  const long double a = 0.17883277L, b = 1 - 4 * a, c = 0.55991073L;
  return v <= 0.5L ? v * v / 3 : (std::exp((v - c) / a) + b) / 12;
}

// Results of libraries differ in the last bit of a double, which PQ's steps enlarge to some hundred: none of
// the floats may depend on that.
TEST(LightTables, NoEntryDependsOnTheLastBitsOfADouble) {
  constexpr long double kErrors = 1024 * 0x1p-53L;
  const VideoFormat video{.name = "video", .width = 64, .height = 64, .bit_depth = 10};
  for (const Curve curve : {Curve::kPq, Curve::kHlg}) {
    const auto light = curve == Curve::kPq ? pq_light : hlg_light;
    const std::vector<float> table = make_conversion({.curve = curve}, video).curve;
    ASSERT_EQ(table.size(), static_cast<size_t>(kCurveSteps + 2));
    for (int i = 0; i <= kCurveSteps; ++i) {
      const long double exact = light(static_cast<long double>(i) / kCurveSteps);
      const float entry = table[static_cast<size_t>(i)];
      if (entry == 0) {
        EXPECT_LT(exact, 0x1p-40L) << i;
        continue;
      }
      EXPECT_EQ(static_cast<float>(exact * (1 - kErrors)), entry) << i;
      EXPECT_EQ(static_cast<float>(exact * (1 + kErrors)), entry) << i;
    }
  }
}

}  // namespace
}  // namespace vq::light
