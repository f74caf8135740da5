#include "core/text/csv_field.h"
#include "engine/report/report_writer.h"

namespace vq {

std::string write_csv(const Report& report, const NumberStyle& numbers) {
  std::string out = "Frame,";
  for (const Metric& metric : report.metrics) out += csv_field(metric.name) + ',';
  out += '\n';
  for (size_t i = 0; i < report.frames.size(); ++i) {
    out += std::to_string(report.frames[i]) + ',';
    for (const Metric& metric : report.metrics) out += number_text(metric.values[i], numbers) + ',';
    out += '\n';
  }
  return out;
}

std::string write_plain_csv(const Report& report, const NumberStyle& numbers) {
  std::string out = "frame,timestamp", models;
  for (const Metric& metric : report.metrics) out += ',' + csv_field(metric.name);
  for (const ModelFacts& model : report.run.models) {
    out += ',' + csv_field(model.name + "_model");
    models += ',' + csv_field(model.source);
  }
  out += '\n';
  for (size_t i = 0; i < report.frames.size(); ++i) {
    out += std::to_string(report.frames[i]) + ',';
    const bool is_timed = i < report.timestamps.size() && report.timestamps[i];
    if (is_timed) out += fixed_text(*report.timestamps[i], kTimestampDecimals);
    for (const Metric& metric : report.metrics) out += ',' + number_text(metric.values[i], numbers);
    out += models + '\n';
  }
  return out;
}

}  // namespace vq
