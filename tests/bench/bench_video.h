// Pictures for the benchmark: the first frames of a file, and made-up worst cases.
#pragma once

#include <string>
#include <vector>

#include "feature/cambi/plan.h"

namespace vq::cambi::bench {

// The frames of a video in memory, and its plans.
struct Video {
  std::string name;
  std::string path;  // empty where the video is made up
  VideoFormats formats;
  std::vector<Frame> frames;
  CambiPlans plans;
  bool all_masked = false;  // c-values are made of every sample, whatever the spatial mask says

  int64_t pixels() const { return int64_t{formats.distorted.width} * formats.distorted.height; }
  int sample_bytes() const { return formats.distorted.bit_depth > 8 ? 2 : 1; }
  const SampleView& luma(size_t frame) const { return frames[frame % frames.size()].luma(); }
};

// The first two pictures of a file that the program reads. Throws Error.
Video read_video(const std::string& path);

// 1080p pictures that are hard for c-values.
std::vector<Video> worst_cases();

}  // namespace vq::cambi::bench
