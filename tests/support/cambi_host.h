// CAMBI alone on the CPU, from options as numbers.
#pragma once

#include "feature/cambi/cambi.h"
#include "feature/host_extractor.h"

namespace vq::test {

inline std::unique_ptr<FeatureExtractor> make_on_host(const cambi::CambiOptions& options,
                                                      const VideoFormats& formats,
                                                      const Execution& execution) {
  std::vector<HostPart> parts;
  parts.push_back({cambi::make_host_feature(options, formats, execution)});
  return make_host_extractor(std::move(parts), {.planes = 1, .reference = options.full_ref}, formats,
                             execution);
}

}  // namespace vq::test
