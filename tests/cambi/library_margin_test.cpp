// Functions of the C library, which differ in their last bits between libraries, decide nothing here.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "feature/cambi/plan.h"

namespace vq::cambi {
namespace {

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

}  // namespace
}  // namespace vq::cambi
