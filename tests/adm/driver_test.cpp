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

}  // namespace
}  // namespace vq::adm::test
