// The golden cases of VIF on the CPU.
#include "feature/vif/vif.h"
#include "tests/support/sha256.h"
#include "tests/vif/golden_cases.h"

namespace vq::vif::test {
namespace {

TEST(VifGolden, FileHasAllItsCases) {
  EXPECT_EQ(golden().size(), 64U);
}

// Of each depth and with borders that reach far into the picture.
TEST(VifGolden, SmallPicturesScoreAsTheReferenceOnEveryInstructionSet) {
  const std::vector<size_t> small = golden().up_to(4000);
  EXPECT_EQ(small.size(), 14U);
  golden().expect(small, host_ways());
}

// Options, sampled and skipped frames.
TEST(VifGolden, ClipsScoreAsTheReference) {
  golden().expect({1, 6, 7, 37, 62, 63}, {{"cpu"}});
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
  golden().expect_all(host_ways());
}

}  // namespace
}  // namespace vq::vif::test
