// What the tests on Vulkan devices share: an open device, and planes sent there and back.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/stage_test.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::test {

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

// A plane on the host and on the device, with noise behind the rows of both.
template <typename T>
struct TestPlane {
  // With `level(x, y)` for samples.
  template <typename Level>
  TestPlane(int width, int height, unsigned seed, Level level)
      : canvas(width, height, seed), content(std::as_const(canvas).view()) {
    for (int y = 0; y < height; ++y) {
      for (int x = 0; x < width; ++x) canvas.view().row(y)[x] = static_cast<T>(level(x, y));
    }
    on_device = to_device<T>(content, test_device());
  }
  SampleView view() const {
    SampleView view;
    if constexpr (sizeof(T) == 1) {
      view.u8 = content;
    } else {
      view.u16 = content;
    }
    return view;
  }
  Canvas<T> canvas;
  PlaneView<const T> content;
  vulkan::DevicePlane on_device;
};

template <typename T>
Canvas<T> from_device(const vulkan::DevicePlane& plane, const std::shared_ptr<vulkan::Device>& device);

}  // namespace vq::test
