// Looks for black bars at the beginning of a video.
#pragma once

#include "cli/decoding/video_source.h"
#include "engine/analysis/bars.h"
#include "feature/feature.h"

namespace vq::cli {

// Where to look for bars.
struct BarSearch {
  SourceOptions source;
  int64_t skip = 0;  // pictures that are not looked at
  Execution execution = {};
};

// Opens the video and looks at its first seconds. Throws what opening throws, and Error{kIncomplete} where
// `source.stop` is requested.
BarFinder look_for_bars(const BarSearch& search);

}  // namespace vq::cli
