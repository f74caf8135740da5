// Where the samples of a picture lie, for a device that can take them from there, and memory of that kind for
// decoders.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

#include "core/frame.h"

namespace vq {

// Of one picture. Kept by its frame, and with it the samples. Its members may be called from any thread.
class FrameMemory {
 public:
  virtual ~FrameMemory() = default;
  // Which device can take the samples from there without the host's help: compared with others, never
  // followed.
  virtual const void* device() const = 0;
  // The planes, for a picture whose frame has none, since its samples lie where the host cannot see them:
  // copied to the host when this is first asked for, and valid as long as the place. Throws Error{kBackend}.
  virtual const std::array<SampleView, kMaxPlanes>& planes() const = 0;
  // Of such a picture: its size, and some rows of its luma, one below the other, for those who need no more.
  // Throws Error{kBackend}.
  virtual PlaneSize luma_size() const = 0;
  virtual Frame luma_rows(std::span<const int> rows) const = 0;
};

// Whether its samples can be read at once.
bool is_on_host(const Frame& frame);
// The same picture with samples that the host can read. Throws Error{kBackend}.
Frame on_host(const Frame& frame);

// A piece of memory that the host writes and reads through its caches, and that a device fetches from. Goes
// back to its store with the last who holds it.
class HostVisibleMemory : public FrameMemory {
 public:
  virtual std::byte* data() const = 0;  // aligned to kStoreAlignment
  virtual int64_t bytes() const = 0;
  // The host sees all samples: the frame has its planes.
  const std::array<SampleView, kMaxPlanes>& planes() const final;
  PlaneSize luma_size() const final;
  Frame luma_rows(std::span<const int> rows) const final;
};

inline constexpr int64_t kStoreAlignment = 64;  // bytes

// Where planes begin in such memory, at least, so that the shaders of any device may look at them there.
inline constexpr int64_t kPlaneAlignment = 256;

// From one row of a plane to the next, in bytes, so that devices can take all of it at once: rows as in
// core/plane.h.
constexpr int64_t stored_stride(int64_t row_bytes) {
  return (row_bytes + 63) / 64 * 64 + static_cast<int64_t>(kRowGuardBytes);
}

// Where decoders get such memory from, from any thread.
class FrameStore {
 public:
  virtual ~FrameStore() = default;
  // Null where it has no more to give: then ordinary memory does as well.
  virtual std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) = 0;
};

// A store that is known later than those who take from it: until then, and once it is gone, there is nothing
// to take.
class DeferredFrameStore final : public FrameStore {
 public:
  void set(std::shared_ptr<FrameStore> store);
  std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) override;

 private:
  std::mutex mutex_;
  std::shared_ptr<FrameStore> store_;
};

}  // namespace vq
