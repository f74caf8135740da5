// Vulkan devices that can run compute shaders: their list, and an open device. The loader is opened at run
// time, so the program neither links nor needs libvulkan.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vq::vulkan {

// The fastest first.
enum class DeviceType { kDiscrete, kIntegrated, kVirtual, kOther, kSoftware };
std::string_view to_string(DeviceType type);  // "discrete", "integrated", "virtual", "software", "other"

// What shaders may declare about floats of one width, so that devices keep to it; see ADR 0068.
struct FloatControls {
  bool round_to_nearest = false;  // SPIR-V's RoundingModeRTE
  bool keep_special = false;      // SignedZeroInfNanPreserve: zeros have signs, there are infinities and NaNs
};

// Properties of a device, usable or not.
struct DeviceInfo {
  int index = 0;  // the number in selectors
  std::string name;
  DeviceType type = DeviceType::kOther;
  std::string driver;       // name and version as the driver reports them
  std::string api_version;  // "1.3.230"
  uint32_t vendor = 0;      // PCI vendor, or Khronos' number if it has none: 0x10DE is NVIDIA
  // Identity for other interfaces on the same machine.
  std::array<uint8_t, 16> uuid{};  // zeros if the device is too old to report it
  std::string render_node;         // "/dev/dri/renderD128"; empty if the driver does not report it
  std::string pci_address;         // "0000:c1:00.0"; empty if the driver does not report it
  // Whether the driver claims to have passed Khronos' tests. Drivers that translate to another interface,
  // such as Direct3D in WSL, may not, and call themselves discrete.
  bool is_conformant = true;
  int64_t memory_bytes = 0;
  int64_t memory_budget = 0;  // bytes of it that this process may have beside others
  int subgroup_size = 0;
  // Limits; see vulkan/shader.h.
  int64_t shared_memory_bytes = 0;          // of one work group
  int64_t max_buffer_bytes = 0;             // of one buffer in a shader
  int max_invocations = 0;                  // of one work group
  std::array<int64_t, 3> max_group_size{};  // size of one work group in each direction
  std::array<int64_t, 3> max_groups{};      // number of work groups of a dispatch in each direction
  int max_storage_buffers = 0;              // of one shader
  int64_t max_allocations = 0;              // number of memory allocations at a time
  bool has_timestamps = false;
  bool has_doubles = false;  // in shaders
  FloatControls floats, doubles;
  std::string unusable;  // why this device is refused; empty if it can be used
};

// A requirement on a device: returns why the device does not meet it; empty if it does.
using Requirement = std::function<std::string(const DeviceInfo&)>;

struct Machine;  // the loader and its drivers; for other classes of this folder

// All devices of the machine, in the loader's order; `problem` says why there are none.
struct DeviceList {
  std::vector<DeviceInfo> devices;
  std::string problem = {};
  // Keeps the drivers loaded, as loading them dominates the time of listing: opening a listed device does not
  // load them again.
  std::shared_ptr<Machine> machine = {};
};
// Devices that do not meet the requirement are unusable. Does not throw if there is no loader, driver or
// device.
DeviceList list_devices(const Requirement& requirement = {});

// Whether one device is taken before the other if none is named: conformant ones first, then the fastest
// type, then those with more memory.
bool is_preferred(const DeviceInfo& device, const DeviceInfo& to);

// The selected device. A selector is an index, a name, or a part of a name (in any case); empty selects the
// preferred usable device. One or two digits are always an index. Throws Error: kUsage with
// the list if it matches no device or several, kBackend if there are no devices or the selected one cannot be
// used.
const DeviceInfo& choose_device(const DeviceList& list, std::string_view selector);

// Some devices of a list, by their indices.
struct DeviceChoice {
  std::vector<int> devices;   // at least one
  std::vector<int> left_out;  // because they cannot be used
};
// The selected devices: one as above; several selectors separated by commas, in that order; or "all" for the
// usable ones of the preferred one's type except software, which must be named; a GPU that two drivers list
// counts once. Throws Error as above, and kUsage if
// a device is named twice.
DeviceChoice choose_devices(const DeviceList& list, std::string_view selector);
// The selector for exactly these devices.
std::string selector_of(const DeviceChoice& choice);

// Which checks of the Khronos validation layer run; it can reliably do only one at a time.
enum class Validation { kOff, kCore, kSynchronization, kGpuAssisted };

struct DeviceOptions {
  std::string selector;
  Requirement requirement = {};
  // Folder of compiled pipelines, reused by later runs; none: not stored. A cache that is missing, damaged,
  // of another device or not writable only affects the start-up time.
  std::optional<std::filesystem::path> cache_folder = {};
  Validation validation = Validation::kOff;
  // Maximum number for stages; see QueueChoice. More than three bring nothing, and each takes time
  // to open: docs/performance-gpu.md.
  uint32_t queues = 3;
  bool always_copy = false;  // copy even if host and device share memory
  // An existing list, used instead of the requirement. Needs: no validation.
  DeviceList list = {};
};

// For tests, see vulkan/device_impl.h: asked before each call of a kind. A VkResult other than 0 is returned
// instead of making the call. Called from any thread.
enum class Call;
using CallHook = std::function<int(Call)>;

// An open device with its queues: see vulkan/device_impl.h. Objects made from it keep it open. May be used
// from any thread.
class Device {
 public:
  // Throws Error as choose_device, and kBackend if the device cannot be opened or the requested validation
  // layer is missing.
  static std::shared_ptr<Device> open(const DeviceOptions& options = {}, const CallHook& hook = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceInfo& info() const;
  // "NAME (DRIVER)", for messages.
  std::string label() const;
  // Number of buffers that can still be made.
  int64_t buffers_left() const;
  // Bytes of DeviceInfo::memory_budget that its buffers leave.
  int64_t memory_left() const;
  // Whether buffers of Memory::kShared can be made.
  bool can_share_memory() const;
  // Whether Memory::kStored is in the device's own memory, so that copying from it gains nothing.
  bool has_one_memory() const;
  // Number of queues for stages. Stages of different frames overlap if they are on different queues.
  uint32_t queues() const;
  // Writes the compiled pipelines to the cache folder if there are others than were read from it; the
  // destructor does as well. Throws nothing.
  void save_cache() const;
  // What is known of this device under its driver: `what` names the kind, and `version` is that of the
  // caller, always the same. Kept in the cache folder for later processes, if there is one. Empty if there is
  // nothing. From any thread.
  std::vector<uint8_t> kept(std::string_view what, std::string_view version) const;
  void keep(std::string_view what, std::string_view version, std::span<const uint8_t> data) const;
  // Whether it was lost or did not answer in time: no work on it succeeds any more.
  bool has_failed() const;
  // Has work on it fail from now on as if it were lost, compiling as well: for who needs it no longer, and
  // waits for who still uses it.
  void leave() const;
  // Warnings and errors of the validation layer since the last call.
  std::vector<std::string> take_messages();

  struct Impl;  // for other classes of this folder
  Impl& impl() const { return *impl_; }

 private:
  explicit Device(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Opens all selected devices in parallel. Throws as choose_devices() and Device::open().
std::vector<std::shared_ptr<Device>> open_devices(const DeviceOptions& options);

// Whether a device of this process was given up because it did not answer. Its driver may be at work for as
// long as the process lives, so a program should not end by exit(), which takes away what the driver uses.
bool was_device_given_up() noexcept;

// Whether a thread is in a driver now, as DriverUse counts them.
bool is_driver_in_use() noexcept;

// Assignment of a device's queues to parts of the work.

// The relevant properties of a queue family.
struct QueueFamily {
  bool graphics = false;
  bool compute = false;
  bool transfer = false;  // declared; families for graphics or compute support it even if it is not declared
  bool other = false;     // video, optical flow, ...
  uint32_t count = 0;     // number of its queues
  uint32_t clock_bits = 0;  // valid bits of timestamps; 0: no timestamps
};

// Stages of different frames use different queues, so that barriers of one frame do not stop another; uploads
// use a queue without stages if there is one.
struct QueueChoice {
  uint32_t compute_family = 0;
  uint32_t compute_queues = 1;  // the first ones of the family
  uint32_t upload_family = 0;
  uint32_t upload_queue = 0;  // of that family; shared with stages if there is no other

  bool operator==(const QueueChoice&) const = default;
};

inline constexpr uint32_t kMaxComputeQueues = 8;

// At most `most` queues for stages. None if no family computes. Prefers a family for compute alone, as the
// graphics family may be in use by others, and for uploads a family for transfers alone, which stands for
// independent copy hardware.
std::optional<QueueChoice> choose_queues(std::span<const QueueFamily> families,
                                         uint32_t most = kMaxComputeQueues);

// Keeps threads out of the drivers while the process ends. exit() runs handlers that take drivers apart, and
// other threads go on meanwhile. From then on whatever in this folder needs a driver throws Error{kBackend},
// and destructors leave the driver's objects to the system.

// Calls of drivers by one thread, and use of memory that they have mapped. Uses may nest.
class DriverUse {
 public:
  // Once the process ends, it waits for that: no thread is held for ever, since the process may wait for it
  // in a destructor.
  DriverUse() noexcept;
  ~DriverUse();
  DriverUse(const DriverUse&) = delete;
  DriverUse& operator=(const DriverUse&) = delete;

  // False once the process ends: drivers must not be called any more.
  explicit operator bool() const { return may_call_; }

 private:
  const bool may_call_;
};

// Lets exit() wait for uses and for submitted work, at most some seconds, and allow no use any more, before
// it runs the handlers that drivers have registered so far.
void end_driver_use_at_exit() noexcept;

// Leaves an object as it is. Leak checkers find it.
void abandon(const void* object) noexcept;

// Deletes objects that drivers know; abandons them once the process ends.
struct DriverDelete {
  template <typename T>
  void operator()(T* object) const noexcept {
    const DriverUse use;
    if (use) {
      delete object;
    } else {
      abandon(object);
    }
  }
};

}  // namespace vq::vulkan
