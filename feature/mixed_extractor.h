// The features of a run in two parts: those that run on a device and those that it leaves to the host, or
// those that look at the frames as they are and those that look at fitted ones.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "feature/feature.h"

namespace vq {

// Some of a run's features, with what scores them.
struct MixedSide {
  std::unique_ptr<FeatureExtractor> extractor;
  std::vector<size_t> places;      // of its features among all, ascending
  std::vector<std::string> names;  // of each its first metric: before the names of stages
};

// Every place belongs to one of the two. A frame is delivered once both sides have scored it; where both
// fail, the error of the lower frame is thrown.
std::unique_ptr<FeatureExtractor> make_mixed_extractor(MixedSide on_device, MixedSide on_host);

}  // namespace vq
