// What tests of statistics, rankings and the commands that make them share.
#pragma once

#include <limits>
#include <regex>
#include <string>
#include <vector>

#include "cli/reports/compare.h"
#include "tests/support/report_samples.h"

namespace vq::cli {

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A run over a whole video with one metric, at 24 frames a second; its size and bit rate are not known.
inline NamedReport run_of(const std::string& name, const std::vector<double>& values,
                          const std::string& metric = "cambi") {
  Report report = sample_report();
  report.frames.clear();
  report.timestamps.clear();
  for (size_t i = 0; i < values.size(); ++i) {
    report.frames.push_back(static_cast<int64_t>(i));
    report.timestamps.push_back(static_cast<double>(i) / 24);
  }
  report.metrics = {{metric, values}};
  InputFacts& video = report.run.inputs[0];
  video.duration = static_cast<double>(values.size()) / *video.frame_rate;
  video.file_bytes.reset();
  video.bit_rate.reset();
  video.bit_rate_of.clear();
  return {name, report};
}

// A file that the program writes, without its version.
inline std::string without_version(const std::string& text) {
  return std::regex_replace(text, std::regex("\"version\": \"[^\"]*\""), "\"version\": \"\"");
}

inline Statistic named(const std::string& word) {
  return parse_statistic(word, "--by");
}

}  // namespace vq::cli
