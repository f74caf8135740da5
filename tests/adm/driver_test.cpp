// Whole frames: every implementation against the scalar one, over sizes, depths and options.
#include "feature/adm/adm.h"

#include "tests/adm/rows.h"

namespace vq::adm::test {
namespace {

VideoFormats formats_of(const DecodedPlane& reference, const DecodedPlane& distorted) {
  const auto format_of = [](const std::string& name, const DecodedPlane& picture) {
    return VideoFormat{.name = name,
                       .width = picture.size().width,
                       .height = picture.size().height,
                       .bit_depth = picture.bit_depth()};
  };
  return {format_of("distorted", distorted), format_of("reference", reference)};
}

std::vector<int64_t> sums_of(const DecodedPlane& reference, const DecodedPlane& distorted,
                             const AdmPlan& plan, const Stages& stages, Workspace& workspace) {
  const FrameSums sums = sum_frame(samples(reference, plan.videos.reference_shift),
                                   samples(distorted, plan.videos.distorted_shift), plan, stages, workspace);
  std::vector<int64_t> all;
  for (const ScaleSums& scale : sums) {
    all.insert(all.end(), scale.reference.begin(), scale.reference.end());
    all.insert(all.end(), scale.restored.begin(), scale.restored.end());
    all.insert(all.end(), scale.added.begin(), scale.added.end());
  }
  return all;
}

// A picture of slow waves, with noise or stripes in its upper half.
DecodedPlane drawn(PlaneSize size, int depth, unsigned seed) {
  DecodedPlane picture = noise_plane(size, depth, seed);
  const int top = (1 << depth) - 1;
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      if (seed % 3 == 0 && y < size.height / 2) continue;  // noise
      const bool is_striped = seed % 3 == 1 && y < size.height / 2;
      const int wave = (x * static_cast<int>(1 + seed % 5) + y * y) % 256 * top / 255;
      picture.set(x, y, is_striped ? (x + static_cast<int>(seed)) % 2 * top : wave);
    }
  }
  return picture;
}

// The reference at another depth, a little darker and with some noise.
DecodedPlane spoilt(const DecodedPlane& reference, int depth, unsigned seed) {
  DecodedPlane picture = noise_plane(reference.size(), depth, seed);
  std::minstd_rand random(seed);
  for (int y = 0; y < reference.size().height; ++y) {
    for (int x = 0; x < reference.size().width; ++x) {
      const double level = static_cast<double>(reference.at(x, y)) / ((1 << reference.bit_depth()) - 1);
      const double noise = random() % 4 == 0 ? static_cast<double>(random() % 100) / 1000 : 0;
      picture.set(x, y, static_cast<int>((level * 0.9 + noise) * ((1 << depth) - 1)));
    }
  }
  return picture;
}

// Bands so small that masking reaches their borders.
TEST(AdmDriver, EveryImplementationEqualsScalarOnTheSmallestPictures) {
  for (int width = 33; width <= 48; ++width) {
    for (int height = 33; height <= 48; ++height) {
      const DecodedPlane reference = noise_plane({width, height}, 8, static_cast<unsigned>(width * height));
      const DecodedPlane distorted = noise_plane({width, height}, 8, 5);
      const AdmPlan plan = make_plan({}, formats_of(reference, distorted));
      Workspace workspace(plan);
      vq::test::expect_same_of_all(implementations(), std::to_string(width) + "x" + std::to_string(height),
                                   [&](const Implementation& one) {
                                     return sums_of(reference, distorted, plan, one.stages, workspace);
                                   });
    }
  }
}

FramePair pair_of(const DecodedPlane& reference, const DecodedPlane& distorted) {
  FramePair pair;
  pair.distorted.luma() = distorted.view();
  pair.reference.emplace().luma() = reference.view();
  return pair;
}

// Whatever was scored before.
TEST(AdmHostFeature, ScoresEachFrameAlone) {
  const DecodedPlane reference = drawn({160, 120}, 8, 3), distorted = spoilt(reference, 8, 2);
  const AdmPlan plan = make_plan({}, formats_of(reference, distorted));
  const auto made = [&](const Execution& execution) {
    return feature_info().make(OptionSet(Adm::kOptions.specs()), plan.formats, execution);
  };
  const std::unique_ptr<HostFeature> host = made({});
  const std::vector<double> same = host->score(pair_of(reference, reference)).values;
  const std::vector<double> other = host->score(pair_of(reference, distorted)).values;
  EXPECT_NEAR(same[0], 1, 1e-4);
  EXPECT_LT(other[0], 0.98);
  EXPECT_GT(other[1], same[1]);
  EXPECT_EQ(host->score(pair_of(reference, reference)).values, same);
  EXPECT_EQ(made({.backend = Backend::kScalar})->score(pair_of(reference, distorted)).values, other);
}

}  // namespace
}  // namespace vq::adm::test
