// Features on the CPU: frames in parallel, each scored by one thread.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/frame.h"
#include "feature/feature.h"

namespace vq {

struct HostPart {
  std::shared_ptr<HostFeature> feature;
  bool every_frame = false;  // also needs frames that the run does not report
  std::string name = {};     // its first metric: prefix of stage names if there are several features
  BoundedLuma bounded_luma = BoundedLuma::kNone;
  bool is_shared =
      false;  // may score frames of other runs that have the same feature together with this run's
};

// Throws std::bad_alloc. Needs: a feature.
std::unique_ptr<FeatureExtractor> make_host_extractor(std::vector<HostPart> parts, const FrameNeeds& use,
                                                      const VideoFormats& formats,
                                                      const Execution& execution);

// Maximum number of results at a time.
size_t host_results(const Execution& execution);

}  // namespace vq
