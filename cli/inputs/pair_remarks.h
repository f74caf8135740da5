// What makes scores that compare two videos say something else than their quality, as far as their headers
// tell.
#pragma once

#include <string>
#include <vector>

#include "cli/decoding/video_source.h"
#include "core/error.h"
#include "engine/analysis/pair_fault.h"
#include "feature/feature.h"

namespace vq::cli {

// Two videos as they were opened, before anything is scaled.
struct OpenedPair {
  const VideoInfo& distorted;
  const VideoInfo& reference;
  bool is_paired_by_time = false;
};

// Why scores that compare the videos are wrong: samples of one mean other light than those of the other,
// frames of one number are of other moments, or pictures do not stand the same way. None where no feature
// compares them. `as_stored`: other ranges are not evened out.
std::vector<PairFault> pair_faults(const std::vector<FeatureRequest>& features, const OpenedPair& pair,
                                   bool as_stored);

// That the videos may have been swapped, where the distorted one is scaled to its reference; empty where not.
std::string swap_warning(const std::vector<FeatureRequest>& features, const OpenedPair& pair);

// That pictures of one size are shown in different shapes, as their tags say, though they are compared sample
// by sample; empty where not.
std::string aspect_warning(const std::vector<FeatureRequest>& features, const OpenedPair& pair);

// Whether any feature compares the videos with each other.
bool any_compares(const std::vector<FeatureRequest>& features);

// That scores which compare the videos would be wrong.
class RefusedPair : public Error {
 public:
  // `why` it is an error: "--strict is set".
  RefusedPair(std::string text, const std::string& why);
};

// Throws RefusedPair for the first of the faults, if there is one: --strict is set.
void refuse_pair_faults(const std::vector<PairFault>& faults);

// Throws RefusedPair for a pair that has faults which the program can do nothing about.
void refuse_pair(const std::vector<FeatureRequest>& features, const OpenedPair& pair);

// Whether frames of one number are of other moments, since the frame rates differ.
bool has_other_moments(const OpenedPair& pair);
// What gives both the reference's frame rate. Needs: it is known.
std::string rate_remedy(const OpenedPair& pair);

// Whether one stands upright and the other does not.
bool lie_crosswise(const OpenedPair& pair);
// What brings both to one size, behind "Try: ".
std::string size_remedy(const OpenedPair& pair);

// What brings both to one sampling of chroma, behind a full stop; empty where nothing does.
std::string chroma_remedy(const VideoFormat& distorted, const VideoFormat& reference);

}  // namespace vq::cli
