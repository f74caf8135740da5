// A Vulkan device that can run compute shaders: which there are, and one that is open. The loader is opened
// at run time, so a program that includes this neither links nor needs libvulkan.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vq::vulkan {

enum class DeviceType { kDiscrete, kIntegrated, kVirtual, kSoftware, kOther };
std::string_view to_string(DeviceType type);  // "discrete", "integrated", "virtual", "software", "other"

// What is known of a device, usable or not.
struct DeviceInfo {
  int index = 0;  // what a selector calls it
  std::string name;
  DeviceType type = DeviceType::kOther;
  std::string driver;       // name and version in the driver's own words
  std::string api_version;  // "1.3.230"
  uint32_t vendor = 0;      // of the PCI, or of Khronos where it has none: 0x10DE is NVIDIA
  // By which other interfaces of the same machine know it.
  std::array<uint8_t, 16> uuid{};  // zeros where the device is too old to be asked
  std::string render_node;         // "/dev/dri/renderD128"; empty where the driver does not say
  int64_t memory_bytes = 0;
  int subgroup_size = 0;
  // Limits; see vulkan/limits.h.
  int64_t shared_memory_bytes = 0;          // of one work group
  int64_t max_buffer_bytes = 0;             // that a shader can see of one buffer
  int max_invocations = 0;                  // of one work group
  std::array<int64_t, 3> max_group_size{};  // invocations of one work group in each direction
  std::array<int64_t, 3> max_groups{};      // work groups of a dispatch in each direction
  int max_storage_buffers = 0;              // that one shader can see
  int64_t max_allocations = 0;              // buffers there can be at a time
  bool has_timestamps = false;
  std::string unusable;  // why this device is refused; empty where it can be used
};

// What somebody needs of a device: says why it does not meet that; empty where it does.
using Requirement = std::function<std::string(const DeviceInfo&)>;

struct Machine;  // the loader and its drivers; for the other classes of this folder

// All devices of the machine, in the loader's order; `problem` says why there are none.
struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::string problem = {};
  // Keeps the drivers loaded, which takes longer than all else about a list: who opens a device of it need
  // not load them again.
  std::shared_ptr<Machine> machine = {};
};
// Devices that do not meet the requirement are unusable. Never throws for want of a loader, a driver or a
// device.
DeviceList list_devices(const Requirement& requirement = {});

// The device a selector means: an index, a name, a part of one (in any case), or, where it is empty, the
// first usable device of the fastest type. One or two digits are an index and no part of a name. Throws
// Error: kUsage with the list where the selector means none or several, kBackend where there is no device at
// all or the one that is meant cannot be used.
const DeviceInfo& choose_device(const DeviceList& list, std::string_view selector);

// Some devices of a list, by what it calls them.
struct DeviceChoice {
  std::vector<int> devices;   // at least one
  std::vector<int> left_out;  // because they cannot be used
};
// The devices a selector means: one, as above; several of those, with commas between them, in that order; or
// "all", the usable ones of the fastest type, which is not software: such a device is taken where it is
// named. Throws Error as above, and kUsage where one is named twice.
DeviceChoice choose_devices(const DeviceList& list, std::string_view selector);
// The selector that means these.
std::string selector_of(const DeviceChoice& choice);

// Which checks of the Khronos validation layer run; it can do one at a time with certainty.
enum class Validation { kOff, kCore, kSynchronization, kGpuAssisted };

struct DeviceOptions {
  std::string selector;
  Requirement requirement = {};
  // Where compiled pipelines are kept between runs; none: nowhere. A cache that is missing, damaged, of
  // another device or not writable changes nothing but the time it takes to start.
  std::optional<std::filesystem::path> cache_folder = {};
  Validation validation = Validation::kOff;
  // For stages, at most; see vulkan/queues.h. More than three bring nothing, and each takes its time to open:
  // docs/performance-gpu.md.
  uint32_t queues = 3;
  bool always_copy = false;  // as if the device's memory were never the host's
  // What is known of the machine, in place of the requirement, where somebody has looked already. Needs: no
  // validation.
  DeviceList list = {};
};

// For tests, see vulkan/call_hook.h: asked before each call of a kind. A VkResult other than 0 is what the
// call then returns, without being made. Called from any thread.
enum class Call;
using CallHook = std::function<int(Call)>;

// An open device with its queues: see vulkan/queues.h. What is made from it keeps it open. Its members may be
// called from any thread.
class Device {
 public:
  // Throws Error as choose_device, and kBackend where the device cannot be opened or validation was asked for
  // and its layer is missing.
  static std::shared_ptr<Device> open(const DeviceOptions& options = {}, const CallHook& hook = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const;
  // "NAME (DRIVER)", for messages.
  std::string label() const;
  // How many more buffers it can have.
  int64_t buffers_left() const;
  // Whether there can be buffers of Memory::kShared.
  bool can_share_memory() const;
  // Whether what the host writes into Memory::kStored is in the device's own memory: nothing is gained by
  // copying it.
  bool has_one_memory() const;
  // Queues for stages. Those of different frames overlap where they are on different ones.
  uint32_t queues() const;
  // Warnings and errors of the validation layer since the last call.
  std::vector<std::string> take_messages();

  struct Impl;  // for the other classes of this folder
  Impl& impl() const { return *impl_; }

 private:
  explicit Device(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// All that the selector means, opened side by side. Throws as choose_devices() and Device::open().
std::vector<std::shared_ptr<Device>> open_devices(const DeviceOptions& options);

}  // namespace vq::vulkan
