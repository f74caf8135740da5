#include "engine/report/frame_times.h"

#include <algorithm>

#include "core/frame.h"

namespace vq {

double frame_seconds(const Report& report) {
  const InputFacts* const input = distorted_input(report);
  return 1 / (input != nullptr ? input->frame_rate.value_or(kAssumedFrameRate) : kAssumedFrameRate);
}

std::optional<double> time_by_rate(const Report& report, int64_t frame) {
  const InputFacts* const input = distorted_input(report);
  if (input == nullptr || !input->frame_rate) return std::nullopt;
  return static_cast<double>(frame + input->skipped) / *input->frame_rate;
}

std::optional<double> time_of_scored(const Report& report, size_t position) {
  if (position < report.timestamps.size() && report.timestamps[position]) return report.timestamps[position];
  return time_by_rate(report, report.frames[position]);
}

int64_t last_frame(const Report& report) {
  const int64_t last = report.frames.back();
  const InputFacts* const input = distorted_input(report);
  // A spread sample does not say where its first group begins.
  if (input == nullptr || report.run.subsample <= 1 || report.run.sample_is_spread) return last;
  return std::clamp(report.frames.front() + input->frames - 1, last, last + report.run.subsample - 1);
}

}  // namespace vq
