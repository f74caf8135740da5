// Devices that contexts share, on any Vulkan device.
#include "engine/backend_choice.h"

#include "tests/support/expect_error.h"
#include "tests/support/gpu_test.h"

namespace vq::test {
namespace {

// It does not answer in no time at all.
void fail(const std::shared_ptr<vulkan::Device>& device) {
  const vulkan::Buffer buffer(device, vulkan::Memory::kDevice, int64_t{64} << 20);
  vulkan::Recorder recorder(device);
  for (uint32_t i = 0; i < 32; ++i) recorder.fill(buffer, i);
  vulkan::CommandList list = recorder.finish();
  list.submit();
  EXPECT_THROW(list.wait(std::chrono::milliseconds(0)), Error);
  EXPECT_TRUE(device->has_failed());
}

vulkan::DeviceOptions options() { return test_options(vulkan::Validation::kOff); }

TEST(DeviceLease, SharesWhatIsOpen) {
  const auto first = lease_devices(options());
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(lease_devices(options()).front().get(), first.front().get());
  const DeviceSelection selection = lease_selection(options());
  EXPECT_EQ(selection.opened.get().front().get(), first.front().get());
  EXPECT_EQ(selection.count, static_cast<int>(first.size()));
}

TEST(DeviceLease, KeepsADeviceForTheNext) {
  std::weak_ptr<vulkan::Device> use;
  const vulkan::Device* device = nullptr;
  {
    const auto devices = lease_devices(options());
    use = devices.front();
    device = devices.front().get();
  }
  EXPECT_TRUE(use.expired());
  EXPECT_EQ(lease_devices(options()).front().get(), device);
}

TEST(DeviceLease, OpensAnotherForAnotherCache) {
  const auto first = lease_devices(options());
  vulkan::DeviceOptions other = options();
  other.cache_folder = "/nonexistent";
  EXPECT_NE(lease_devices(other).front().get(), first.front().get());
}

TEST(DeviceLease, OpensAnotherAfterOneFailed) {
  const auto failed = lease_devices(options());
  fail(failed.front());
  const auto next = lease_devices(options());
  EXPECT_NE(next.front().get(), failed.front().get());
  EXPECT_FALSE(next.front()->has_failed());
}

TEST(DeviceLease, AsksWhetherAnOpenDeviceWillDo) {
  const auto first = lease_devices(options());
  vulkan::DeviceOptions demanding = options();
  demanding.requirement = [](const vulkan::DeviceInfo&) { return std::string("lacks what nobody has"); };
  expect_error(ErrorKind::kBackend, {"lacks what nobody has"}, [&] { (void)lease_devices(demanding); });
  const DeviceSelection selection = lease_selection(demanding);
  expect_error(ErrorKind::kBackend, {"lacks what nobody has"}, [&] { (void)selection.opened.get(); });
}

}  // namespace
}  // namespace vq::test
