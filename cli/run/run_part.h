// A part of a run that several machines share, and what it finds for whoever puts the parts together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cli/decoding/padded_depth.h"
#include "cli/decoding/stream_part.h"
#include "cli/decoding/video_source.h"
#include "cli/run/bars.h"
#include "core/scores.h"
#include "feature/signature.h"

namespace vq::cli {

// Frames have the numbers that they have in the whole run.
struct RunPart {
  int64_t first = 0;      // that is of the part
  int64_t end = -1;       // the first that is not any more; -1: all that follow are
  int64_t lead = 0;       // so many before the first are read as well, as neighbours
  int64_t run_first = 0;  // the first of the whole run
  std::optional<StreamPart> distorted, reference;            // where they lie; none: read from the start of the video
  std::optional<StreamLength> distorted_length, reference_length;  // of the whole streams
};

// A frame that went to the features.
struct PushedFrame {
  int64_t frame = 0;
  std::optional<double> timestamp;
  bool is_reported = true;
  bool has_reference = false;
  int distorted_repeats = 0, reference_repeats = 0;  // Frame::repeated_planes
  bool operator==(const PushedFrame&) const = default;
};

// A pair of the range, scored or not.
struct LookedPair {
  int64_t frame = 0;
  Signature scene;                 // of the distorted picture as it is cropped
  Signature distorted, reference;  // of the whole pictures, where somebody watches whether they belong together
  bool operator==(const LookedPair&) const = default;
};

enum class ShorterVideo { kNone, kDistorted, kReference };

// What of frames is found before anything is made of it that takes more than one of them.
struct PartFindings {
  std::vector<PushedFrame> frames;
  std::vector<std::vector<FrameResult>> results;  // of each of these, by feature
  std::vector<LookedPair> pairs;
  bool watches_pairs = false;
  BarsSeen distorted_bars, reference_bars;
  PaddedDepth::State padding;
  int64_t pairs_read = 0;
  ShorterVideo shorter = ShorterVideo::kNone;  // of a part without an end
  std::optional<int64_t> distorted_frames, reference_frames;  // as the containers declare them
  VideoFormat distorted;                                      // as they are scored
  std::optional<VideoFormat> reference;
};

}  // namespace vq::cli
