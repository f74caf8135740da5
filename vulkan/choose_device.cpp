// Which device a selector means.
#include <cctype>
#include <charconv>

#include "core/error.h"
#include "vulkan/device.h"

namespace vq::vulkan {
namespace {

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return result;
}

std::string list_text(const DeviceList& list) {
  std::string text;
  for (const DeviceInfo& device : list.devices) {
    text += (text.empty() ? "" : ", ") + std::to_string(device.index) + ": " + device.name + " (" +
            std::string(to_string(device.type)) + ")";
  }
  return text;
}

const DeviceInfo* best_device(const DeviceList& list) {
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& device : list.devices) {
    if (device.unusable.empty() && (best == nullptr || device.type < best->type)) best = &device;
  }
  return best != nullptr ? best : &list.devices.front();
}

const DeviceInfo& named_device(const DeviceList& list, std::string_view selector) {
  size_t index = 0;
  const char* const end = selector.data() + selector.size();
  const auto number = std::from_chars(selector.data(), end, index);
  if (number.ec == std::errc() && number.ptr == end && index < list.devices.size())
    return list.devices[index];

  std::vector<const DeviceInfo*> matches;
  for (const DeviceInfo& device : list.devices) {
    if (lower(device.name) == lower(selector)) return device;
    if (lower(device.name).find(lower(selector)) != std::string::npos) matches.push_back(&device);
  }
  if (matches.size() == 1) return *matches.front();
  throw Error(ErrorKind::kUsage,
              std::string(matches.empty() ? "no device \"" : "more than one device \"") + std::string(selector) +
                  "\"; the devices are " + list_text(list));
}

}  // namespace

std::string_view to_string(DeviceType type) {
  switch (type) {
    case DeviceType::kDiscrete:
      return "discrete";
    case DeviceType::kIntegrated:
      return "integrated";
    case DeviceType::kVirtual:
      return "virtual";
    case DeviceType::kSoftware:
      return "software";
    case DeviceType::kOther:
      break;
  }
  return "other";
}

const DeviceInfo& choose_device(const DeviceList& list, std::string_view selector) {
  if (list.devices.empty()) throw Error(ErrorKind::kBackend, list.problem);
  const DeviceInfo& device = selector.empty() ? *best_device(list) : named_device(list, selector);
  if (!device.unusable.empty()) {
    throw Error(ErrorKind::kBackend, device.name + " cannot be used: " + device.unusable);
  }
  return device;
}

}  // namespace vq::vulkan
