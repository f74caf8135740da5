#include "vulkan/frame_store.h"

#include <map>
#include <mutex>
#include <optional>

#include "core/error.h"
#include "vulkan/buffer.h"
#include "vulkan/picture_source.h"

namespace vq::vulkan {
namespace {

// Left to those who cannot do without.
constexpr int64_t kSpareBuffers = 32;

// Sizes are multiples of this, so that pictures that differ by little share them.
constexpr int64_t kGrain = 4096;

// The buffers that nobody uses. Shared by a store and its pieces.
class Pool {
 public:
  Pool(std::shared_ptr<Device> device, int64_t most_bytes) : device_(std::move(device)), most_(most_bytes) {}

  const std::shared_ptr<Device>& device() const { return device_; }

  // Nothing where there is no room, or no memory.
  std::optional<Buffer> take(int64_t bytes) {
    {
      const std::lock_guard lock(mutex_);
      if (const auto found = free_.find(bytes); found != free_.end()) return take_out(found);
      while (taken_ + bytes > most_ && !free_.empty()) {
        taken_ -= free_.begin()->first;
        free_.erase(free_.begin());
      }
      if (taken_ + bytes > most_ || device_->buffers_left() <= kSpareBuffers) return std::nullopt;
      taken_ += bytes;
    }
    try {
      return Buffer(device_, Memory::kStored, bytes);
    } catch (const Error&) {
      const std::lock_guard lock(mutex_);
      taken_ -= bytes;
      most_ = taken_;  // nor will it have more later: asking takes long
      return std::nullopt;
    }
  }

  void give_back(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    if (!is_closed_) free_.emplace(buffer.bytes(), std::move(buffer));
  }

  // What comes back from now on is freed.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    free_.clear();
  }

 private:
  using Buffers = std::multimap<int64_t, Buffer>;

  Buffer take_out(Buffers::iterator at) {
    Buffer buffer = std::move(at->second);
    free_.erase(at);
    return buffer;
  }

  const std::shared_ptr<Device> device_;
  std::mutex mutex_;
  Buffers free_;  // by size
  int64_t most_;
  int64_t taken_ = 0;  // bytes of all buffers
  bool is_closed_ = false;
};

class Piece final : public HostVisibleMemory, public PictureSource {
 public:
  Piece(std::shared_ptr<Pool> pool, Buffer buffer) : pool_(std::move(pool)), buffer_(std::move(buffer)) {}
  ~Piece() override { pool_->give_back(std::move(buffer_)); }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  const void* device() const override { return pool_->device().get(); }
  std::byte* data() const override { return buffer_.mapped(); }
  int64_t bytes() const override { return buffer_.bytes(); }

  std::optional<PlaneSource> plane(const Frame& frame, int i) const override {
    const SampleView& view = frame.planes[static_cast<size_t>(i)];
    return view.is_u8() ? find(view.u8) : find(view.u16);
  }

 private:
  template <typename T>
  std::optional<PlaneSource> find(PlaneView<const T> view) const {
    const auto start = reinterpret_cast<uintptr_t>(view.data), own = reinterpret_cast<uintptr_t>(data());
    if (view.empty() || view.stride <= 0 || start < own) return std::nullopt;
    PlaneSource source{.buffer = &buffer_,
                       .offset = static_cast<int64_t>(start - own),
                       .stride = int64_t{view.stride} * static_cast<int64_t>(sizeof(T)),
                       .step = sizeof(T),
                       .is_near = pool_->device()->has_one_memory()};
    const int64_t end = source.offset + source.stride * (view.height - 1) + int64_t{view.width} * source.step;
    if (end > bytes()) return std::nullopt;
    return source;
  }

  const std::shared_ptr<Pool> pool_;
  Buffer buffer_;
};

class PooledStore final : public FrameStore {
 public:
  explicit PooledStore(std::shared_ptr<Pool> pool) : pool_(std::move(pool)) {}
  ~PooledStore() override { pool_->close(); }
  PooledStore(const PooledStore&) = delete;
  PooledStore& operator=(const PooledStore&) = delete;

  std::shared_ptr<const HostVisibleMemory> take(int64_t bytes) override {
    std::optional<Buffer> buffer = pool_->take((bytes + kGrain - 1) / kGrain * kGrain);
    if (!buffer) return nullptr;
    return std::make_shared<Piece>(pool_, std::move(*buffer));
  }

 private:
  const std::shared_ptr<Pool> pool_;
};

}  // namespace

const PictureSource* source_of(const Frame& frame, const Device& device) {
  if (frame.place == nullptr || frame.place->device() != &device) return nullptr;
  return dynamic_cast<const PictureSource*>(frame.place.get());
}

std::shared_ptr<FrameStore> make_frame_store(const std::shared_ptr<Device>& device, int64_t most_bytes) {
  return std::make_shared<PooledStore>(std::make_shared<Pool>(device, most_bytes));
}

}  // namespace vq::vulkan
