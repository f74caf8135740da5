#include "engine/libvmaf/block_cache.h"

#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>

namespace vq::libvmaf {
namespace {

// A device that can read the host's memory wants whole pages.
constexpr size_t kPage = 4096;
constexpr size_t kMostKept = size_t{256} << 20;

void free_pages(std::byte* data) {
  ::operator delete (data, std::align_val_t{kPage});
}

class BlockCache {
 public:
  // All zero. Null where none of this size is there.
  std::byte* take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = free_.find(bytes);
    if (found == free_.end()) return nullptr;
    std::byte* const data = found->second;
    free_.erase(found);
    kept_ -= bytes;
    return data;
  }

  // Blocks of other sizes are freed first, as nobody is likely to ask for them again. A block is zeroed here
  // and not when it is taken: mostly a worker gives pictures back, while the client waits for one to fill.
  void give(std::byte* data, size_t bytes) noexcept {
    std::memset(data, 0, bytes);
    const std::lock_guard lock(mutex_);
    while (kept_ + bytes > kMostKept && !free_.empty()) {
      const auto first = free_.begin()->first != bytes ? free_.begin() : std::prev(free_.end());
      kept_ -= first->first;
      free_pages(first->second);
      free_.erase(first);
    }
    if (kept_ + bytes > kMostKept) return free_pages(data);
    try {
      free_.emplace(bytes, data);
      kept_ += bytes;
    } catch (const std::bad_alloc&) {
      free_pages(data);
    }
  }

 private:
  std::mutex mutex_;
  std::multimap<size_t, std::byte*> free_;  // by their bytes
  size_t kept_ = 0;
};

// Never destroyed: pictures may be given back while the process ends.
BlockCache& cache() {
  static BlockCache* const cache = new BlockCache();
  return *cache;
}

}  // namespace

Block::~Block() {
  if (data_ != nullptr) cache().give(data_, bytes_);
}

Block::Block(Block&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Block& Block::operator=(Block&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Block take_zeroed_block(size_t bytes) {
  const size_t pages = (bytes + kPage - 1) / kPage * kPage;
  std::byte* data = cache().take(pages);
  if (data != nullptr) return {data, pages};
  data = static_cast<std::byte*>(::operator new (pages, std::align_val_t{kPage}));
  std::memset(data, 0, pages);
  return {data, pages};
}

}  // namespace vq::libvmaf
