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

}  // namespace vq
