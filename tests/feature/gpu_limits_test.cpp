// What the stages of each feature say of a device that has less than they need.
#include "feature/adm/device.h"
#include "feature/bounds/device.h"
#include "feature/cambi/device_passes.h"
#include "feature/fingerprint/device.h"
#include "feature/histogram/device.h"
#include "feature/light/device.h"
#include "feature/motion/device.h"
#include "feature/psnr/device.h"
#include "feature/speed/device.h"
#include "feature/ssim/device.h"
#include "feature/ssimulacra2/device.h"
#include "feature/vif/device.h"
#include "feature/xpsnr/device.h"
#include "tests/support/gpu_test.h"

namespace vq::test {
namespace {

struct Needs {
  const char* feature;
  std::string (*unsupported)(const vulkan::DeviceInfo& device);
  int too_few, needed;  // invocations
};

const Needs kNeeds[] = {{"adm", adm::gpu::unsupported_by_stages, 64, 128},
                        {"bounds", bounds::gpu::unsupported_by_stages, 128, 256},
                        {"cambi", cambi::gpu::unsupported_by_stages, 128, 256},
                        {"fingerprint", fingerprint::gpu::unsupported_by_stage, 128, 256},
                        {"histogram", histogram::gpu::unsupported_by_stages, 128, 256},
                        {"light", light::gpu::unsupported_by_stage, 128, 256},
                        {"motion", motion::gpu::unsupported_by_stage, 128, 256},
                        {"psnr", psnr::gpu::unsupported_by_stage, 128, 256},
                        {"speed", speed::gpu::unsupported_by_stage, 64, 128},
                        {"ssim", ssim::gpu::unsupported_by_stage, 128, 256},
                        {"ssimulacra2", ssimulacra2::gpu::unsupported_by_stages, 128, 256},
                        {"vif", vif::gpu::unsupported_by_stages, 200, 256},
                        {"xpsnr", xpsnr::gpu::unsupported_by_stages, 128, 256}};

TEST(StagesOnDevices, SayWhatADeviceLacksWithTheNumber) {
  for (const Needs& needs : kNeeds) {
    SCOPED_TRACE(needs.feature);
    vulkan::DeviceInfo info = test_device()->info();
    EXPECT_EQ(needs.unsupported(info), "");
    info.max_invocations = needs.too_few;
    EXPECT_EQ(needs.unsupported(info), "work groups of at most " + std::to_string(needs.too_few) +
                                           " invocations; " + std::to_string(needs.needed) + " are needed");
  }
}

// 16 KiB of shared memory is what every device has; see vulkan/limits.h.
TEST(StagesOnDevices, NeedNoMoreThanEveryDeviceShares) {
  vulkan::DeviceInfo info = test_device()->info();
  info.shared_memory_bytes = 16384;
  for (const Needs& needs : kNeeds) EXPECT_EQ(needs.unsupported(info), "") << needs.feature;
  info.shared_memory_bytes = 1024;
  EXPECT_EQ(histogram::gpu::unsupported_by_stages(info),
            "work groups share at most 1024 bytes of memory; 14584 are needed");
}

}  // namespace
}  // namespace vq::test
