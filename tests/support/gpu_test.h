// What the tests on Vulkan devices share: an open device, and planes sent there and back.
#pragma once

#include "tests/support/stage_test.h"
#include "vulkan/picture.h"

namespace vq::test {

// Fails, by throwing, where the machine has no device: a skip would be no pass. Kept open between tests; its
// cache of pipelines is not on disk. CAMBI_TEST_DEVICE selects another device than the best.
const std::shared_ptr<vulkan::Device>& test_device();
vulkan::Context& test_context();

// The device of test_device(), opened once more as if it were what `change` makes of it.
std::shared_ptr<vulkan::Device> changed_device(const std::function<void(vulkan::DeviceInfo&)>& change);

// test_device() as if its memory were never the host's, even if it is.
const std::shared_ptr<vulkan::Device>& copying_device();

// Options of test_device() with a validation of one's own.
vulkan::DeviceOptions test_options(vulkan::Validation validation);

// A plane on the device with the canvas's content; slack holds noise.
template <typename T>
vulkan::DevicePlane to_device(PlaneView<const T> content, const std::shared_ptr<vulkan::Device>& device);
// A plane of either type on the device, with noise behind its rows and below them.
vulkan::DevicePlane to_device(const SampleView& plane);
// A plane on the device that holds noise.
vulkan::DevicePlane noise_on_device(vulkan::PlaneLayout layout,
                                    const std::shared_ptr<vulkan::Device>& device);

// No limit on how slow a device may be: a test that hangs is ended from outside.
inline constexpr std::chrono::hours kTestTimeout{1};

// Submits what was recorded and waits.
void run(vulkan::Recorder& recorder);

// What record(recorder, buffer) leaves in a buffer of the device that held other bytes before, on the host.
template <typename Record>
vulkan::Buffer recorded(int64_t bytes, const Record& record) {
  const vulkan::Buffer there(test_device(), vulkan::Memory::kDevice, bytes);
  vulkan::Buffer readback(test_device(), vulkan::Memory::kReadback, bytes);
  vulkan::Recorder recorder(test_device());
  recorder.fill(there, 0xABABABAB);
  record(recorder, there);
  recorder.copy(there, readback);
  run(recorder);
  return readback;
}

// Runs passes that write to the results, which held other bytes before, and reads these back.
template <typename Passes>
void run(vulkan::Results& results, const Passes& passes) {
  results.make(test_device());
  vulkan::Recorder recorder(test_device());
  recorder.fill(results.buffer(), 0xABABABAB);
  for (const auto& pass : passes) pass.record(recorder);
  results.read_back(recorder);
  run(recorder);
}

// A plane on the host and on the device, with noise behind the rows of both.
template <typename T>
struct TestPlane {
  // With `level(x, y)` for samples.
  template <typename Level>
  TestPlane(int width, int height, unsigned seed, Level level)
      : canvas(drawn<T>(width, height, level, seed)),
        content(std::as_const(canvas).view()),
        on_device(to_device<T>(content, test_device())) {}
  SampleView view() const { return sample_view<T>(content); }
  Canvas<T> canvas;
  PlaneView<const T> content;
  vulkan::DevicePlane on_device;
};

template <typename T>
Canvas<T> from_device(const vulkan::DevicePlane& plane, const std::shared_ptr<vulkan::Device>& device);

}  // namespace vq::test
