// Every golden case through the command line: metric names, values and heatmaps of the reference
// implementation.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"
#include "tests/support/sha256.h"

namespace vq::cli::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const json& golden_cases() {
  static const json kCases = [] {
    std::ifstream file(testdata("golden/cambi.json"));
    return json::parse(file).at("cases");
  }();
  return kCases;
}

std::string option_text(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.dump();
}

std::string feature_text(const json& options, const std::string& heatmaps) {
  std::string text;
  for (const auto& [key, value] : options.items())
    text += (text.empty() ? "" : ":") + key + "=" + option_text(value);
  if (!heatmaps.empty()) text += (text.empty() ? "" : ":") + ("heatmaps_path=" + heatmaps);
  return text.empty() ? "cambi" : "cambi=" + text;
}

void expect_reference(const json& expected) {
  const TemporaryFolder folder;
  const std::string clips = testdata("clips/");
  const std::string distorted = expected.at("distorted"), reference = expected.value("reference", distorted);
  SCOPED_TRACE(distorted + ", " + feature_text(expected.at("options"), ""));
  const bool heatmaps = expected.contains("heatmaps_sha256");
  const std::string maps = heatmaps ? folder.path() + "/maps" : "";
  const ProgramResult result = run_program({"-r", clips + reference, "-d", clips + distorted, "-n", "-q",
                                            "--feature", feature_text(expected.at("options"), maps), "--json",
                                            "--precision", "max", "-o", folder.path() + "/report.json"});
  ASSERT_EQ(result.code, 0) << result.err;

  std::ifstream file(folder.path() + "/report.json");
  const json report = json::parse(file);
  const json& frames = report.at("frames");
  ASSERT_EQ(frames.size(), expected.at("frames").size());
  for (size_t i = 0; i < frames.size(); ++i) {
    const json& metrics = frames[i].at("metrics");
    const json& wanted = expected.at("frames")[i];
    ASSERT_EQ(metrics.size(), wanted.size());
    for (const auto& [name, value] : wanted.items()) {
      ASSERT_TRUE(metrics.contains(name)) << name << " is missing from " << metrics.dump();
      EXPECT_NEAR(metrics.at(name).get<double>(), value.get<double>(), 1e-9) << "frame " << i << ", " << name;
    }
  }
  if (!heatmaps) return;
  for (const auto& [name, digest] : expected.at("heatmaps_sha256").items()) {
    EXPECT_EQ(sha256_of(read_file(maps + "/" + name)), digest.get<std::string>()) << name;
  }
}

TEST(Golden, AllCasesEqualTheReference) {
  for (const json& golden : golden_cases()) expect_reference(golden);
}

TEST(Golden, HasAllItsCases) {
  EXPECT_EQ(golden_cases().size(), 162U);
}

}  // namespace
}  // namespace vq::cli::test
