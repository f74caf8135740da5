// A pair of pictures on its way through the extractors of a context.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <vector>

#include "core/frame.h"

namespace vq::libvmaf {

class Registration;

struct FrameJob {
  // What the caller calls it; the pair's own number counts pairs as they were read.
  unsigned index = 0;
  FramePair frames;
  std::vector<const Registration*> wanted;  // those that score it
  int64_t bytes = 0;
  // A negative errno, of what went wrong; 0: nothing.
  std::atomic<int> fault = 0;

  bool wants(const Registration* registration) const {
    return std::find(wanted.begin(), wanted.end(), registration) != wanted.end();
  }
};

}  // namespace vq::libvmaf
