// The golden cases of motion on a device.
#include "tests/support/still_sequence.h"

namespace vq::motion::test {
namespace {

using namespace cli::test;

const SequenceGolden& device_golden() {
  static const SequenceGolden kGolden("motion.json", "motion");
  return kGolden;
}

// Small pictures of several depths, and clips with options, sampled and skipped frames.
TEST(MotionGoldenOnDevice, SomeCasesEqualTheReference) {
  device_golden().expect(device_golden().up_to(1000), device_ways());
  device_golden().expect({23, 42, 63, 65}, device_ways());
}

TEST(MotionGoldenOnDeviceOfEverySize, EqualsTheReference) {
  device_golden().expect_all(device_ways());
}

// The device has what the frames before need, and says what it moved.
TEST(MotionOnDevice, TellsItsStages) {
  const std::string clip = "static_640x360_8b.mp4";
  const json run = report_of_clips(clip, clip, {"motion=motion_five_frame_window=true"},
                                   {"--extended", "--backend", "vulkan"})
                       .at("run");
  EXPECT_TRUE(run.at("gpu_milliseconds").contains("blurred_difference"));
  EXPECT_GT(run.at("bytes_read").get<int64_t>(), 0);
}

}  // namespace
}  // namespace vq::motion::test
