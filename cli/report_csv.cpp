#include "cli/report_writer.h"

namespace vq::cli {
namespace {

// Names that would change the columns are quoted in the usual way: doubled quotes between quotes.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

}  // namespace

std::string write_csv(const Report& report, const NumberStyle& numbers) {
  std::string out = "Frame,";
  for (const Metric& metric : report.metrics) out += field(metric.name) + ',';
  out += '\n';
  for (size_t i = 0; i < report.frames.size(); ++i) {
    out += std::to_string(report.frames[i]) + ',';
    for (const Metric& metric : report.metrics) out += number_text(metric.values[i], numbers) + ',';
    out += '\n';
  }
  return out;
}

}  // namespace vq::cli
