// Which devices there are.
#include <cstdio>
#include <cstring>

#include "core/text.h"
#include "core/trace.h"
#include "vulkan/device_impl.h"

namespace vq::vulkan {

#ifdef _WIN32
constexpr const char* kNoLoader =
    "no Vulkan loader (vulkan-1.dll), which GPUs' drivers bring, on this machine";
constexpr const char* kNoDriver = "no Vulkan driver on this machine";
#else
constexpr const char* kNoLoader = "no Vulkan loader (libvulkan.so.1) on this machine";
constexpr const char* kNoDriver =
    "no Vulkan driver on this machine (there are mesa-vulkan-drivers and NVIDIA's own, which a container "
    "sees only with NVIDIA_DRIVER_CAPABILITIES=graphics)";
#endif

constexpr uint32_t kNeededVersion = VK_API_VERSION_1_2;

static std::string version_text(uint32_t version) {
  return words("{}.{}.{}", VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
               VK_API_VERSION_PATCH(version));
}

static DeviceType type_of(vk::PhysicalDeviceType type) {
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

static bool has_extension(const vk::raii::PhysicalDevice& physical, std::string_view name) {
  const std::vector<vk::ExtensionProperties> extensions = physical.enumerateDeviceExtensionProperties();
  return std::any_of(extensions.begin(), extensions.end(), [&](const vk::ExtensionProperties& extension) {
    return name == extension.extensionName.data();
  });
}

// Linux makes a node for each GPU under which those who want no display open it.
static std::string render_node_of(const vk::raii::PhysicalDevice& physical) {
  if (!has_extension(physical, VK_EXT_PHYSICAL_DEVICE_DRM_EXTENSION_NAME)) return {};
  const auto properties =
      physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceDrmPropertiesEXT>();
  const auto& drm = properties.get<vk::PhysicalDeviceDrmPropertiesEXT>();
  return drm.hasRender ? words("/dev/dri/renderD{}", drm.renderMinor) : "";
}

static std::string pci_address_of(const vk::raii::PhysicalDevice& physical) {
  if (!has_extension(physical, VK_EXT_PCI_BUS_INFO_EXTENSION_NAME)) return {};
  const auto properties =
      physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDevicePCIBusInfoPropertiesEXT>();
  const auto& pci = properties.get<vk::PhysicalDevicePCIBusInfoPropertiesEXT>();
  std::array<char, 40> text = {};
  std::snprintf(text.data(), text.size(), "%04x:%02x:%02x.%x", pci.pciDomain, pci.pciBus, pci.pciDevice,
                pci.pciFunction);
  return text.data();
}

// The size of the largest heap, and the part of it that this process may have beside others.
static void describe_memory(const vk::raii::PhysicalDevice& physical, DeviceInfo& info) {
  using Budget = vk::PhysicalDeviceMemoryBudgetPropertiesEXT;
  const bool has_budget = has_extension(physical, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
  const auto found = physical.getMemoryProperties2<vk::PhysicalDeviceMemoryProperties2, Budget>();
  const vk::PhysicalDeviceMemoryProperties& memory =
      found.get<vk::PhysicalDeviceMemoryProperties2>().memoryProperties;
  const std::optional<uint32_t> heap = largest_heap(memory);
  if (!heap) return;
  info.memory_bytes = static_cast<int64_t>(memory.memoryHeaps[*heap].size);
  const auto budget = static_cast<int64_t>(found.get<Budget>().heapBudget[*heap]);
  info.memory_budget = has_budget ? std::min(info.memory_bytes, budget) : info.memory_bytes;
}

// Facts that only a device of at least the needed version can be asked for.
static void describe_further(const vk::raii::PhysicalDevice& physical, DeviceInfo& info) {
  const auto properties =
      physical.getProperties2<vk::PhysicalDeviceProperties2, vk::PhysicalDeviceSubgroupProperties,
                              vk::PhysicalDeviceDriverProperties, vk::PhysicalDeviceIDProperties,
                              vk::PhysicalDeviceMaintenance3Properties,
                              vk::PhysicalDeviceFloatControlsProperties>();
  info.subgroup_size = static_cast<int>(properties.get<vk::PhysicalDeviceSubgroupProperties>().subgroupSize);
  const auto& driver = properties.get<vk::PhysicalDeviceDriverProperties>();
  info.driver = words("{} {}", driver.driverName.data(), driver.driverInfo.data());
  const vk::ConformanceVersion& version = driver.conformanceVersion;
  info.is_conformant =
      version.major != 0 || version.minor != 0 || version.subminor != 0 || version.patch != 0;
  const auto& uuid = properties.get<vk::PhysicalDeviceIDProperties>().deviceUUID;
  std::copy(uuid.begin(), uuid.end(), info.uuid.begin());
  const auto most = properties.get<vk::PhysicalDeviceMaintenance3Properties>().maxMemoryAllocationSize;
  info.max_buffer_bytes = static_cast<int64_t>(std::min<uint64_t>(info.max_buffer_bytes, most));
  const auto& controls = properties.get<vk::PhysicalDeviceFloatControlsProperties>();
  info.floats = {.round_to_nearest = controls.shaderRoundingModeRTEFloat32 == VK_TRUE,
                 .keep_special = controls.shaderSignedZeroInfNanPreserveFloat32 == VK_TRUE};
  info.doubles = {.round_to_nearest = controls.shaderRoundingModeRTEFloat64 == VK_TRUE,
                  .keep_special = controls.shaderSignedZeroInfNanPreserveFloat64 == VK_TRUE};
  info.render_node = render_node_of(physical);
  info.pci_address = pci_address_of(physical);
  describe_memory(physical, info);
  // RADV_FORCE_FAMILY makes Mesa list such devices, which accept work and leave all buffers as they are. Real
  // ones have memory, and those of this driver have a node.
  const bool has_no_node = driver.driverID == vk::DriverId::eMesaRadv && info.render_node.empty();
  if (info.memory_bytes == 0 || has_no_node)
    info.unusable = "its driver compiles shaders for a GPU that is not there";
}

static void describe_limits(const vk::PhysicalDeviceLimits& limits, DeviceInfo& info) {
  const auto bounded = [](uint32_t limit) { return static_cast<int>(std::min(limit, uint32_t{INT32_MAX})); };
  info.shared_memory_bytes = limits.maxComputeSharedMemorySize;
  info.max_buffer_bytes = limits.maxStorageBufferRange;
  info.max_allocations = limits.maxMemoryAllocationCount;
  info.max_invocations = bounded(limits.maxComputeWorkGroupInvocations);
  info.max_storage_buffers =
      bounded(std::min(limits.maxPerStageDescriptorStorageBuffers, limits.maxDescriptorSetStorageBuffers));
  for (size_t i = 0; i < info.max_groups.size(); ++i) {
    info.max_group_size[i] = limits.maxComputeWorkGroupSize[i];
    info.max_groups[i] = limits.maxComputeWorkGroupCount[i];
  }
}

std::optional<uint32_t> largest_heap(const vk::PhysicalDeviceMemoryProperties& memory) {
  std::optional<uint32_t> largest;
  for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
    const bool is_local =
        static_cast<bool>(memory.memoryHeaps[i].flags & vk::MemoryHeapFlagBits::eDeviceLocal);
    if (is_local && (!largest || memory.memoryHeaps[i].size > memory.memoryHeaps[*largest].size)) largest = i;
  }
  return largest;
}

std::vector<QueueFamily> families_of(const vk::raii::PhysicalDevice& physical) {
  using Flag = vk::QueueFlagBits;
  constexpr vk::QueueFlags kUsual =
      Flag::eGraphics | Flag::eCompute | Flag::eTransfer | Flag::eSparseBinding | Flag::eProtected;
  std::vector<QueueFamily> families;
  for (const vk::QueueFamilyProperties& family : physical.getQueueFamilyProperties()) {
    const vk::QueueFlags flags = family.queueFlags;
    families.push_back({.graphics = static_cast<bool>(flags & Flag::eGraphics),
                        .compute = static_cast<bool>(flags & Flag::eCompute),
                        .transfer = static_cast<bool>(flags & Flag::eTransfer),
                        .other = static_cast<bool>(flags & ~kUsual),
                        .count = family.queueCount,
                        .clock_bits = family.timestampValidBits});
  }
  return families;
}

DeviceInfo describe(const vk::raii::PhysicalDevice& physical) {
  const vk::PhysicalDeviceProperties properties = physical.getProperties();
  DeviceInfo info;
  info.name = properties.deviceName.data();
  info.type = type_of(properties.deviceType);
  info.api_version = version_text(properties.apiVersion);
  info.vendor = properties.vendorID;
  info.has_doubles = physical.getFeatures().shaderFloat64 == VK_TRUE;
  describe_limits(properties.limits, info);

  const std::vector<QueueFamily> families = families_of(physical);
  const std::optional<QueueChoice> found = choose_queues(families);
  if (properties.apiVersion < kNeededVersion) {
    info.unusable = words("Vulkan {}; {} is needed", info.api_version, version_text(kNeededVersion));
  } else {
    describe_further(physical, info);
  }
  if (!found) {
    info.unusable = "no queue for compute";
  } else {
    info.has_timestamps = families[found->compute_family].clock_bits > 0;
  }
  return info;
}

DeviceList look_for_devices(Validation validation, const Requirement& requirement) {
  const TraceSpan span("list the devices");
  DeviceList list;
  list.machine = std::shared_ptr<Machine>(new Machine, DriverDelete());
  Machine& machine = *list.machine;
  const DriverUse use;
  if (!use) {
    list.problem = "the process ends";
    return list;
  }
  try {
    machine.context.emplace();
  } catch (const std::exception&) {
    list.problem = kNoLoader;
    return list;
  }
  try {
    machine.instance = make_instance(*machine.context, validation);
    for (const vk::raii::PhysicalDevice& physical : vk::raii::PhysicalDevices(machine.instance)) {
      DeviceInfo info = describe(physical);
      info.index = static_cast<int>(list.devices.size());
      if (info.unusable.empty() && requirement) info.unusable = requirement(info);
      list.devices.push_back(std::move(info));
      machine.devices.push_back(*physical);
    }
  } catch (const vk::SystemError& error) {
    list.devices.clear();
    const auto result = static_cast<vk::Result>(error.code().value());
    // The loader's answer if it finds none.
    const bool has_driver = result != vk::Result::eErrorIncompatibleDriver;
    list.problem = has_driver ? "the Vulkan driver failed: " + in_words(result) : kNoDriver;
  } catch (const Error& error) {
    list.problem = error.what();
  }
  end_driver_use_at_exit();
  if (list.devices.empty() && list.problem.empty()) list.problem = "no Vulkan device on this machine";
  return list;
}

DeviceList list_devices(const Requirement& requirement) {
  return look_for_devices(Validation::kOff, requirement);
}

// The instance, and the validation layer that the tests run under.

namespace {

constexpr const char* kValidationLayer = "VK_LAYER_KHRONOS_validation";

constexpr const char* kPortabilityEnumeration = "VK_KHR_portability_enumeration";

// Whether the loader hides devices that do not conform to Vulkan in full until it is asked for them.
bool enumerates_portability(const vk::raii::Context& context) {
  for (const vk::ExtensionProperties& extension : context.enumerateInstanceExtensionProperties()) {
    if (std::strcmp(extension.extensionName.data(), kPortabilityEnumeration) == 0) return true;
  }
  return false;
}

void check_layer(const vk::raii::Context& context) {
  for (const vk::LayerProperties& layer : context.enumerateInstanceLayerProperties()) {
    if (std::strcmp(layer.layerName.data(), kValidationLayer) == 0) return;
  }
  throw Error(ErrorKind::kBackend, std::string("the layer ") + kValidationLayer + " is not installed");
}

std::vector<vk::ValidationFeatureEnableEXT> features_of(Validation validation) {
  using enum vk::ValidationFeatureEnableEXT;
  if (validation == Validation::kSynchronization) return {eSynchronizationValidation};
  if (validation == Validation::kGpuAssisted) return {eGpuAssisted};
  return {};
}

// Newer versions of the layer must be told to check what shaders access, and to repeat a message as often as
// there is cause.
#ifdef VK_EXT_layer_settings
const void* layer_settings() {
  constexpr auto kBool = vk::LayerSettingTypeEXT::eBool32;
  static constexpr vk::Bool32 kYes = VK_TRUE, kNo = VK_FALSE;
  static const vk::LayerSettingEXT settings[] = {
      {kValidationLayer, "syncval_shader_accesses_heuristic", kBool, 1, &kYes},
      {kValidationLayer, "enable_message_limit", kBool, 1, &kNo}};
  static const vk::LayerSettingsCreateInfoEXT create{.settingCount = 2, .pSettings = settings};
  return &create;
}
#else
const void* layer_settings() { return nullptr; }
#endif

// The layer tells which features it switches on for its own shaders, and which checks it therefore leaves
// out.
bool is_about_itself(std::string_view message) {
  return message.find("vkCreateDevice(): Internal Warning: ") != std::string_view::npos;
}

}  // namespace

void MessageLog::add(std::string text) {
  const std::lock_guard lock(mutex_);
  messages_.push_back(std::move(text));
}

std::vector<std::string> MessageLog::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(messages_, {});
}

vk::raii::Instance make_instance(const vk::raii::Context& context, Validation validation) {
  if (context.enumerateInstanceVersion() < VK_API_VERSION_1_2) {
    throw Error(ErrorKind::kBackend, "the Vulkan loader of this machine is older than version 1.2");
  }
  const vk::ApplicationInfo application{.pApplicationName = "cambi", .apiVersion = VK_API_VERSION_1_2};
  vk::InstanceCreateInfo create{.pApplicationInfo = &application};
  std::vector<const char*> extensions;
  if (enumerates_portability(context)) {
    extensions.push_back(kPortabilityEnumeration);
    create.flags |= vk::InstanceCreateFlagBits::eEnumeratePortabilityKHR;
  }
  if (validation != Validation::kOff) extensions.push_back(VK_EXT_DEBUG_UTILS_EXTENSION_NAME);
  create.enabledExtensionCount = static_cast<uint32_t>(extensions.size());
  create.ppEnabledExtensionNames = extensions.data();
  if (validation == Validation::kOff) return context.createInstance(create);

  check_layer(context);
  const std::vector<vk::ValidationFeatureEnableEXT> enabled = features_of(validation);
  std::vector<vk::ValidationFeatureDisableEXT> disabled;
  if (validation != Validation::kCore) disabled.push_back(vk::ValidationFeatureDisableEXT::eCoreChecks);
  const vk::ValidationFeaturesEXT features{
      .pNext = layer_settings(),
      .enabledValidationFeatureCount = static_cast<uint32_t>(enabled.size()),
      .pEnabledValidationFeatures = enabled.data(),
      .disabledValidationFeatureCount = static_cast<uint32_t>(disabled.size()),
      .pDisabledValidationFeatures = disabled.data()};
  const char* const layers[] = {kValidationLayer};
  create.pNext = &features;
  create.enabledLayerCount = 1;
  create.ppEnabledLayerNames = layers;
  return context.createInstance(create);
}

vk::raii::DebugUtilsMessengerEXT listen(const vk::raii::Instance& instance, MessageLog& log) {
  using Severity = vk::DebugUtilsMessageSeverityFlagBitsEXT;
  using Type = vk::DebugUtilsMessageTypeFlagBitsEXT;
  // Its parameters are of C's types or of C++'s, depending on the version of Vulkan's headers.
  const auto on_message = [](auto, auto, const auto* data, void* user) -> vk::Bool32 {
    const std::string id = data->pMessageIdName != nullptr ? data->pMessageIdName : "";
    if (!is_about_itself(data->pMessage)) static_cast<MessageLog*>(user)->add(id + ": " + data->pMessage);
    return VK_FALSE;
  };
  return instance.createDebugUtilsMessengerEXT({.messageSeverity = Severity::eWarning | Severity::eError,
                                                .messageType = Type::eValidation | Type::ePerformance,
                                                .pfnUserCallback = on_message,
                                                .pUserData = &log});
}

}  // namespace vq::vulkan
