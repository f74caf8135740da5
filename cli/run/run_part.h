// A part of a run that several machines share.
#pragma once

#include <cstdint>
#include <optional>

#include "cli/decoding/parallel/stream_part.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// Frames have the numbers that they have in the whole run.
struct RunPart {
  int64_t first = 0;                               // that is of the part
  int64_t end = -1;                                // the first that is not any more; -1: all that follow are
  int64_t lead = 0;                                // so many before the first are read as well, as neighbours
  int64_t run_first = 0;                           // the first of the whole run
  std::optional<StreamPart> distorted, reference;  // where they lie; none: read from the start of the video
  std::optional<StreamLength> distorted_length, reference_length;  // of the whole streams
};

}  // namespace vq::cli
