// The golden cases of histograms through the command line: see testdata/golden/histogram.py.
#pragma once

#include "tests/support/golden_cases.h"

namespace vq::histogram::test {

using cli::test::run_program;
using cli::test::TemporaryFolder;
using cli::test::Words;
using nlohmann::json;

inline const json& golden_cases() {
  static const json kCases = cli::test::sequence_cases("histogram.json", "histogram");
  return kCases;
}

// The command line of a case without its backend and outputs.
inline Words words_of(const json& golden) {
  return {testdata("clips/") + golden.at("clip").get<std::string>(), "--feature",
          cli::test::feature_text(golden), "--frame_cnt", std::to_string(golden.at("frames").size())};
}

// What NumPy adds up in another order differs in the last digits.
inline void expect_golden(const json& golden, const std::string& backend) {
  SCOPED_TRACE(golden.at("clip").get<std::string>() + ", " + cli::test::feature_text(golden));
  const json report = cli::test::report_of_run(words_of(golden), {}, {"--backend", backend});
  ASSERT_TRUE(report.is_object());
  const json& frames = report.at("frames");
  ASSERT_EQ(frames.size(), golden.at("frames").size());
  for (size_t i = 0; i < frames.size(); ++i) {
    const json &actual = frames[i].at("metrics"), &expected = golden.at("frames")[i];
    ASSERT_EQ(actual.size(), expected.size());
    for (const auto& [name, value] : expected.items()) {
      ASSERT_TRUE(actual.contains(name)) << name;
      const double wanted = value.get<double>();
      EXPECT_NEAR(actual.at(name).get<double>(), wanted, 1e-11 * std::abs(wanted))
          << backend << ", frame " << i << ": " << name;
    }
  }
}

}  // namespace vq::histogram::test
