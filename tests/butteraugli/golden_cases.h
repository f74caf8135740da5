// The golden cases of Butteraugli: figures of libjxl's program for pairs of clips, or of a clip and itself
// stirred, and what the program scores.
#pragma once

#include <algorithm>
#include <fstream>

#include "tests/butteraugli/stirred_clip.h"
#include "tests/support/golden_cases.h"

namespace vq::butteraugli::test {

using cli::test::GoldenWay;
using nlohmann::json;

inline json golden_cases() {
  std::ifstream stream(testdata("golden/butteraugli.json"));
  return json::parse(stream).at("cases");
}

inline std::string feature_text(const json& golden) {
  const json& input = golden.at("input");
  const auto text = [&](const char* key) { return input.at(key).get<std::string>(); };
  const std::string location = text("location") == "centre" ? "center" : text("location");
  std::string feature = "butteraugli=intensity=" + golden.at("intensity_target").dump() + ":matrix=bt" +
                        text("matrix") + ":transfer=" + text("transfer") + ":range=" + text("range") +
                        ":chroma_location=" + location;
  if (input.contains("primaries")) feature += ":primaries=bt" + text("primaries");
  return feature;
}

// The values of the first frame, in the order of the feature's metrics.
inline std::vector<double> values_of(const json& golden, const GoldenWay& way) {
  const std::string reference = testdata("clips/" + golden.at("reference").get<std::string>());
  const cli::test::TemporaryFolder folder;
  std::string distorted = folder.path() + "/stirred.y4m";
  if (golden.contains("stir")) {
    write_stirred(reference, distorted);
  } else {
    distorted = testdata("clips/" + golden.at("distorted").get<std::string>());
  }
  const json report = cli::test::report_of_run({"-r", reference, "-d", distorted}, {feature_text(golden)},
                                               {"--frame_cnt", "1", "--as-stored", "--backend", way.backend,
                                                "--cpumask", std::to_string(way.cpumask)});
  const json& metrics = report.at("frames").at(0).at("metrics");
  std::vector<double> values;
  for (const std::string name :
       {"butteraugli", "butteraugli_3norm", "butteraugli_norm3", "butteraugli_norm2"}) {
    // Each has the options in its name.
    const auto is_it = [&](const auto& item) {
      const std::string& key = item.key();
      return key == name || (key.starts_with(name + "_") && !key.starts_with(name + "_3norm") &&
                             !key.starts_with(name + "_norm"));
    };
    const auto found = std::find_if(metrics.items().begin(), metrics.items().end(), is_it);
    values.push_back(found == metrics.items().end() ? -1 : found.value().template get<double>());
  }
  return values;
}

// What a definition with another arithmetic may be off, relative to the reference's figures.
inline constexpr double kTolerance = 1e-4;

inline void expect_reference(const json& golden, const std::vector<double>& values) {
  const std::vector<double> expected = {golden.at("butteraugli"), golden.at("butteraugli_3norm"),
                                        golden.at("plain_3norm"), golden.at("plain_2norm")};
  ASSERT_EQ(values.size(), expected.size());
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_NEAR(values[i], expected[i], kTolerance * expected[i]) << golden.dump() << ", figure " << i;
}

}  // namespace vq::butteraugli::test
