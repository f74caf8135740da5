// Functions of the C library, which differ in their last bits between libraries, decide nothing here.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "feature/vif/vif.h"

namespace vq::vif {
namespace {

// Libraries are off by less than one unit of the last place.
constexpr int kMostUnits = 8;

int32_t entry(double log2) {
  return static_cast<int32_t>(std::floor(2048.0 * static_cast<double>(static_cast<float>(log2)) + 0.5));
}

TEST(LibraryMargin, LogarithmsOfTheTableAreFarFromWhereTheyRound) {
  for (int32_t i = LogTable::kFirst; i < LogTable::kEnd; ++i) {
    const int32_t expected = LogTable::get().at(i);
    double below = std::log2(static_cast<double>(i)), above = below;
    for (int unit = 0; unit <= kMostUnits; ++unit) {
      ASSERT_EQ(entry(below), expected) << i;
      ASSERT_EQ(entry(above), expected) << i;
      // Powers of two are exact in every library.
      if (i == LogTable::kFirst) break;
      below = std::nextafter(below, 0);
      above = std::nextafter(above, std::numeric_limits<double>::max());
    }
  }
}

}  // namespace
}  // namespace vq::vif
