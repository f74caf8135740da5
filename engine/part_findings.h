// Findings of a part of a run, for the merge of the parts.
#pragma once

#include "core/metric.h"
#include "engine/analysis/picture_format.h"
#include "engine/analysis/signature.h"
#include "engine/sampling.h"
#include "feature/feature.h"

namespace vq {

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
  Signature scene;                 // of the distorted picture
  Signature distorted, reference;  // if it is watched whether they belong together
  bool operator==(const LookedPair&) const = default;
};

enum class ShorterVideo { kNone, kDistorted, kReference };

// Findings about single frames, before anything is made of them that takes more than one.
struct PartFindings {
  std::vector<PushedFrame> frames;
  std::vector<std::vector<FrameResult>> results;  // of each of these, by feature
  std::vector<LookedPair> pairs;
  bool watches_pairs = false;
  std::vector<LookedBars> bars;
  PaddedDepth::State padding;
  SampledTypes::State types;
  int64_t pairs_read = 0;
  ShorterVideo shorter = ShorterVideo::kNone;                 // of a part without an end
  std::optional<int64_t> distorted_frames, reference_frames;  // as the containers declare them
  VideoFormats formats;                                       // as they are scored and watched
};

}  // namespace vq
