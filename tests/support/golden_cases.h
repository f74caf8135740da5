// Golden files whose cases are runs of the program: two videos, a feature with options, and the reference
// implementation's figures of every frame, pooled, and of the whole run.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "feature/simd_targets.h"
#include "tests/support/report_test.h"

namespace vq::cli::test {

using nlohmann::json;

// Those of one feature, in the file's order; `file` is below testdata/golden.
inline json golden_cases(const std::string& file, const std::string& feature) {
  std::ifstream stream(testdata("golden/" + file));
  const json all = json::parse(stream);
  json cases = json::array();
  for (const json& one : all.at("cases")) {
    if (one.at("feature") == feature) cases.push_back(one);
  }
  return cases;
}

// All of a file that is one feature's.
inline json sequence_cases(const std::string& file, const std::string& feature) {
  std::ifstream stream(testdata("golden/" + file));
  json cases = json::parse(stream).at("cases");
  for (json& one : cases) one["feature"] = feature;
  return cases;
}

// As --feature takes it: "psnr=enable_mse=true:min_sse=0.5".
inline std::string feature_text(const json& golden) {
  const std::string name = golden.at("feature");
  std::string text = name;
  for (const auto& [key, value] : golden.at("options").items()) {
    text += (text == name ? "=" : ":") + key + "=" +
            (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return text;
}

// How a run computes.
struct GoldenWay {
  std::string backend;
  uint32_t cpumask = 0;
};

// The scalar backend, and the CPU's best of every group of instruction sets that --cpumask tells apart.
inline std::vector<GoldenWay> host_ways() {
  std::vector<GoldenWay> ways = {{"scalar", 0}};
  int64_t last = 0;
  for (const uint32_t mask : {0U, +kMaskAvx512Icl, +kMaskAvx512, +kMaskAvx2, +kMaskSse41, +kMaskSsse3}) {
    const std::vector<SimdTarget> targets = allowed_simd_targets(mask);
    if (targets.empty() || targets.front().id == last) continue;
    last = targets.front().id;
    ways.push_back({"cpu", mask});
  }
  return ways;
}

inline json report_of(const json& golden, const GoldenWay& way) {
  // As the reference compares samples.
  return report_of_clips(golden.at("reference"), golden.at("distorted"), {feature_text(golden)},
                         {"--frame_skip_ref", std::to_string(golden.value("skip_reference", 0)),
                          "--frame_cnt", std::to_string(golden.at("frames").size()), "--backend", way.backend,
                          "--cpumask", std::to_string(way.cpumask), "--as-stored"});
}

// For messages.
inline std::string text_of(const json& golden, const GoldenWay& way) {
  return feature_text(golden) + ", " + way.backend + ", mask " + std::to_string(way.cpumask);
}

// Null stands for what is not finite; all else must be equal as numbers, whether written as integers or not,
// or differ by no more than the tolerance.
inline void expect_same(const json& actual, const json& expected, const std::string& where,
                        double tolerance = 0) {
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (const auto& [name, value] : expected.items()) {
    ASSERT_TRUE(actual.contains(name)) << where << ": " << name;
    if (value.is_null() || actual.at(name).is_null()) {
      EXPECT_EQ(actual.at(name), value) << where << ": " << name;
    } else {
      const double found = actual.at(name).get<double>(), wanted = value.get<double>();
      EXPECT_LE(std::abs(found - wanted), tolerance)
          << where << ": " << name << " is " << actual.at(name) << ", not " << value;
    }
  }
}

inline void expect_golden(const json& golden, const GoldenWay& way, double tolerance = 0) {
  const json report = report_of(golden, way);
  ASSERT_TRUE(report.is_object());
  const json& frames = report.at("frames");
  ASSERT_EQ(frames.size(), golden.at("frames").size());
  const std::string how = text_of(golden, way) + ", " + golden.at("distorted").get<std::string>();
  for (size_t i = 0; i < frames.size(); ++i) {
    expect_same(frames[i].at("metrics"), golden.at("frames")[i], how + ", frame " + std::to_string(i),
                tolerance);
  }
  const json pooled = golden.value("pooled", json::object());
  for (const auto& [name, statistics] : pooled.items()) {
    expect_same(report.at("pooled_metrics").at(name), statistics, how + ", pooled " + name, tolerance);
  }
  expect_same(report.at("aggregate_metrics"), golden.value("aggregate", json::object()), how + ", aggregates",
              tolerance);
}

// Those of `cases` that `is_wanted(golden)` accepts, in each of these ways.
template <typename IsWanted>
void expect_golden_cases(const json& cases, const std::vector<GoldenWay>& ways, const IsWanted& is_wanted,
                         double tolerance = 0) {
  for (const json& golden : cases) {
    if (!is_wanted(golden)) continue;
    for (const GoldenWay& way : ways) expect_golden(golden, way, tolerance);
  }
}
inline bool is_any(const json&) {
  return true;
}

// Those of these numbers.
inline void expect_chosen_cases(const json& cases, const std::vector<GoldenWay>& ways,
                                std::span<const size_t> chosen) {
  for (const size_t i : chosen) {
    for (const GoldenWay& way : ways) expect_golden(cases.at(i), way);
  }
}

}  // namespace vq::cli::test
