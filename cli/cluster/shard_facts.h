// What a shard knows beside its frames, as text.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "engine/part_findings.h"
#include "engine/report/report.h"

namespace vq::cli {

// What is known of a shard beside its frames.
struct ShardFacts {
  Report report;  // its run, as that of a run by itself; of frames it has one, whose scores say nothing
  size_t opening_warnings = 0;  // of the report's, those that came before the first frame
};

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
