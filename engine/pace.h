// How fast features are with one backend, by trying.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "feature/feature.h"

namespace vq {

// What a backend takes for a run.
struct Pace {
  double start = 0;  // seconds: what the run takes beside its frames at their rate
  double rate = 0;   // frames a second, once all memory is in place and as many frames are in flight as the
                     // backend keeps

  double seconds(int64_t frames) const { return start + static_cast<double>(frames) / rate; }
};

// What one decoder takes for the videos of a run, one after the other.
struct DecodingPace {
  double start = 0;  // seconds until the first frames are there
  double each = 0;   // seconds for a frame of each video; 0: not known
};

// Of frames of these formats, from memory: of a picture made up here, with bands and noise. Takes some tenths
// of a second, or as long as the frames that the backend keeps in flight take twice. Throws as
// make_extractor() and what scoring throws.
Pace measure_pace(std::span<const FeatureRequest> features, const VideoFormats& formats,
                  const Execution& execution);

}  // namespace vq
