// ADM on a device against the reference implementation's figures, to the last bit.
#include "tests/adm/golden_cases.h"

namespace vq::adm::test {
namespace {

// Some of AdmGolden.SmallPicturesScoreAsTheReferenceOnEveryInstructionSet.
TEST(AdmGoldenOnDevice, SmallPicturesScoreAsTheReference) {
  for (const size_t i : {15U, 31U, 36U, 58U, 62U}) expect_case(i, {{"vulkan", 0}});
}

TEST(AdmGoldenOnDeviceOfEverySize, EqualsTheReference) {
  for (size_t i = 0; i < adm_cases().size(); ++i) expect_case(i, {{"vulkan", 0}});
}

}  // namespace
}  // namespace vq::adm::test
