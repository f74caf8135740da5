// Scores as they come, for programs: one JSON object a line.
#pragma once

#include <string>

#include "core/text/number_text.h"
#include "engine/evaluator.h"

namespace vq::cli {

// {"frameNum": 7, "timestamp": 0.28, "metrics": {"cambi": 1.5}} and a line end: the members of a frame in the
// extended report.
std::string score_line(const ScoredRow& row, const NumberStyle& numbers);

}  // namespace vq::cli
