// What is left of a plan, for programs that hand it out.
#pragma once

#include <string>

namespace vq::cli {

class PlanFile;

// The shards without a whole result, and what the plan's shards take, as JSON: see docs/cluster.md. Throws
// Error{kInput}.
std::string missing_shards_json(const PlanFile& plan);

}  // namespace vq::cli
