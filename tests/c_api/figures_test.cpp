// Scores are the same on every system that the library is built for: figures.inc was recorded on x86-64
// Linux.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>

#include "tests/c_api/run_under_test.h"

namespace vq::test {
namespace {

constexpr size_t kFrames = 3;
struct Figures {
  const char* metric;
  double values[kFrames];
};
constexpr Figures kFigures[] = {
#include "tests/c_api/figures.inc"
};

constexpr const char* kModels[] = {"version=vmaf_v0.6.1", "version=vmaf_b_v0.6.3:name=bagged",
                                   "version=vmaf_v1.0.16_3d0h:name=v1"};

void score_all(RunUnderTest& run) {
  for (const char* feature : kAllFeatures) run.feature(feature);
  run.feature("butteraugli").feature("ssimulacra2");
  for (const char* model : kModels) run.model(model);
  run.push({.width = 322, .height = 242, .bit_depth = 10}, 0, static_cast<int>(kFrames) - 1);
  run.finish();
}

std::string recorded(RunUnderTest& run) {
  std::ostringstream out;
  out << std::setprecision(17);
  for (const std::string& metric : run.metrics()) {
    const char* separator = "{";
    out << "{\"" << metric << "\", ";
    for (const double score : run.scores(metric.c_str())) out << std::exchange(separator, ", ") << score;
    out << "}},\n";
  }
  return out.str();
}

// CAMBI_UPDATE_GOLDEN=1 in the environment writes figures anew to the standard output.
TEST(CApiFigures, AreThoseOfEverySystem) {
  RunUnderTest run;
  score_all(run);
  if (std::getenv("CAMBI_UPDATE_GOLDEN") != nullptr) {
    std::fputs(recorded(run).c_str(), stdout);
    FAIL() << "wrote the figures";
  }
  EXPECT_EQ(run.metrics().size(), std::size(kFigures));
  for (const Figures& figures : kFigures) {
    const std::vector<double> found = run.scores(figures.metric);
    ASSERT_EQ(found.size(), kFrames) << figures.metric;
    for (size_t i = 0; i < kFrames; ++i)
      EXPECT_EQ(found[i], figures.values[i])
          << figures.metric << " of frame " << i << ": " << std::setprecision(17) << found[i];
  }
}

}  // namespace
}  // namespace vq::test
