// What an extended report says of its run, read back.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "engine/report/name_order.h"
#include "engine/report/report.h"

namespace vq {

// `run` is the report's member of that name, `order` that of the whole report. What is missing, or of another
// type, is left as it starts.
RunFacts read_run_facts(const nlohmann::json& run, const NameOrder& order);

}  // namespace vq
