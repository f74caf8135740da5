// The golden cases of the bounds through the command line: what testdata/golden/bounds.py finds, to the last
// digit.
#pragma once

#include "tests/support/golden_cases.h"

namespace vq::bounds::test {

using nlohmann::json;

inline const json& bounds_cases() {
  static const json kCases = cli::test::sequence_cases("bounds.json", "bounds");
  return kCases;
}

// The names go on with the options.
inline void expect_golden(const json& golden, const std::string& backend) {
  SCOPED_TRACE(golden.at("clip").get<std::string>() + ", " + cli::test::feature_text(golden));
  const json report = cli::test::report_of_run({testdata("clips/") + golden.at("clip").get<std::string>()},
                                               {cli::test::feature_text(golden)}, {"--backend", backend});
  ASSERT_TRUE(report.is_object());
  const json &frames = report.at("frames"), &expected = golden.at("frames");
  ASSERT_EQ(frames.size(), expected.size());
  for (size_t i = 0; i < frames.size(); ++i) {
    const json& metrics = frames[i].at("metrics");
    if (golden.contains("cropdetect")) {
      const json rectangle = {metrics.at("bounds_x"), metrics.at("bounds_y"), metrics.at("bounds_width"),
                              metrics.at("bounds_height")};
      EXPECT_EQ(rectangle, golden.at("cropdetect").at(i))
          << backend << ", frame " << i << ": FFmpeg's cropdetect";
    }
    EXPECT_EQ(metrics.size(), expected[i].size());
    for (const auto& [name, value] : metrics.items()) {
      const std::string base = name.substr(0, name.find('_', std::string("bounds_").size()));
      ASSERT_TRUE(expected[i].contains(base)) << name;
      EXPECT_EQ(value.get<double>(), expected[i].at(base).get<double>())
          << backend << ", frame " << i << ": " << name;
    }
  }
}

}  // namespace vq::bounds::test
