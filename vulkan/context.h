// Pipelines and tables that all work on a device shares, each made on first use.
#pragma once

#include <concepts>
#include <future>
#include <map>
#include <mutex>
#include <utility>

#include "vulkan/device.h"
#include "vulkan/shader.h"

namespace vq::vulkan {

// Memory for shaders and copies.

enum class Memory {
  kDevice,    // device memory that the host cannot see
  kUpload,    // written by the host, read by the device
  kReadback,  // written by the device, read by the host through its caches
  kShared,    // device memory that other interfaces can import; needs Device::can_share_memory()
  // written and read by the host through its caches, read by the device; not available on every device
  kStored,
};

// Move-only. A buffer the host can see is initialised to zero; device memory is not initialised. The memory
// is released with the last of this object, its parts, and the command lists that use it.
class Buffer {
 public:
  Buffer();
  // Throws Error{kBackend} if the memory is refused, or a buffer for shaders exceeds their limit.
  Buffer(const std::shared_ptr<Device>& device, Memory memory, int64_t bytes);
  ~Buffer();
  Buffer(Buffer&&) noexcept;
  Buffer& operator=(Buffer&&) noexcept;

  // A part of the buffer, which keeps all of it alive. For shaders `offset` is a multiple of kPlaneAlignment.
  // Needs: the part is within the buffer.
  Buffer part(int64_t offset, int64_t bytes) const;

  int64_t bytes() const { return bytes_; }
  int64_t offset() const { return offset_; }  // in the underlying memory
  // Null for device memory. The host may read after CommandList::wait; its writes are seen by work that is
  // submitted afterwards.
  std::byte* mapped() const { return mapped_; }
  // For shared memory: a new file descriptor (VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT), which the caller
  // or the importer closes. Throws Error{kBackend}.
  int export_memory() const;
  int64_t allocated_bytes() const;  // the size of the memory, for importers
  Memory memory() const;            // Needs: it is not empty

  struct Impl;
  const std::shared_ptr<const Impl>& impl() const { return impl_; }

 private:
  std::shared_ptr<const Impl> impl_;
  int64_t bytes_ = 0, offset_ = 0;
  std::byte* mapped_ = nullptr;
};

// A compute shader compiled for a device.

// The size of push constants that every device supports.
inline constexpr uint32_t kMaxPushBytes = 128;

// Equal pipelines of a device are one. It keeps them until it is closed, except for some beyond hundreds,
// which are released with the last of this object and the command lists that use them. A thread of its own
// compiles each, as many at a time as there are cores.
class Pipeline {
 public:
  // `constants` are the values of specialization constants 0, 1, ...; a bool is 0 or 1. Throws
  // Error{kBackend} if the device lacks what the shader needs.
  Pipeline(const std::shared_ptr<Device>& device, const Shader& shader, std::span<const uint32_t> constants);
  ~Pipeline();
  Pipeline(Pipeline&&) noexcept;
  Pipeline& operator=(Pipeline&&) noexcept;

  const std::string& name() const { return name_; }
  std::span<const Access> accesses() const { return accesses_; }

  struct Impl;
  // Waits until it is compiled. Throws Error{kBackend}.
  std::shared_ptr<const Impl> impl() const;
  using Compiled = std::shared_future<std::shared_ptr<const Impl>>;
  using Key = std::pair<const uint32_t*, std::vector<uint32_t>>;  // code and constants

 private:
  std::string name_;
  std::span<const Access> accesses_;
  Key key_;
  std::shared_ptr<Device> device_;
  Compiled compiled_;
};

// The values of a shader's specialization constants 0, 1, ...: integers, or bools, which are 0 or 1.
class Constants {
 public:
  struct Value {
    template <std::integral T>
    constexpr Value(T value) : word(static_cast<uint32_t>(value)) {}
    uint32_t word;
  };
  Constants(std::initializer_list<Value> values = {}) {
    for (const Value& value : values) words_.push_back(value.word);
  }
  Constants(std::vector<uint32_t> words) : words_(std::move(words)) {}
  const std::vector<uint32_t>& words() const { return words_; }

 private:
  std::vector<uint32_t> words_;
};

// May be used from several threads. References stay valid as long as the context lives. One without a device
// is for counting memory: its pipelines are names, and its tables sizes.
class Context {
 public:
  explicit Context(std::shared_ptr<Device> device) : device_(std::move(device)) {}

  const std::shared_ptr<Device>& device() const { return device_; }
  // For callers that make several related objects on several threads. Not needed for the members here.
  std::mutex& mutex() { return mutex_; }
  // Ends a start-up check. Throws Error{kBackend} unless the device computed the same `what` as the CPU, such
  // as "values".
  void require_same(bool same, std::string_view what) const;
  // Throws Error{kBackend}.
  const Pipeline& pipeline(const Shader& shader, const Constants& constants = {});
  // A table in device memory for shaders to read; equal content shares one table. Waits for the upload.
  // Throws Error{kBackend}.
  const Buffer& byte_table(std::span<const std::byte> content);
  template <typename T>
  const Buffer& table(const T& entries) {
    return byte_table(std::as_bytes(std::span(entries)));
  }

 private:
  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  std::mutex made_mutex_;  // guards the members below
  std::map<std::pair<std::string, std::vector<uint32_t>>, Pipeline> pipelines_;
  std::map<std::string, Buffer> tables_;  // by content
};

}  // namespace vq::vulkan
