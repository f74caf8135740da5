// What a shard knows beside its frames, as text.
#pragma once

#include <string>

#include "cli/cluster/shard_result.h"

namespace vq::cli {

// How many values of each kind a feature has for a frame.
struct FeatureShape {
  size_t values = 0, tallies = 0, texts = 0;
};

// How much of what there is.
struct ShardShape {
  size_t frames = 0, pairs = 0;
  std::vector<FeatureShape> features;
};

std::string facts_text(const ShardShape& shape, const ShardFacts& facts, const PartFindings& findings);

// Throws Error{kInput}, or what the reader of JSON throws, where the text was not made by facts_text().
void read_facts_text(const std::string& text, ShardShape& shape, ShardFacts& facts, PartFindings& findings);

}  // namespace vq::cli
