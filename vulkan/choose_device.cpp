// Which device a selector means, and which of its queues are used.
#include <cctype>
#include <charconv>

#include "core/error.h"
#include "core/text.h"
#include "vulkan/device.h"

namespace vq::vulkan {

constexpr std::string_view kAll = "all";

static std::string list_text(const DeviceList& list) {
  return join(list.devices, ", ", [](const DeviceInfo& device) {
    return words("{}: {} ({})", device.index, device.name, to_string(device.type));
  });
}

static const DeviceInfo* best_device(const DeviceList& list) {
  const DeviceInfo* best = nullptr;
  for (const DeviceInfo& device : list.devices) {
    if (device.unusable.empty() && (best == nullptr || is_preferred(device, *best))) best = &device;
  }
  return best != nullptr ? best : &list.devices.front();
}

// Longer numbers are names as well, as in "4090"; one or two digits are in many names by chance, as in
// "H200".
constexpr size_t kLongestIndex = 2;

static const DeviceInfo& named_device(const DeviceList& list, std::string_view selector) {
  size_t index = 0;
  const char* const end = selector.data() + selector.size();
  const auto number = std::from_chars(selector.data(), end, index);
  const bool is_number = number.ec == std::errc() && number.ptr == end;
  if (is_number && index < list.devices.size()) return list.devices[index];

  std::vector<const DeviceInfo*> matches;
  for (const DeviceInfo& device : list.devices) {
    if (lower_case(device.name) == lower_case(selector)) return device;
    if (is_number && selector.size() <= kLongestIndex) continue;
    if (lower_case(device.name).find(lower_case(selector)) != std::string::npos) matches.push_back(&device);
  }
  if (matches.size() == 1) return *matches.front();
  throw usage_error("{} device \"{}\"; the devices are {}", matches.empty() ? "no" : "more than one",
                    selector, list_text(list));
}

// Names have commas, too.
static bool is_of_one(const DeviceList& list, std::string_view selector) {
  return selector.find(',') == std::string_view::npos ||
         std::ranges::any_of(list.devices, [&](const DeviceInfo& device) {
           return lower_case(device.name).find(lower_case(selector)) != std::string::npos;
         });
}

static std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

static DeviceChoice named_devices(const DeviceList& list, std::string_view selector) {
  DeviceChoice choice;
  for (const std::string_view part : fields(selector, ',')) {
    const std::string_view name = trimmed(part);
    if (name.empty() || lower_case(name) == kAll)
      throw usage_error("\"{}\" is no list of devices; the devices are {}", selector, list_text(list));
    const DeviceInfo& device = choose_device(list, name);
    if (contains(choice.devices, device.index))
      throw usage_error("\"{}\" names {}: {} twice", selector, device.index, device.name);
    choice.devices.push_back(device.index);
  }
  return choice;
}

static bool are_one_gpu(const DeviceInfo& a, const DeviceInfo& b) {
  const bool has_uuid = std::ranges::any_of(a.uuid, [](uint8_t byte) { return byte != 0; });
  return (has_uuid && a.uuid == b.uuid) || (!a.pci_address.empty() && a.pci_address == b.pci_address);
}

static DeviceChoice all_devices(const DeviceList& list) {
  const DeviceInfo& best = choose_device(list, "");
  if (best.type == DeviceType::kSoftware) {
    throw Error(ErrorKind::kBackend, "there is no GPU, only {}, which is taken where it is named",
                list_text(list));
  }
  DeviceChoice choice;
  for (const DeviceInfo& device : list.devices) {
    if (device.type != best.type || device.is_conformant != best.is_conformant) continue;
    const bool is_there = std::ranges::any_of(choice.devices, [&](int index) {
      return are_one_gpu(device, list.devices[static_cast<size_t>(index)]);
    });
    if (is_there) continue;
    (device.unusable.empty() ? choice.devices : choice.left_out).push_back(device.index);
  }
  return choice;
}

// The family with the lowest penalty, the first of several; none if there is none without.
template <typename Penalty>
static std::optional<uint32_t> best_family(std::span<const QueueFamily> families, Penalty penalty) {
  std::optional<uint32_t> best;
  int least = 0;
  for (uint32_t i = 0; i < families.size(); ++i) {
    const std::optional<int> own = families[i].count > 0 ? penalty(families[i]) : std::nullopt;
    if (!own || (best && *own >= least)) continue;
    best = i;
    least = *own;
  }
  return best;
}

std::string_view to_string(DeviceType type) {
  constexpr std::string_view kWords[] = {"discrete", "integrated", "virtual", "other", "software"};
  return kWords[static_cast<size_t>(type)];
}

bool is_preferred(const DeviceInfo& device, const DeviceInfo& to) {
  if (device.is_conformant != to.is_conformant) return device.is_conformant;
  if (device.type != to.type) return device.type < to.type;
  return device.memory_bytes > to.memory_bytes;
}

const DeviceInfo& choose_device(const DeviceList& list, std::string_view selector) {
  if (list.devices.empty()) throw Error(ErrorKind::kBackend, list.problem);
  const DeviceInfo& device = selector.empty() ? *best_device(list) : named_device(list, selector);
  if (!device.unusable.empty())
    throw Error(ErrorKind::kBackend, "{} cannot be used: {}", device.name, device.unusable);
  return device;
}

DeviceChoice choose_devices(const DeviceList& list, std::string_view selector) {
  if (list.devices.empty()) throw Error(ErrorKind::kBackend, list.problem);
  if (lower_case(selector) == kAll) return all_devices(list);
  if (is_of_one(list, selector)) return {.devices = {choose_device(list, selector).index}, .left_out = {}};
  return named_devices(list, selector);
}

std::string selector_of(const DeviceChoice& choice) {
  return join(choice.devices, ",", [](int device) { return std::to_string(device); });
}

std::optional<QueueChoice> choose_queues(std::span<const QueueFamily> families, uint32_t most) {
  const auto compute = best_family(families, [](const QueueFamily& family) -> std::optional<int> {
    if (!family.compute) return std::nullopt;
    return family.graphics ? 1 : 0;
  });
  if (!compute) return std::nullopt;
  QueueChoice choice;
  choice.compute_family = choice.upload_family = *compute;
  const uint32_t count = families[*compute].count;
  const auto transfer = best_family(families, [](const QueueFamily& family) -> std::optional<int> {
    if (family.graphics || family.compute || !family.transfer) return std::nullopt;
    return family.other ? 1 : 0;
  });
  most = std::clamp(most, 1U, kMaxComputeQueues);
  if (transfer) {
    choice.upload_family = *transfer;
    choice.compute_queues = std::min(count, most);
  } else {
    choice.compute_queues = std::min(std::max(count, 2U) - 1, most);
    choice.upload_queue = std::min(count - 1, choice.compute_queues);
  }
  return choice;
}

}  // namespace vq::vulkan
