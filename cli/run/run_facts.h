// What the extended report says about a run's inputs and features.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cli/decoding/video_source.h"
#include "engine/feature_spec.h"
#include "engine/report/report.h"
#include "feature/feature.h"

namespace vq::cli {

// `frames` were read of it, after skipping; `measured` is what the whole stream came to, where it was read.
InputFacts input_facts(const std::string& role, const VideoInfo& info, int64_t frames,
                       const std::optional<StreamLength>& measured);

// A note that material of few bits is scored at its container's depth; empty if that changes nothing.
// `depth`: see PaddedDepth.
std::string padding_note(std::span<const FeatureRequest> features, const VideoFormats& formats,
                         std::optional<int> depth);

// Seconds rounded to microseconds.
double microseconds(double seconds);

// One video of a pair ended before the other.
struct ShorterPair {
  std::string shorter, longer;                // paths
  int64_t pairs = 0;                          // that were read
  std::optional<int64_t> longer_frames = {};  // as declared
  int64_t skipped = 0;                        // of the longer one
};
std::string shorter_text(const ShorterPair& pair);
// The resulting warning. Throws Error{kIncomplete} under `strict`.
std::string judge_lengths(const std::string& text, int64_t scored, bool strict);

// Time and bytes of each stage. Needs: the backend ran with these features and formats.
std::vector<StageFacts> stage_facts(const BackendReport& backend, std::span<const FeatureRequest> features,
                                    const VideoFormats& formats);

// Where the time of a run went. `waited`: seconds its reader waited for frames, which count as
// pace::kPreparing there.
PaceFacts pace_of(const std::vector<StageTotal>& parts, double waited);

}  // namespace vq::cli
