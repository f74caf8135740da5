#include "tests/cambi/stage_test.h"

namespace vq::cambi::test {
namespace {

void compare_prepared(int depth) {
  unsigned seed = 100 * static_cast<unsigned>(depth);
  for (const Size input : stage_sizes()) {
    const Size encodes[] = {input, {std::max(1, input.width * 2 / 3), std::max(1, input.height * 3 / 4)}};
    for (const Size encode : encodes) {
      for (const bool halve_first : {false, true}) {
        ++seed;
        const Pattern pattern = all_patterns()[seed % all_patterns().size()];
        const Canvas<uint16_t> samples = make_image(pattern, input, (1 << depth) - 1, seed);
        const DecodedPlane luma = decoded(samples.view(), depth, static_cast<int>(seed % 3));
        CambiPlan plan = preprocess_plan(input, encode, depth, seed / 8 % 2 == 0 ? 8 : 10);
        plan.halve_first = halve_first;
        Scratch scratch(encode.width, 4);
        Canvas<uint16_t> image(encode.width, encode.height);
        Canvas<uint8_t> mask(encode.width, encode.height);
        ASSERT_TRUE(scalar_stages().prepare(luma.view(), plan, scratch, image.view(), mask.view()));
        for (const Implementation& implementation : cpu_implementations()) {
          Canvas<uint16_t> own_image(encode.width, encode.height, seed);
          Canvas<uint8_t> own_mask(encode.width, encode.height, seed);
          ASSERT_TRUE(
              implementation.stages.prepare(luma.view(), plan, scratch, own_image.view(), own_mask.view()));
          const std::string where = implementation.name + ", " + to_string(pattern) + ", depth " +
                                    std::to_string(depth) + ", seed " + std::to_string(seed);
          ASSERT_TRUE(same_plane<uint16_t>(image.view(), own_image.view())) << where;
          ASSERT_TRUE(same_plane<uint8_t>(mask.view(), own_mask.view())) << where;
          ASSERT_TRUE(own_image.intact() && own_mask.intact()) << implementation.name;
        }
      }
    }
  }
}

TEST(CambiPrepare, EveryImplementationEqualsScalar) {
  for (const int depth : {8, 9, 10, 16}) compare_prepared(depth);
}

TEST(CambiPrepare, RefusesSamplesAboveTheDepthInAnyRow) {
  for (const Implementation& implementation : cpu_implementations()) {
    for (const int y : {0, 1, 7, 20}) {
      DecodedPlane luma = DecodedPlane(40, 21, 10).flat(0);
      luma.set(39, y, 1024);
      const CambiPlan plan = preprocess_plan({40, 21}, {40, 21}, 10, 8);
      Scratch scratch(40, 4);
      Canvas<uint16_t> image(40, 21);
      Canvas<uint8_t> mask(40, 21);
      EXPECT_FALSE(implementation.stages.prepare(luma.view(), plan, scratch, image.view(), mask.view()))
          << implementation.name << y;
      luma.set(39, y, 1023);
      EXPECT_TRUE(implementation.stages.prepare(luma.view(), plan, scratch, image.view(), mask.view()))
          << implementation.name << y;
    }
  }
}

}  // namespace
}  // namespace vq::cambi::test
