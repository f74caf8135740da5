// The golden cases of motion on a device.
#include "tests/support/still_sequence.h"

namespace vq::motion::test {
namespace {

using namespace cli::test;

const json& cases() {
  static const json kCases = sequence_cases("motion.json", "motion");
  return kCases;
}

void expect_on_device(const json& golden) {
  for (const char* backend : {"hybrid", "vulkan"}) expect_sequence(golden, {backend, 0});
}

// Small pictures of several depths, and clips with options, sampled and skipped frames.
TEST(MotionGoldenOnDevice, SomeCasesEqualTheReference) {
  for (size_t i = 0; i < cases().size(); ++i) {
    const bool is_chosen = i == 23 || i == 42 || i == 63 || i == 65;
    if (!is_chosen && frame_samples(cases()[i]) > 1000) continue;
    SCOPED_TRACE("case " + std::to_string(i));
    expect_on_device(cases()[i]);
  }
}

TEST(MotionGoldenOnDeviceOfEverySize, EqualsTheReference) {
  for (size_t i = 0; i < cases().size(); ++i) {
    SCOPED_TRACE("case " + std::to_string(i));
    expect_on_device(cases()[i]);
  }
}

// The device has what the frames before need, and says what it moved.
TEST(MotionOnDevice, TellsItsStages) {
  const TemporaryFolder folder;
  const std::string clip = testdata("clips/static_640x360_8b.mp4"), path = folder.path() + "/report.json";
  const ProgramResult result = run_program({"-r", clip, "-d", clip, "--feature", "motion=motion_five_frame_window=true",
                                            "--extended", "--backend", "vulkan", "-q", "-o", path});
  ASSERT_EQ(result.code, 0) << result.err;
  std::ifstream file(path);
  const json run = json::parse(file).at("run");
  EXPECT_TRUE(run.at("gpu_milliseconds").contains("blurred_difference"));
  EXPECT_GT(run.at("bytes_uploaded").get<int64_t>(), 0);
  EXPECT_GT(run.at("bytes_read").get<int64_t>(), 0);
}

}  // namespace
}  // namespace vq::motion::test
