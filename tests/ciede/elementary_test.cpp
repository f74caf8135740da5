// Against the C library, which is right to the last bit or the one before it. That vectors give the same bits
// is tested with the stages.
#include "core/elementary.h"

#include <gtest/gtest.h>

namespace vq::elementary {
namespace {

constexpr int kSteps = 20000;

// Calls look(x) for numbers between both ends.
template <typename Look>
void for_range(double first, double last, const Look& look) {
  for (int i = 0; i <= kSteps; ++i) look(first + (last - first) * i / kSteps);
}

TEST(CiedeElementary, PolynomialsHaveTheirConstantFirst) {
  EXPECT_EQ(polynomial(std::array<double, 4>{1, 10, 100, 1000}, 2.0), 1 + 20 + 400 + 8000);
  EXPECT_EQ(polynomial(std::array<double, 5>{1, 10, 100, 1000, 10000}, 2.0), 1 + 20 + 400 + 8000 + 160000);
}

TEST(CiedeElementary, PowersAreAccurate) {
  for_range(0.001, 12, [](double x) {
    EXPECT_NEAR(power(x, 2.4), std::pow(x, 2.4), 4e-15 * std::pow(x, 2.4)) << x;
    EXPECT_NEAR(power(x, 1.0 / 3), std::cbrt(x), 2e-15 * std::cbrt(x)) << x;
  });
  EXPECT_EQ(power(1, 2.4), 1);
  EXPECT_EQ(power(8, 1), 8);
  EXPECT_DOUBLE_EQ(power(0.5, 30), std::ldexp(1.0, -30));
}

TEST(CiedeElementary, ExponentialsAreAccurate) {
  for_range(-690, 690, [](double x) { EXPECT_NEAR(exponential(x), std::exp(x), 4e-13 * std::exp(x)) << x; });
  for_range(-2, 2, [](double x) { EXPECT_NEAR(exponential(x), std::exp(x), 2e-15 * std::exp(x)) << x; });
  EXPECT_EQ(exponential(0), 1);
}

TEST(CiedeElementary, SinesAndCosinesAreAccurate) {
  for_range(-kPi / 2, kPi / 2, [](double x) { EXPECT_NEAR(sine(x), std::sin(x), 4e-16) << x; });
  for_range(-12, 12, [](double x) {
    EXPECT_NEAR(sine_cosine(x).sine, std::sin(x), 2e-15) << x;
    EXPECT_NEAR(sine_cosine(x).cosine, std::cos(x), 2e-15) << x;
  });
  EXPECT_EQ(sine(0), 0);
  EXPECT_EQ(sine(1e-20), 1e-20);
}

TEST(CiedeElementary, AnglesAreAccurateAllAround) {
  for_range(-kPi, kPi, [](double turn) {
    for (const double radius : {1e-6, 0.7, 300.0}) {
      const double x = radius * std::cos(turn), y = radius * std::sin(turn);
      EXPECT_NEAR(angle(y, x), std::atan2(y, x), 1e-15) << turn;
    }
  });
  EXPECT_EQ(angle(0, 0), 0);
  EXPECT_EQ(angle(0, 5), 0);
  EXPECT_EQ(angle(0, -5), kPi);
  EXPECT_EQ(angle(5, 0), kPi / 2);
  EXPECT_EQ(angle(-5, 0), -kPi / 2);
  EXPECT_DOUBLE_EQ(angle(-5, -5), -3 * kPi / 4);
}

}  // namespace
}  // namespace vq::elementary
