// What makes scores that compare two videos say something else than their quality, as far as their headers
// tell; for the engine, and with what helps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/video_source.h"
#include "core/error.h"
#include "core/frame.h"
#include "engine/analysis/pair_fault.h"
#include "engine/settle.h"
#include "feature/feature.h"

namespace vq::cli {

// Two videos as they were opened, before anything is scaled.
struct OpenedPair {
  const VideoInfo& distorted;
  const VideoInfo& reference;
  bool is_paired_by_time = false;
  std::optional<Rectangle> distorted_crop = {}, reference_crop = {};  // what is compared of them; none: all
};

PairHeaders headers_of(const OpenedPair& pair);

// header_faults() of the pair; none where no feature compares the videos. `as_stored`: other ranges are not
// evened out.
std::vector<PairFault> pair_faults(const std::vector<FeatureRequest>& features, const OpenedPair& pair,
                                   bool as_stored);

// That scores which compare the videos would be wrong.
class RefusedPair : public Error {
 public:
  // Needs: advice is in the text. `why` it is an error: "--strict is set".
  RefusedPair(PairFault fault, const std::string& why);
  const PairFault& fault() const { return fault_; }

 private:
  PairFault fault_;
};

// The options of a run that say which faults end it.
struct PairRules {
  bool compare_anyway = false, as_stored = false, strict = false;
};

// Throws RefusedPair for a fault that ends the run: a certain one, unless scores are wanted all the same, as
// they are of samples that are compared as stored whatever they show; and any fault under --strict. Needs:
// features compare the videos.
void refuse_pair_fault(const PairFault& fault, const PairRules& rules);

// What brings both to one size, behind "Try: ".
std::string size_remedy(const OpenedPair& pair);

// What brings both to one sampling of chroma, behind a full stop; empty where nothing does.
std::string chroma_remedy(const VideoFormat& distorted, const VideoFormat& reference);

}  // namespace vq::cli
