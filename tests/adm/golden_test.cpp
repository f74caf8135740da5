// ADM against the reference implementation's figures, to the last bit, through the program.
#include "tests/adm/golden_cases.h"

namespace vq::adm::test {
namespace {

TEST(AdmGolden, FileHasAllItsCases) {
  EXPECT_EQ(adm_cases().size(), 63U);
}

// Sides from 33 samples on, odd ones, depths of 8 to 16 bits, gain limits, a wrapping threshold, and a flat
// reference.
TEST(AdmGolden, SmallPicturesScoreAsTheReferenceOnEveryInstructionSet) {
  for (const size_t i : {6U, 15U, 28U, 30U, 31U, 36U, 48U, 54U, 57U, 58U, 62U}) expect_case(i, host_ways());
}

// Several frames, the options of the models, and every other option.
TEST(AdmGolden, ClipsScoreAsTheReference) {
  for (const size_t i : {1U, 17U, 20U, 35U, 40U, 42U, 53U, 55U, 56U, 60U, 61U}) expect_case(i, {{"cpu", 0}});
}

TEST(AdmGoldenOfEverySize, EqualsTheReferenceOnEveryInstructionSet) {
  for (size_t i = 0; i < adm_cases().size(); ++i) expect_case(i, host_ways());
}

}  // namespace
}  // namespace vq::adm::test
