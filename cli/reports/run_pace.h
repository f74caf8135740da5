// How fast each part of a run could have gone by itself, and which of them held it up.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/report.h"

namespace vq::cli {

enum class WorkPart { kDecoding, kUploading, kDevice, kHost };
std::string_view to_string(WorkPart part);  // "decoding", "uploading", "device", "host"

struct PartPace {
  WorkPart part = WorkPart::kDecoding;
  double seconds = 0;  // that it was at work; of the host divided by the number of its threads
  double fps = 0;      // frames of the run in that time
};

// The parts that took any time, in that order; none where the run does not tell.
std::vector<PartPace> part_paces(const RunFacts& run);

// Decoding where the run spent more than half its time without a frame to score, or where hardware decodes and no other
// part was at work for half of it; else the part that was at work longest. None where nothing is known of any.
std::optional<WorkPart> limit_of(const RunFacts& run);

}  // namespace vq::cli
