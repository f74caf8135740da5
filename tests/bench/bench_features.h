// Features by name and by the models that ask for them, for benchmarks that know no command line of the
// program.
#pragma once

#include <string>
#include <vector>

#include "feature/feature.h"

namespace vq::bench {

// What --model and --feature ask for, in that order, each instance once, for pairs of this format. As the
// program takes them: "version=vmaf_v0.6.1", "auto"; "psnr=enable_chroma=false". Throws Error.
std::vector<FeatureRequest> requested_features(const std::vector<std::string>& models,
                                               const std::vector<std::string>& features,
                                               const VideoFormat& format);

}  // namespace vq::bench
