#include "core/frame_memory.h"

#include <utility>

#include "core/error.h"

namespace vq {

bool is_on_host(const Frame& frame) {
  return !frame.luma().empty() || frame.place == nullptr;
}

Frame on_host(const Frame& frame) {
  if (is_on_host(frame)) return frame;
  Frame result = frame;
  result.planes = frame.place->planes();
  result.owner = std::move(result.place);
  return result;
}

namespace {

[[noreturn]] void throw_seen() {
  throw Error(ErrorKind::kInternal, "planes() called on host-visible memory");
}

}  // namespace

const std::array<SampleView, kMaxPlanes>& HostVisibleMemory::planes() const {
  throw_seen();
}

PlaneSize HostVisibleMemory::luma_size() const {
  throw_seen();
}

Frame HostVisibleMemory::luma_rows(std::span<const int>) const {
  throw_seen();
}

void DeferredFrameStore::set(std::shared_ptr<FrameStore> store) {
  const std::lock_guard lock(mutex_);
  store_.swap(store);
}

std::shared_ptr<const HostVisibleMemory> DeferredFrameStore::take(int64_t bytes) {
  std::shared_ptr<FrameStore> store;
  {
    const std::lock_guard lock(mutex_);
    store = store_;
  }
  return store != nullptr ? store->take(bytes) : nullptr;
}

}  // namespace vq
