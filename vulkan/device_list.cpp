// Which devices there are.
#include <algorithm>

#include "vulkan/device_impl.h"

namespace vq::vulkan {
namespace {

constexpr uint32_t kNeededVersion = VK_API_VERSION_1_2;

std::string version_text(uint32_t version) {
  return std::to_string(VK_API_VERSION_MAJOR(version)) + "." + std::to_string(VK_API_VERSION_MINOR(version)) +
         "." + std::to_string(VK_API_VERSION_PATCH(version));
}

DeviceType type_of(vk::PhysicalDeviceType type) {
  switch (type) {
    case vk::PhysicalDeviceType::eDiscreteGpu:
      return DeviceType::kDiscrete;
    case vk::PhysicalDeviceType::eIntegratedGpu:
      return DeviceType::kIntegrated;
    case vk::PhysicalDeviceType::eVirtualGpu:
      return DeviceType::kVirtual;
    case vk::PhysicalDeviceType::eCpu:
      return DeviceType::kSoftware;
    default:
      return DeviceType::kOther;
  }
}

// A family for compute, if possible without graphics, which others may be using.
std::optional<uint32_t> compute_family(const std::vector<vk::QueueFamilyProperties>& families) {
  std::optional<uint32_t> found;
  for (uint32_t i = 0; i < families.size(); ++i) {
    if (!(families[i].queueFlags & vk::QueueFlagBits::eCompute)) continue;
    const bool graphics = static_cast<bool>(families[i].queueFlags & vk::QueueFlagBits::eGraphics);
    if (!found || !graphics) found = i;
    if (!graphics) break;
  }
  return found;
}

int64_t device_memory(const vk::raii::PhysicalDevice& physical) {
  int64_t bytes = 0;
  const vk::PhysicalDeviceMemoryProperties memory = physical.getMemoryProperties();
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    if (!(memory.memoryHeaps[i].flags & vk::MemoryHeapFlagBits::eDeviceLocal)) continue;
    bytes = std::max(bytes, static_cast<int64_t>(memory.memoryHeaps[i].size));
  }
  return bytes;
}

// What only a device of at least the needed version can be asked.
void describe_further(const vk::raii::PhysicalDevice& physical, DeviceInfo& info) {
  const auto properties =
      physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceSubgroupProperties,
                              vk::PhysicalDeviceDriverProperties>();
  info.subgroup_size = static_cast<int>(properties.get<vk::PhysicalDeviceSubgroupProperties>().subgroupSize);
  const auto& driver = properties.get<vk::PhysicalDeviceDriverProperties>();
  info.driver = std::string(driver.driverName.data()) + " " + driver.driverInfo.data();
  const auto features = physical.getFeatures2<vk::PhysicalDeviceFeatures2, vk::PhysicalDeviceVulkan11Features,
                                              vk::PhysicalDeviceVulkan12Features>();
  info.has_8_bit_storage = features.get<vk::PhysicalDeviceVulkan12Features>().storageBuffer8BitAccess;
  info.has_int64 = features.get<vk::PhysicalDeviceFeatures2>().features.shaderInt64;
  if (!features.get<vk::PhysicalDeviceVulkan11Features>().storageBuffer16BitAccess) {
    info.unusable = "no 16-bit storage buffers (storageBuffer16BitAccess)";
  }
}

}  // namespace

DeviceInfo describe(const vk::raii::PhysicalDevice& physical, uint32_t& family) {
  const vk::PhysicalDeviceProperties properties = physical.getProperties();
  const vk::PhysicalDeviceLimits& limits = properties.limits;
  DeviceInfo info;
  info.name = properties.deviceName.data();
  info.type = type_of(properties.deviceType);
  info.api_version = version_text(properties.apiVersion);
  info.memory_bytes = device_memory(physical);
  info.shared_memory_bytes = limits.maxComputeSharedMemorySize;
  info.max_buffer_bytes = limits.maxStorageBufferRange;
  info.max_invocations = static_cast<int>(limits.maxComputeWorkGroupInvocations);
  info.max_storage_buffers =
      static_cast<int>(std::min(limits.maxPerStageDescriptorStorageBuffers, uint32_t{INT32_MAX}));

  const std::vector<vk::QueueFamilyProperties> families = physical.getQueueFamilyProperties();
  const std::optional<uint32_t> found = compute_family(families);
  if (properties.apiVersion < kNeededVersion) {
    info.unusable = "Vulkan " + info.api_version + "; " + version_text(kNeededVersion) + " is needed";
  } else {
    describe_further(physical, info);
  }
  if (!found) {
    info.unusable = "no queue for compute";
  } else {
    family = *found;
    info.has_timestamps = families[family].timestampValidBits > 0;
  }
  return info;
}

Machine look_for_devices(Validation validation) {
  Machine machine;
  DeviceList& list = machine.list;
  try {
    machine.context.emplace();
  } catch (const std::exception&) {
    list.problem = "no Vulkan loader (libvulkan.so.1) on this machine";
    return machine;
  }
  try {
    machine.instance = make_instance(*machine.context, validation);
    for (vk::raii::PhysicalDevice& physical : vk::raii::PhysicalDevices(machine.instance)) {
      uint32_t family = 0;
      list.devices.push_back(describe(physical, family));
      list.devices.back().index = static_cast<int>(list.devices.size()) - 1;
      machine.devices.push_back(std::move(physical));
    }
  } catch (const vk::SystemError& error) {
    list.devices.clear();
    list.problem = "the Vulkan driver failed: " + in_words(static_cast<vk::Result>(error.code().value()));
  } catch (const Error& error) {
    list.problem = error.what();
  }
  if (list.devices.empty() && list.problem.empty()) list.problem = "no Vulkan device on this machine";
  return machine;
}

DeviceList list_devices() {
  return look_for_devices(Validation::kOff).list;
}

}  // namespace vq::vulkan
