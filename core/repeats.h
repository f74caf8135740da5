// Detection of pictures that are identical to the previous one, so that nothing is computed twice.
#pragma once

#include <optional>

#include "core/frame.h"

namespace vq {

class RepeatFinder {
 public:
  // Compares a video's frame with the previous one, sample by sample up to the first plane that differs, and
  // sets its repeated_planes. Keeps a copy of the frame, not of its samples.
  void mark(Frame& frame);

 private:
  std::optional<Frame> last_;
};

}  // namespace vq
