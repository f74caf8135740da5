// The golden cases of VIF on the CPU.
#include "feature/vif/log_table.h"
#include "tests/support/sha256.h"
#include "tests/vif/golden_cases.h"

namespace vq::vif::test {
namespace {

TEST(VifGolden, FileHasAllItsCases) {
  EXPECT_EQ(vif_cases().size(), 64U);
}

// Of each depth and with borders that reach far into the picture.
TEST(VifGolden, SmallPicturesScoreAsTheReferenceOnEveryInstructionSet) {
  size_t tried = 0;
  for (size_t i = 0; i < vif_cases().size(); ++i) {
    if (frame_samples(vif_cases()[i]) > 4000) continue;
    SCOPED_TRACE("case " + std::to_string(i));
    for (const GoldenWay& way : host_ways()) expect_sequence(vif_cases()[i], way);
    ++tried;
  }
  EXPECT_EQ(tried, 14U);
}

// Options, sampled and skipped frames.
TEST(VifGolden, ClipsScoreAsTheReference) {
  for (const size_t i : {1U, 6U, 7U, 37U, 62U, 63U}) {
    SCOPED_TRACE("case " + std::to_string(i));
    expect_sequence(vif_cases().at(i), {"cpu", 0});
  }
}

// As little-endian words of 16 bits.
TEST(VifGolden, LogarithmsAreThoseOfTheReference) {
  std::string bytes;
  for (int32_t i = LogTable::kFirst; i < LogTable::kEnd; ++i) {
    const int32_t log = LogTable::get().at(i);
    bytes.push_back(static_cast<char>(log & 0xFF));
    bytes.push_back(static_cast<char>(log >> 8));
  }
  EXPECT_EQ(sha256_of(bytes), "cd475654f3d533778accfcdf113079a28e61c82d4ec193eed662ab68b9a7b49c");
}

TEST(VifGoldenOfEverySize, EqualsTheReferenceOnEveryInstructionSet) {
  for (size_t i = 0; i < vif_cases().size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    for (const GoldenWay& way : host_ways()) expect_sequence(vif_cases()[i], way);
  }
}

}  // namespace
}  // namespace vq::vif::test
