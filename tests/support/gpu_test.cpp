#include "tests/support/gpu_test.h"

#include <dlfcn.h>

namespace vq::test {
namespace {

vulkan::DevicePlane send(const std::vector<std::byte>& bytes, vulkan::PlaneLayout layout,
                         const std::shared_ptr<vulkan::Device>& device) {
  vulkan::Buffer staging(device, vulkan::Memory::kUpload, layout.bytes());
  std::memcpy(staging.mapped(), bytes.data(), bytes.size());
  vulkan::DevicePlane plane(device, layout);
  vulkan::Recorder recorder(device);
  recorder.copy(staging, plane.buffer);
  run(recorder);
  return plane;
}

std::vector<std::byte> noise(const vulkan::PlaneLayout& layout) {
  std::minstd_rand random(static_cast<unsigned>(layout.width * 31 + layout.height));
  std::vector<std::byte> bytes(static_cast<size_t>(layout.bytes()));
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() >> 8);
  return bytes;
}

}  // namespace

vulkan::DeviceOptions test_options(vulkan::Validation validation) {
  // What the layer keeps for itself until it is unloaded would look like a leak of ours once it is.
  if (validation != vulkan::Validation::kOff)
    dlopen("libVkLayer_khronos_validation.so", RTLD_NOW | RTLD_NODELETE);
  const char* const selector = std::getenv("CAMBI_TEST_DEVICE");
  return {.selector = selector != nullptr ? selector : "", .validation = validation};
}

const std::shared_ptr<vulkan::Device>& test_device() {
  static const std::shared_ptr<vulkan::Device> device =
      vulkan::Device::open(test_options(vulkan::Validation::kOff));
  return device;
}

std::shared_ptr<vulkan::Device> changed_device(const std::function<void(vulkan::DeviceInfo&)>& change) {
  vulkan::DeviceOptions options = test_options(vulkan::Validation::kOff);
  options.list = vulkan::list_devices();
  const int index = vulkan::choose_device(options.list, options.selector).index;
  change(options.list.devices[static_cast<size_t>(index)]);
  options.selector = std::to_string(index);
  return vulkan::Device::open(options);
}

vulkan::Context& test_context() {
  static vulkan::Context context(test_device());
  return context;
}

void run(vulkan::Recorder& recorder) {
  vulkan::CommandList list = recorder.finish();
  list.submit();
  list.wait(kTestTimeout);
}

vulkan::DevicePlane noise_on_device(vulkan::PlaneLayout layout,
                                    const std::shared_ptr<vulkan::Device>& device) {
  return send(noise(layout), layout, device);
}

const std::shared_ptr<vulkan::Device>& copying_device() {
  static const std::shared_ptr<vulkan::Device> device = [] {
    vulkan::DeviceOptions options = test_options(vulkan::Validation::kOff);
    options.always_copy = true;
    return vulkan::Device::open(options);
  }();
  return device;
}

template <typename T>
vulkan::DevicePlane to_device(PlaneView<const T> content, const std::shared_ptr<vulkan::Device>& device) {
  const vulkan::PlaneLayout layout{content.width, content.height, sizeof(T)};
  std::vector<std::byte> bytes = noise(layout);
  for (int y = 0; y < content.height; ++y) {
    std::memcpy(bytes.data() + layout.stride_bytes() * y, content.row(y),
                sizeof(T) * static_cast<size_t>(content.width));
  }
  return send(bytes, layout, device);
}

vulkan::DevicePlane to_device(const SampleView& plane) {
  const auto with_rows_below = [](const auto& view) {
    using T = std::remove_const_t<std::remove_pointer_t<decltype(view.row(0))>>;
    Canvas<T> taller(view.width, view.height + 2);
    for (int y = 0; y < view.height; ++y) std::copy_n(view.row(y), view.width, taller.view().row(y));
    vulkan::DevicePlane on_device = to_device<T>(std::as_const(taller).view(), test_device());
    on_device.layout.height = view.height;
    return on_device;
  };
  return plane.is_u8() ? with_rows_below(plane.u8) : with_rows_below(plane.u16);
}

template <typename T>
Canvas<T> from_device(const vulkan::DevicePlane& plane, const std::shared_ptr<vulkan::Device>& device) {
  vulkan::Buffer readback(device, vulkan::Memory::kReadback, plane.layout.bytes());
  vulkan::Recorder recorder(device);
  recorder.copy(plane.buffer, readback);
  run(recorder);
  const PlaneView<const T> view{reinterpret_cast<const T*>(readback.mapped()), plane.layout.width,
                                plane.layout.height,
                                plane.layout.stride_bytes() / static_cast<ptrdiff_t>(sizeof(T))};
  return Canvas<T>(view);
}

template vulkan::DevicePlane to_device<uint8_t>(PlaneView<const uint8_t>,
                                                const std::shared_ptr<vulkan::Device>&);
template vulkan::DevicePlane to_device<uint16_t>(PlaneView<const uint16_t>,
                                                 const std::shared_ptr<vulkan::Device>&);
template vulkan::DevicePlane to_device<float>(PlaneView<const float>, const std::shared_ptr<vulkan::Device>&);
template Canvas<uint8_t> from_device<uint8_t>(const vulkan::DevicePlane&,
                                              const std::shared_ptr<vulkan::Device>&);
template Canvas<uint16_t> from_device<uint16_t>(const vulkan::DevicePlane&,
                                                const std::shared_ptr<vulkan::Device>&);
template Canvas<float> from_device<float>(const vulkan::DevicePlane&, const std::shared_ptr<vulkan::Device>&);

}  // namespace vq::test
