// What the extended report says about a run's inputs and features.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/decoding/video_source.h"
#include "feature/feature.h"
#include "core/report.h"

namespace vq::cli {

// `frames` were read of it, after skipping; `measured` is what the whole stream came to, where it was read.
InputFacts input_facts(const std::string& role, const VideoInfo& info, int64_t frames,
                       const std::optional<StreamLength>& measured);

// The feature's name and the effective value of every option, as text.
std::pair<std::string, std::vector<std::pair<std::string, std::string>>> feature_facts(
    const FeatureRequest& request);

}  // namespace vq::cli
