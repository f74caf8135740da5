// Files of histograms, as the program leaves them.
#include "tests/support/bad_input.h"
#include "tests/support/golden_cases.h"

namespace vq::histogram::test {
namespace {

using namespace cli::test;
using nlohmann::json;

// What follows the header is what NumPy counted.
TEST(HistogramProgram, ArraysHoldTheCountsOfEveryFrameChannelAndBin) {
  const TemporaryFolder folder;
  const std::string path = folder.path() + "/h.npy";
  for (const json& golden : golden_cases(testdata("golden/histogram.json"), "histogram")) {
    run_well({testdata("clips/" + golden.at("clip").get<std::string>()), "-q", "--backend", "cpu",
              "--feature", feature_text(golden), "--frame_cnt", std::to_string(golden.at("frames").size()),
              "--histograms", path});
    const std::string file = read_file(path);
    ASSERT_GT(file.size(), 128U);
    EXPECT_EQ(sha256_of(std::string_view(file).substr(128)), golden.at("sha256").get<std::string>())
        << golden.at("clip");
  }
}

TEST(HistogramProgram, ARunThatEndsEarlyLeavesWhatThereIs) {
  const TemporaryFolder folder;
  const auto path = [&](const std::string& name) { return folder.path() + "/" + name; };
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

}  // namespace
}  // namespace vq::histogram::test
