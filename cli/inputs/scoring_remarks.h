// What a run says of its videos before and after it scores them, and why it refuses some.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/video_source.h"
#include "cli/inputs/pair_remarks.h"
#include "cli/inputs/run_options.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "engine/models/model_of_run.h"
#include "feature/feature.h"

namespace vq::cli {

// Whether all features can score these pictures. Throws what FeatureInfo::check does, with who asked for the
// feature and what helps videos that were opened as `pair`.
void check_features(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                    const std::vector<ModelOfRun>& models, const std::optional<OpenedPair>& pair);

// Says, as far as `arguments` want it, what becomes of film grain: it hides banding from those who watch, and
// what is hidden is not scored.
void tell_of_film_grain(const VideoInfo& info, const RunOptions& arguments, Messages& messages);

// What becomes of a reference, where that may not be what was meant; empty where it is. Needs: there is one.
std::string reference_note(const std::vector<FeatureRequest>& features, const VideoFormats& formats);

// What models expect of pictures that these are not, a line each.
std::vector<std::string> expectation_notes(const std::vector<ModelOfRun>& models,
                                           const std::vector<FeatureRequest>& features,
                                           const VideoFormats& formats, std::optional<double> frame_rate);

// Which features the backend leaves to the CPU; empty for none.
std::string left_to_host_note(const std::vector<FeatureRequest>& features, const Execution& execution);

// Which faults of a pair end a run.
inline PairRules rules_of(const RunOptions& options) {
  return {options.compare_anyway, options.as_stored, options.strict};
}

// Why no frame was scored.
Error nothing_to_score(const RunOptions& arguments);

}  // namespace vq::cli
