// Runs the features of a run in two parts: on a device and on the host, or on the original and on fitted
// frames.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "feature/feature.h"

namespace vq {

// Some features of a run, with their extractor.
struct MixedSide {
  std::unique_ptr<FeatureExtractor> extractor;
  std::vector<size_t> places;      // indices of its features in the run, ascending
  std::vector<std::string> names;  // the first metric of each: prefix of stage names
};

// Every index belongs to one of the two. A frame is delivered once both sides have scored it; if both fail,
// the error of the lower frame is thrown.
std::unique_ptr<FeatureExtractor> make_mixed_extractor(MixedSide on_device, MixedSide on_host);

}  // namespace vq
