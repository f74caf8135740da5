// Locations of samples that a device can read directly, and memory of that kind for decoders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "core/frame.h"

namespace vq {

// Location of one picture's samples. Its frame owns it, and it owns the samples. May be used from any thread.
class FrameMemory {
 public:
  virtual ~FrameMemory() = default;
  // Identity of the device that can read the samples without the host's help. Only for comparison; never
  // dereferenced.
  virtual const void* device() const = 0;
  // The planes of a picture whose samples the host cannot see. The first call copies them to the host; they
  // are valid as long as this object. Throws Error{kBackend}.
  virtual const std::array<SampleView, kMaxPlanes>& planes() const = 0;
  // Size of such a picture, and some rows of its luma as a frame with one row for each of `rows`, for callers
  // that need no more. Throws Error{kBackend}.
  virtual PlaneSize luma_size() const = 0;
  virtual Frame luma_rows(std::span<const int> rows) const = 0;
};

// Whether the host can read the samples without a copy.
bool is_on_host(const Frame& frame);
// The same picture with samples that the host can read. Throws Error{kBackend}.
Frame on_host(const Frame& frame);

// A block of memory that the host accesses through its caches and that a device can read. It returns to its
// store when the last owner releases it.
class HostVisibleMemory : public FrameMemory {
 public:
  virtual std::byte* data() const = 0;  // aligned to kStoreAlignment
  virtual int64_t bytes() const = 0;
  // Not to be called: the frame itself has its planes, as the host sees all samples.
  const std::array<SampleView, kMaxPlanes>& planes() const final;
  PlaneSize luma_size() const final;
  Frame luma_rows(std::span<const int> rows) const final;
};

inline constexpr int64_t kStoreAlignment = 64;  // bytes

// Minimum alignment of planes in such memory, so that shaders of any device can read them in place.
inline constexpr int64_t kPlaneAlignment = 256;

// Distance in bytes between rows of a plane, so that devices can copy the plane as one block: rows as in
// core/plane.h.
constexpr int64_t stored_stride(int64_t row_bytes) {
  return (row_bytes + 63) / 64 * 64 + static_cast<int64_t>(kRowGuardBytes);
}

// Memory allocator for decoders. May be used from any thread.
class FrameStore {
 public:
  virtual ~FrameStore() = default;
  // Null if the store is exhausted: the caller then uses ordinary memory.
  virtual std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) = 0;
};

// A FrameStore that is attached after its users were created. Returns null while none is attached.
class DeferredFrameStore final : public FrameStore {
 public:
  void set(std::shared_ptr<FrameStore> store);
  std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) override;

 private:
  std::mutex mutex_;
  std::shared_ptr<FrameStore> store_;
};

}  // namespace vq
