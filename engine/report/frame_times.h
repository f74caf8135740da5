// Times of the frames of a report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "engine/report/report.h"

namespace vq {

// Duration of a frame, by the frame rate of the distorted video, or by kAssumedFrameRate if that is unknown.
double frame_seconds(const Report& report);

// Start of the frame of this number by the frame rate. Nothing if that is unknown.
std::optional<double> time_by_rate(const Report& report, int64_t frame);

// Start of the scored frame at this position: by its timestamp, otherwise by the frame rate.
std::optional<double> time_of_scored(const Report& report, size_t position);

// Last frame that the run scored or sampled. Frames that follow the last scored one count with it, as far as
// the report says how many were read. Needs: scored frames.
int64_t last_frame(const Report& report);

}  // namespace vq
