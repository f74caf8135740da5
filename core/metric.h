// Columns of scores and of words, a value for every scored frame.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace vq {

struct MetricInfo;

// One metric of a run. `values` is empty until frames were scored.
struct Metric {
  std::string name;
  std::vector<double> values;
  const MetricInfo* info =
      nullptr;            // what they mean, for as long as the program runs; null: what the name says
  bool is_inner = false;  // nobody asked for it but a model, to score from
};

std::vector<std::string> names_of(std::span<const Metric> metrics);

// Words about every scored frame.
struct TextSeries {
  std::string name;
  std::vector<std::string> values;
  bool operator==(const TextSeries&) const = default;
};

}  // namespace vq
