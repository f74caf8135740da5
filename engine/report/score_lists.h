// Scores as lists alone.
#pragma once

#include <span>
#include <string>

#include "core/text/number_text.h"
#include "engine/report/report.h"

namespace vq {

// A list of the metrics' scores for each frame, as FFVship writes it: [[84.1], [83.9]]. A score that is not
// finite is null. Needs: metrics with equally many values.
std::string write_score_lists(std::span<const Metric* const> metrics, const NumberStyle& numbers);

// A line for each frame, "1: 84.100000", behind "skip: 1": the file of SSIMULACRA 2 scores from which
// auto-boost scripts make zones. They read no sign, and take what is below 0 for 0. Needs: every frame was
// scored.
std::string write_auto_boost(const Metric& metric);

}  // namespace vq
