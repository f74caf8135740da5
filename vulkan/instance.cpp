// The instance, and the validation layer that the tests run under.
#include <cstring>

#include "vulkan/device_impl.h"

namespace vq::vulkan {
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
  switch (validation) {
    case Validation::kSynchronization:
      return {vk::ValidationFeatureEnableEXT::eSynchronizationValidation};
    case Validation::kGpuAssisted:
      return {vk::ValidationFeatureEnableEXT::eGpuAssisted};
    case Validation::kOff:
    case Validation::kCore:
      break;
  }
  return {};
}

// What newer versions of the layer do only where they are told to: look at what shaders access, and repeat a
// message as often as there is cause.
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
const void* layer_settings() {
  return nullptr;
}
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
