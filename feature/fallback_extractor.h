// An extractor that another takes over from when its device fails, without losing a frame.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "feature/feature.h"

namespace vq {

struct Fallback {
  // Makes the extractor that takes over. Throws as make_extractor().
  std::function<std::unique_ptr<FeatureExtractor>()> make;
  // Told once, with why the first extractor was given up.
  std::function<void(const std::string& reason)> on_fallback;
};

// Where the first extractor throws Error{kBackend}, all frames it has not delivered are scored again by the
// second; frames not yet delivered are kept for that. Other errors pass, also those of Fallback::make, and
// all that the sink throws, of whatever kind. Its backend_report() is that of the one at work, or of the
// first where the second could not be made.
std::unique_ptr<FeatureExtractor> with_fallback(std::unique_ptr<FeatureExtractor> first, Fallback fallback);

}  // namespace vq
