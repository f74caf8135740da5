// Histograms in the program: their files, in every way a run can end, and what the general places make of
// their metrics.
#include <gmock/gmock.h>

#include "tests/support/bad_input.h"
#include "tests/support/golden_cases.h"

namespace vq::histogram::test {
namespace {

using namespace cli::test;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class HistogramProgram : public ::testing::Test {
 protected:
  ProgramResult run(const std::string& clip, Words more) const {
    more.insert(more.begin(), testdata("clips/" + clip));
    more.insert(more.end(), {"--backend", "cpu"});
    return run_program(more);
  }
  // The file that a run writes with --histograms.
  std::string written(const std::string& clip, const std::string& name, Words more) const {
    more.insert(more.end(), {"-q", "--histograms", path(name)});
    const ProgramResult result = run(clip, more);
    EXPECT_EQ(result.code, 0) << result.err;
    return read_file(path(name));
  }
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  TemporaryFolder folder_;
};

// What follows the header is what NumPy counted.
TEST_F(HistogramProgram, ArraysHoldTheCountsOfEveryFrameChannelAndBin) {
  for (const json& golden : golden_cases(testdata("golden/histogram.json"), "histogram")) {
    const std::string file = written(
        golden.at("clip"), "h.npy",
        {"--feature", feature_text(golden), "--frame_cnt", std::to_string(golden.at("frames").size())});
    ASSERT_GT(file.size(), 128U);
    EXPECT_EQ(sha256_of(std::string_view(file).substr(128)), golden.at("sha256").get<std::string>())
        << golden.at("clip");
  }
}

// The rectangle is all there is of the picture.
TEST_F(HistogramProgram, CountsWithinTheCrop) {
  const std::string file =
      written("sky_640x360_8b.mp4", "h.npy", {"--feature", "histogram=planes=rgb", "--crop", "100:50:10:20"});
  uint64_t first = 0;
  for (size_t bin = 0; bin < 256; ++bin) {
    for (size_t byte = 0; byte < 4; ++byte) {
      first += uint64_t{static_cast<unsigned char>(file[128 + 4 * bin + byte])} << (8 * byte);
    }
  }
  EXPECT_EQ(first, 100U * 50);
}

TEST_F(HistogramProgram, ARunThatEndsEarlyLeavesWhatThereIs) {
  write_file(path("h.npy"), "what was there");
  // A container that does not say how many frames there are.
  run_ffmpeg("-i " + testdata("clips/colour_640x360_8b_ref.mp4") + " -c:v ffv1 " + path("d.mkv"));
  const ProgramResult result =
      run_program({"-r", testdata("clips/sky_640x360_8b.mp4"), "-d", path("d.mkv"), "--strict", "-q",
                   "--feature", "histogram", "--histograms", path("h.npy"), "--backend", "cpu"});
  EXPECT_EQ(result.code, 6) << result.err;
  EXPECT_EQ(read_file(path("h.npy")), "what was there");
  const std::string kept = read_file(path("h.npy.partial"));
  EXPECT_THAT(kept, HasSubstr("'shape': (3, 1, 256)"));
  EXPECT_THAT(kept, SizeIs(128U + 3 * 256 * 4));
}

TEST_F(HistogramProgram, ThresholdsTakeItsMetrics) {
  const auto code = [&](const std::string& clip, const std::string& expression) {
    return run(clip, {"-q", "--feature", "histogram", "--fail-above", expression}).code;
  };
  EXPECT_EQ(code("sky_640x360_8b.mp4", "histogram_y_clipped_high:max>0.01"), 0);
  EXPECT_EQ(code("bright_480x270_8b.mkv", "histogram_y_clipped_high:max>0.01"), 7);
  EXPECT_EQ(code("bright_480x270_8b.mkv", "histogram_y_max:max>254"), 7);
}

TEST_F(HistogramProgram, PagesHaveTheLevelsAndTheHistogramsOfTheWorstFrames) {
  ASSERT_EQ(
      run("letterbox_640x360_8b.mp4", {"-q", "--feature", "histogram=planes=ycbcr", "--html", path("p.html")})
          .code,
      0);
  const std::string page = read_file(path("p.html"));
  EXPECT_THAT(
      page, HasSubstr("\"levels\":[{\"name\":\"y\",\"bins\":256,\"low\":0.0625,\"high\":0.921875,\"p1\":["));
  EXPECT_THAT(page, HasSubstr("\"histograms\":[{\"shares\":["));
}

}  // namespace
}  // namespace vq::histogram::test
