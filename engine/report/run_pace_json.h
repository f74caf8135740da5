// Times of a run for its extended report.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/report/report.h"

namespace vq {

// The members `stages` and `pace` of `run`; see docs/report.md.
nlohmann::ordered_json stages_json(const RunFacts& run);
nlohmann::ordered_json pace_json(const RunFacts& run);  // null if the run was not measured
nlohmann::ordered_json pace_parts_json(const PaceFacts& pace);

}  // namespace vq
