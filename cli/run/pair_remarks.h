// What makes scores that compare two videos say something else than their quality, as far as their headers
// tell.
#pragma once

#include <string>
#include <vector>

#include "cli/decoding/video_source.h"
#include "core/error.h"
#include "feature/feature.h"

namespace vq::cli {

// Two videos as they were opened, before anything is scaled.
struct OpenedPair {
  const VideoInfo& distorted;
  const VideoInfo& reference;
};

// Why scores that compare the videos may say nothing of quality: samples of one mean other light than those
// of the other, frames of one number are of other moments, pictures do not stand the same way, or the two
// were swapped, where one is to be scaled to the other (`scales_to_reference`). A line each; none where no
// feature compares them.
std::vector<std::string> pair_warnings(const std::vector<FeatureRequest>& features, const OpenedPair& pair,
                                       bool scales_to_reference);

// Of these warnings those by which scores that compare the videos are wrong: all but that they may have been swapped.
std::vector<std::string> pair_faults(const std::vector<FeatureRequest>& features, const OpenedPair& pair);

// Whether any feature compares the videos with each other.
bool any_compares(const std::vector<FeatureRequest>& features);

// That scores which compare the videos would be wrong, under --strict.
class PairFault : public Error {
 public:
  explicit PairFault(std::string text);
};

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
