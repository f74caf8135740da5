#include "core/frame_place.h"

#include "core/error.h"

namespace vq {

bool is_on_host(const Frame& frame) {
  return !frame.luma().empty() || frame.place == nullptr;
}

Frame on_host(const Frame& frame) {
  Frame result = frame;
  if (!is_on_host(frame)) result.planes = frame.place->planes();
  return result;
}

const std::array<SampleView, kMaxPlanes>& StoredBytes::planes() const {
  throw Error(ErrorKind::kInternal, "planes that the host sees were asked of their memory");
}

void LateFrameStore::set(std::shared_ptr<FrameStore> store) {
  const std::lock_guard lock(mutex_);
  store_.swap(store);
}

std::shared_ptr<const StoredBytes> LateFrameStore::take(int64_t bytes) {
  std::shared_ptr<FrameStore> store;
  {
    const std::lock_guard lock(mutex_);
    store = store_;
  }
  return store != nullptr ? store->take(bytes) : nullptr;
}

}  // namespace vq
