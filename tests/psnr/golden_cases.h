// The golden cases of PSNR through the command line: names, values, statistics and aggregates of the reference
// implementation, to the last digit.
#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::psnr::test {

using nlohmann::json;
using cli::test::run_program;
using cli::test::TemporaryFolder;

inline const json& psnr_cases() {
  static const json kCases = [] {
    std::ifstream file(testdata("golden/fidelity.json"));
    const json all = json::parse(file);
    json cases = json::array();
    for (const json& one : all.at("cases")) {
      if (one.at("feature") == "psnr") cases.push_back(one);
    }
    return cases;
  }();
  return kCases;
}

inline std::string feature_text(const json& options) {
  std::string text = "psnr";
  for (const auto& [key, value] : options.items()) {
    text += (text == "psnr" ? "=" : ":") + key + "=" + value.get<std::string>();
  }
  return text;
}

inline json report_of(const json& golden, const std::string& backend) {
  const TemporaryFolder folder;
  const std::string clips = testdata("clips/"), path = folder.path() + "/report.json";
  const cli::test::ProgramResult result = run_program(
      {"-r", clips + golden.at("reference").get<std::string>(), "-d", clips + golden.at("distorted").get<std::string>(),
       "--frame_skip_ref", std::to_string(golden.value("skip_reference", 0)), "--frame_cnt",
       std::to_string(golden.at("frames").size()), "-q", "--feature", feature_text(golden.at("options")), "--backend",
       backend, "--json", "--precision", "max", "-o", path});
  EXPECT_EQ(result.code, 0) << result.err;
  std::ifstream file(path);
  return json::parse(file, nullptr, false);
}

// Null stands for what is not finite; all else must be equal as numbers, whether written as integers or not.
inline void expect_same(const json& actual, const json& expected, const std::string& where) {
  ASSERT_EQ(actual.size(), expected.size()) << where;
  for (const auto& [name, value] : expected.items()) {
    ASSERT_TRUE(actual.contains(name)) << where << ": " << name;
    if (value.is_null()) {
      EXPECT_TRUE(actual.at(name).is_null()) << where << ": " << name;
    } else {
      EXPECT_EQ(actual.at(name).get<double>(), value.get<double>()) << where << ": " << name;
    }
  }
}

inline void expect_golden(const json& golden, const std::string& backend) {
  const json report = report_of(golden, backend);
  ASSERT_TRUE(report.is_object());
  const json& frames = report.at("frames");
  ASSERT_EQ(frames.size(), golden.at("frames").size());
  for (size_t i = 0; i < frames.size(); ++i) {
    expect_same(frames[i].at("metrics"), golden.at("frames")[i], backend + ", frame " + std::to_string(i));
  }
  for (const auto& [name, pooled] : golden.at("pooled").items()) {
    expect_same(report.at("pooled_metrics").at(name), pooled, backend + ", pooled " + name);
  }
  expect_same(report.at("aggregate_metrics"), golden.value("aggregate", json::object()), backend + ", aggregates");
}

inline std::string case_name(const ::testing::TestParamInfo<size_t>& info) {
  std::string name = std::to_string(info.param) + "_" + psnr_cases()[info.param].at("distorted").get<std::string>();
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  }
  return name;
}

}  // namespace vq::psnr::test
