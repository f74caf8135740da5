// Whole runs of any features, from pictures in memory to their values: frames a second, and what each stage
// takes.
#pragma once

#include <string>
#include <vector>

#include "core/synthetic_frame.h"
#include "feature/feature.h"

namespace vq::bench {

// What --model and --feature ask for, in that order, each instance once, for pairs of this format. As the
// program takes them: "version=vmaf_v0.6.1", "auto"; "psnr=enable_chroma=false". Throws Error.
std::vector<FeatureRequest> requested_features(const std::vector<std::string>& models,
                                               const std::vector<std::string>& features,
                                               const VideoFormat& format);

struct WholeRun {
  std::vector<FeatureRequest> features;
  VideoFormat format;
  Synthetic pictures = Synthetic::kFilm;
  int pairs = 12;  // different ones, by turns
  Backend backend = Backend::kVulkan;
  std::string device;  // see vulkan::choose_devices
  int threads = 1;
  int64_t frames = 0;  // as many as are measured; 0: as fit `seconds`
  double seconds = 3;
};

// Measures and prints. Throws Error.
void measure_whole_run(const WholeRun& run);

}  // namespace vq::bench
