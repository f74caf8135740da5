// Collisions of the fingerprint over more than a hundred million pictures: takes minutes and 800 MB.
#include <iostream>

#include "tests/fingerprint/collisions.h"
#include "tests/support/test.h"

namespace vq::fingerprint {
namespace {

TEST(FingerprintLongCollisions, AreAsManyAsByChance) {
  for (const test::Family family : test::kFamilies) {
    const size_t pictures = family == test::Family::kNoiseInLowBits ? 100000000 : 25000000;
    for (const test::CollisionCount& count : test::count_collisions(family, pictures, 40)) {
      std::cout << collision_text(family, count) << std::endl;
      EXPECT_LT(std::abs(count.deviation()), 5) << collision_text(family, count);
    }
  }
}

}  // namespace
}  // namespace vq::fingerprint
