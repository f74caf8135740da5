// Columns of scores and texts, with one value for each scored frame.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace vq {

struct MetricInfo;

// One metric of a run. `values` is empty until frames have been scored.
struct Metric {
  std::string name;
  std::vector<double> values;
  // meaning of the values, valid for the whole run of the program; null: unknown
  const MetricInfo* info = nullptr;
  bool is_inner = false;   // requested by a model only, as its input
  std::string model = {};  // of a model's score: "vmaf_v0.6.1", or a file's path; empty: none, or unknown
};

std::vector<std::string> names_of(std::span<const Metric> metrics);

// One text for each scored frame.
struct TextSeries {
  std::string name;
  std::vector<std::string> values;
  bool operator==(const TextSeries&) const = default;
};

}  // namespace vq
