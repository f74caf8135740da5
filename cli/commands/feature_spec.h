// The text form of a feature and its options, as --feature takes it.
#pragma once

#include <string>
#include <string_view>

#include "feature/feature.h"

namespace vq::cli {

// find_feature() with a better error: without a near name, it says where names are listed.
const FeatureInfo& named_feature(const std::string& name);

// NAME[=key=value[:key=value]...], where \: \= and \\ stand for the characters themselves. Exact: names,
// defaults and ranges are the feature's own and nothing is inferred. Throws Error{kUsage} that says what is
// wrong and, for a fault of form, at which byte (counted from 1).
FeatureRequest parse_feature(std::string_view text);
// Several names separated by commas; only the last may have options.
std::vector<FeatureRequest> parse_features(std::string_view text);

// Throws Error{kUsage} if two of the requests would report a metric of the same name.
void check_metric_names(std::span<const FeatureRequest> requests);

}  // namespace vq::cli
