// What the tests on Vulkan devices share: an open device, and planes sent there and back.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "feature/cambi/vulkan_passes.h"
#include "tests/support/stage_test.h"

namespace vq::cambi::test {

// Fails, by throwing, where the machine has no device: a skip would be no pass. Kept open between tests; its
// cache of pipelines is not on disk. CAMBI_TEST_DEVICE selects another device than the best.
const std::shared_ptr<vulkan::Device>& test_device();
vulkan::Context& test_context();

// Options of test_device() with a validation of one's own.
vulkan::DeviceOptions test_options(vulkan::Validation validation);

// A plane on the device with the canvas's content; slack holds noise.
template <typename T>
vulkan::DevicePlane to_device(PlaneView<const T> content, const std::shared_ptr<vulkan::Device>& device);
// A plane on the device that holds noise.
vulkan::DevicePlane noise_on_device(vulkan::PlaneLayout layout,
                                    const std::shared_ptr<vulkan::Device>& device);

// No limit on how slow a device may be: a test that hangs is ended from outside.
inline constexpr std::chrono::hours kTestTimeout{1};

// Waits until devices have finished what they were given up on.
void finish_abandoned_work();

// Submits what was recorded and waits.
void run(vulkan::Recorder& recorder);

template <typename T>
Canvas<T> from_device(const vulkan::DevicePlane& plane, const std::shared_ptr<vulkan::Device>& device);

}  // namespace vq::cambi::test
