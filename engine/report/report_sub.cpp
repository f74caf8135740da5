#include "engine/report/report_writer.h"

namespace vq {
namespace {

// MicroDVD gives braces, bars and line ends a meaning and has no escapes.
std::string label(std::string text) {
  for (char& c : text) {
    if (c == '{' || c == '}' || c == '|' || c == '\n' || c == '\r') c = '_';
  }
  return text;
}

}  // namespace

std::string write_sub(const Report& report, const NumberStyle& numbers) {
  std::vector<std::string> labels;
  for (const Metric& metric : report.metrics) labels.push_back(label(metric.name));
  std::string out;
  for (size_t i = 0; i < report.frames.size(); ++i) {
    const std::string number = std::to_string(report.frames[i]);
    out += '{' + number + "}{" + std::to_string(report.frames[i] + 1) + "}frame: " + number + '|';
    for (size_t m = 0; m < labels.size(); ++m) {
      out += labels[m] + ": " + number_text(report.metrics[m].values[i], numbers) + '|';
    }
    out += '\n';
  }
  return out;
}

}  // namespace vq
