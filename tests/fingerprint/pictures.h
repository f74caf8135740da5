// Pictures for tests of the fingerprint: made up of lists of samples, and hashed whole.
#pragma once

#include "feature/fingerprint/fingerprint.h"
#include "tests/support/decoded_plane.h"

namespace vq::fingerprint::test {

using vq::test::DecodedPlane;

// The hash of a picture whose planes are given, all of which are looked at.
inline std::string hash_of(const std::vector<DecodedPlane>& planes, int bit_depth,
                           decltype(&scalar::plane_sums) plane_sums = scalar::plane_sums) {
  FingerprintPlan plan = {.planes = static_cast<int>(planes.size()), .sizes = {}, .bit_depth = bit_depth};
  std::vector<LaneSums> sums;
  for (size_t i = 0; i < planes.size(); ++i) {
    plan.sizes[i] = {planes[i].width(), planes[i].height()};
    sums.push_back(plane_sums(planes[i].view(), static_cast<int>(i)));
  }
  return fingerprint_text(fingerprint(plan, sums));
}

}  // namespace vq::fingerprint::test
