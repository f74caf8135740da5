// An extractor that switches to another when its device fails, without losing a frame.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "feature/feature.h"

namespace vq {

struct Fallback {
  // Makes the second extractor. Throws as make_extractor().
  std::function<std::unique_ptr<FeatureExtractor>()> make;
  // Called once, with the reason of the switch, while the error is handled: may throw it again, which ends
  // the run.
  std::function<void(const std::string& reason)> on_fallback;
  // Reads the samples of a pair anew that cannot be fetched from the device that has them; they are then on
  // the host. If it is not set, that is an error.
  std::function<void(FramePair&)> read_again = {};
};

// If the first extractor throws Error{kBackend}, the second scores all frames that the first has not
// delivered; these are kept until then. Other errors are passed on, including those of Fallback::make and
// everything the sink throws. backend_report() is that of the active extractor, or of the first if the second
// could not be made.
std::unique_ptr<FeatureExtractor> with_fallback(std::unique_ptr<FeatureExtractor> first, Fallback fallback);

// Runs the features of a run in two parts: on a device and on the host, or on the original and on fitted
// frames.

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
