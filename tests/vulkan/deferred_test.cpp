// A device that does not answer in time while it goes on working.
#include "shaders/vulkan_wait_for_host.h"
#include "tests/support/expect_error.h"
#include "tests/support/gpu_test.h"

namespace vq::vulkan {
namespace {

using namespace vq::test;

constexpr uint32_t kTurns = 50'000;
// Enough to last until the host has looked around, also where the device might not see what the host writes.
Groups many_groups(const DeviceInfo& info) {
  return {65535, info.type == DeviceType::kSoftware ? 2U : 1U, 1};
}

void expect_no_answer(const std::function<void()>& function) {
  vq::test::expect_error(ErrorKind::kBackend, {"no answer"}, function);
}

TEST(VulkanLate, WhatADeviceWorksOnIsNeverFreed) {
  std::byte* go = nullptr;
  std::vector<std::weak_ptr<const void>> used;
  {
    const std::shared_ptr<Device> device = Device::open(test_options(Validation::kOff));
    const Pipeline pipeline(device, shaders::kVulkanWaitForHost, {});
    const Buffer in(device, Memory::kUpload, 4), out(device, Memory::kReadback, 64);
    const Buffer other(device, Memory::kUpload, 4);
    go = in.mapped();
    used = {device, pipeline.impl(), in.impl(), out.impl(), other.impl()};
    Recorder recorder(device), second(device);
    recorder.pass(pipeline, {&in, &out}).run(kTurns, many_groups(device->info()));
    CommandList list = recorder.finish();
    second.copy(in, other);
    CommandList behind = second.finish();
    list.submit();
    behind.submit();
    expect_no_answer([&] { list.wait(std::chrono::milliseconds(1)); });
    // Were this not over at once, it would take an hour.
    expect_no_answer([&] { behind.wait(std::chrono::hours(1)); });
    expect_no_answer([&] { list.submit(); });
  }
  for (const auto& each : used) EXPECT_FALSE(each.expired());
  const uint32_t yes = 1;
  std::memcpy(go, &yes, sizeof yes);
}

// The device of the other tests, which is not the one that hung, goes on. It keeps the pipeline itself.
TEST(VulkanLate, APipelineAndBuffersMayGoBeforeTheListThatNamesThem) {
  std::vector<std::weak_ptr<const void>> used;
  CommandList list = [&used] {
    const Pipeline pipeline(test_device(), shaders::kVulkanWaitForHost, {});
    const Buffer in(test_device(), Memory::kUpload, 4), out(test_device(), Memory::kReadback, 64);
    used = {in.impl(), out.impl()};
    Recorder recorder(test_device());
    recorder.pass(pipeline, {&in, &out}).run(kTurns, {});
    return recorder.finish();
  }();
  for (int i = 0; i < 3; ++i) {
    list.submit();
    list.wait(vq::test::kTestTimeout);
  }
  list.submit();
  for (const auto& each : used) EXPECT_FALSE(each.expired());
  list = {};  // waits
  for (const auto& each : used) EXPECT_TRUE(each.expired());
}

}  // namespace
}  // namespace vq::vulkan
