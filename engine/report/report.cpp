#include "engine/report/report.h"

#include <cmath>

#include "engine/known_metrics.h"

namespace vq {

static const InputFacts* input_of(const Report& report, std::string_view role) {
  for (const InputFacts& input : report.run.inputs) {
    if (input.role == role) return &input;
  }
  return nullptr;
}

const Metric* find_metric(const Report& report, std::string_view name) {
  const auto found = std::ranges::find(report.metrics, name, &Metric::name);
  return found == report.metrics.end() ? nullptr : &*found;
}

InputFacts input_facts(const std::string& role, const VideoFormat& format, int64_t frames) {
  InputFacts facts;
  facts.role = role;
  facts.width = format.width;
  facts.height = format.height;
  facts.bit_depth = format.bit_depth;
  facts.chroma = to_string(format.chroma);
  facts.range = to_string(format.range);
  facts.transfer = to_string(format.transfer);
  facts.matrix = to_string(format.matrix);
  facts.stored_light = format.stored_light;
  facts.frames = frames;
  return facts;
}

const InputFacts* distorted_input(const Report& report) { return input_of(report, "distorted"); }

const InputFacts* reference_input(const Report& report) { return input_of(report, "reference"); }

std::vector<std::string> certain_texts(const std::vector<PairFault>& faults) {
  std::vector<std::string> texts;
  for (const PairFault& fault : faults) {
    if (fault.is_certain) texts.push_back(fault.diagnostic.text);
  }
  return texts;
}

bool is_comparable(const Report& report, const Metric& metric) {
  return !is_not_comparable(report.run.pair_faults) || is_of_one_video(metric);
}

const MetricInfo& metric_info(const Report& report, std::string_view metric) {
  const Metric* const found = find_metric(report, metric);
  return found != nullptr ? metric_info(*found) : known_metric(metric);
}

double frame_seconds(const Report& report) {
  const InputFacts* const input = distorted_input(report);
  return 1 / (input != nullptr ? input->frame_rate.value_or(kAssumedFrameRate) : kAssumedFrameRate);
}

std::optional<double> time_by_rate(const Report& report, int64_t frame) {
  const InputFacts* const input = distorted_input(report);
  if (input == nullptr || !input->frame_rate) return std::nullopt;
  return static_cast<double>(frame + input->skipped) / *input->frame_rate;
}

std::optional<double> timestamp_at(const Report& report, size_t position) {
  if (position >= report.timestamps.size()) return std::nullopt;
  const std::optional<double>& time = report.timestamps[position];
  return time && std::isfinite(*time) ? time : std::nullopt;
}

std::optional<double> time_of_scored(const Report& report, size_t position) {
  const std::optional<double> time = timestamp_at(report, position);
  return time ? time : time_by_rate(report, report.frames[position]);
}

int64_t last_frame(const Report& report) {
  const int64_t last = report.frames.back();
  const InputFacts* const input = distorted_input(report);
  // A spread sample does not say where its first group begins.
  if (input == nullptr || report.run.subsample <= 1 || report.run.sample_is_spread) return last;
  return std::clamp(report.frames.front() + input->frames - 1, last, last + report.run.subsample - 1);
}

}  // namespace vq
