// Reading of an extended report's data on its run.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/report/name_order.h"
#include "engine/report/report.h"

namespace vq {

// `run` is the report's member of that name, `order` that of the whole report. Missing members, and those of
// the wrong type, keep their defaults.
RunFacts read_run_facts(const nlohmann::json& run, const NameOrder& order);

}  // namespace vq
