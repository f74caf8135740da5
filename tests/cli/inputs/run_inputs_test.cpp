// The options with which the videos of a run are read.
#include "cli/inputs/run_inputs.h"
#include "cli/decoding/hardware/hardware_pictures.h"
#include "tests/support/test.h"

namespace vq::cli {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

RunOptions with_devices(const std::vector<int64_t>& memories) {
  RunOptions options;
  options.distorted = "a.mp4";
  options.max_memory = 800 * kMiB;
  options.hardware.pictures = std::make_shared<DeferredSharedPictures>();
  for (const int64_t bytes : memories) {
    HardwareDevice device;
    device.memory_bytes = bytes;
    options.hardware.devices.push_back(device);
  }
  return options;
}

TEST(RunInputs, PicturesWaitInTheMemoryOfTheDevicesThatDecodeThem) {
  const SourceOptions options = source_options(with_devices({3000 * kMiB, 6000 * kMiB}), Role::kDistorted);
  EXPECT_EQ(options.device_ahead_bytes, 3000 * kMiB);
  EXPECT_EQ(options.ahead_bytes, 200 * kMiB);
  EXPECT_EQ(options.hardware.devices.size(), 2u);
}

TEST(RunInputs, VideosOfAPairShareTheMemory) {
  RunOptions pair = with_devices({3000 * kMiB});
  pair.reference = "b.mp4";
  for (const Role role : {Role::kDistorted, Role::kReference}) {
    const SourceOptions options = source_options(pair, role);
    EXPECT_EQ(options.videos, 2);
    EXPECT_EQ(options.device_ahead_bytes, 500 * kMiB);
    EXPECT_EQ(options.ahead_bytes, 100 * kMiB);
  }
}

TEST(RunInputs, WithoutAPlaceOnTheDeviceAllPicturesGoThroughTheHost) {
  RunOptions options = with_devices({4000 * kMiB});
  options.hardware.pictures = nullptr;
  EXPECT_EQ(source_options(options, Role::kDistorted).device_ahead_bytes, 0);
}

}  // namespace
}  // namespace vq::cli
