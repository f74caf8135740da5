#include "cli/run/score_stream.h"

#include <cmath>
#include <limits>

#include "engine/report/json_text.h"

namespace vq::cli {

std::string score_line(const ScoredRow& row, const NumberStyle& numbers) {
  std::string line = "{\"frameNum\": " + std::to_string(row.frame) + ", \"timestamp\": ";
  const bool timed = row.timestamp && std::isfinite(*row.timestamp);
  line += timed ? fixed_text(*row.timestamp, kTimestampDecimals) : "null";
  line += ", \"metrics\": {";
  for (size_t i = 0; i < row.metrics.size(); ++i) {
    const auto& [name, value] = row.metrics[i];
    if (i > 0) line += ", ";
    line += json_quoted(name) + ": ";
    line += std::isfinite(value) ? number_text(value, numbers) : "null";
  }
  line += "}";
  std::string infinite;
  for (const auto& [name, value] : row.metrics) {
    if (value == std::numeric_limits<double>::infinity())
      infinite += (infinite.empty() ? "" : ", ") + json_quoted(name);
  }
  if (!infinite.empty()) line += ", \"infinite\": [" + infinite + "]";
  for (size_t i = 0; i < row.texts.size(); ++i) {
    const auto& [name, text] = row.texts[i];
    line += (i == 0 ? ", \"texts\": {" : ", ") + json_quoted(name) + ": " + json_quoted(text);
  }
  return line + (row.texts.empty() ? "}\n" : "}}\n");
}

}  // namespace vq::cli
