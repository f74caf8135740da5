// Stands in for Vulkan's devices in a build without them.
#include "core/error.h"
#include "vulkan/device.h"
#include "vulkan/shared_picture.h"

namespace vq::vulkan {

DeviceList list_devices(const Requirement&) {
  return {.devices = {}, .problem = "this build has no Vulkan (CAMBI_VULKAN=OFF)"};
}

std::vector<std::shared_ptr<Device>> open_devices(const DeviceOptions&) {
  throw Error(ErrorKind::kBackend, list_devices({}).problem);
}

// There is no device, so nobody comes to ask one.
const DeviceInfo& Device::info() const { throw Error(ErrorKind::kInternal, list_devices({}).problem); }

bool Device::has_failed() const { return true; }

void Device::save_cache() const {}
void Device::leave() const {}

bool Device::can_share_memory() const { return false; }

bool was_device_given_up() noexcept { return false; }
bool is_driver_in_use() noexcept { return false; }

DriverUse::DriverUse() noexcept : may_call_(true) {}
DriverUse::~DriverUse() = default;

SharedPictures::SharedPictures(std::shared_ptr<Device>, int64_t) {}

SharedPictures::~SharedPictures() = default;

const Device& SharedPictures::device() const { throw Error(ErrorKind::kInternal, list_devices({}).problem); }

std::shared_ptr<SharedPicture> SharedPictures::take(int64_t) { return nullptr; }

std::vector<std::shared_ptr<SharedPictures>> shared_pictures_of(const std::vector<std::shared_ptr<Device>>&) {
  return {};
}

}  // namespace vq::vulkan
