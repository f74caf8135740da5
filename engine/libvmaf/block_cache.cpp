#include "engine/libvmaf/block_cache.h"

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "vulkan/frame_store.h"

namespace vq::libvmaf {

// The memory of a block. Its import keeps the memory as well.
struct Pages {
  Pages(std::shared_ptr<std::byte> with, size_t size) : memory(std::move(with)), bytes(size) {}
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;

  const std::shared_ptr<std::byte> memory;
  const size_t bytes;
};

namespace {

// A device that can read the host's memory wants whole pages.
constexpr size_t kPage = 4096;
constexpr size_t kMostKept = size_t{256} << 20;

// Which device imported which pages.
class ImportTable {
 public:
  std::shared_ptr<const FrameMemory> find_or_make(const Pages& pages,
                                                  const std::shared_ptr<vulkan::Device>& device) {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = imports_.try_emplace(&pages, Import{.device = device.get(), .memory = {}});
    if (is_new)
      at->second.memory = vulkan::import_memory(device, {pages.memory, static_cast<int64_t>(pages.bytes)});
    return at->second.device == device.get() ? at->second.memory : nullptr;
  }

  void drop(const Pages& pages) {
    Imports dropped;  // without the lock, as imports may take long to end
    const std::lock_guard lock(mutex_);
    if (const auto found = imports_.find(&pages); found != imports_.end())
      dropped.insert(imports_.extract(found));
  }

  void drop(const vulkan::Device& device) {
    Imports dropped;
    const std::lock_guard lock(mutex_);
    for (auto at = imports_.begin(); at != imports_.end();) {
      const auto next = std::next(at);
      if (at->second.device == &device) dropped.insert(imports_.extract(at));
      at = next;
    }
  }

 private:
  struct Import {
    const void* device = nullptr;               // that has it, or cannot
    std::shared_ptr<const FrameMemory> memory;  // null: it cannot
  };
  using Imports = std::map<const Pages*, Import>;

  std::mutex mutex_;
  Imports imports_;
};

class BlockCache {
 public:
  // All zero. Null where none of this size is there.
  std::unique_ptr<Pages> take(size_t bytes) {
    const std::lock_guard lock(mutex_);
    const auto found = free_.find(bytes);
    return found == free_.end() ? nullptr : take_out(found);
  }

  // Blocks of other sizes are freed first, as nobody is likely to ask for them again. A block is zeroed here
  // and not when it is taken: mostly a worker gives pictures back, while the client waits for one to fill.
  void give(std::unique_ptr<Pages> pages) noexcept {
    const size_t bytes = pages->bytes;
    std::memset(pages->memory.get(), 0, bytes);
    std::vector<std::unique_ptr<Pages>> freed;  // without the lock, as imports may take long to end
    const std::lock_guard lock(mutex_);
    try {
      while (kept_ + bytes > kMostKept && !free_.empty())
        freed.push_back(take_out(free_.begin()->first != bytes ? free_.begin() : std::prev(free_.end())));
      if (kept_ + bytes <= kMostKept) {
        free_.emplace(bytes, std::move(pages));
        kept_ += bytes;
      }
    } catch (const std::bad_alloc&) {
      return;  // they are freed
    }
  }

 private:
  using Free = std::multimap<size_t, std::unique_ptr<Pages>>;  // by their bytes

  std::unique_ptr<Pages> take_out(Free::iterator at) {
    std::unique_ptr<Pages> pages = std::move(at->second);
    kept_ -= at->first;
    free_.erase(at);
    return pages;
  }

  std::mutex mutex_;
  Free free_;
  size_t kept_ = 0;
};

// Never destroyed: pictures may be given back while the process ends.
ImportTable& imports() {
  static ImportTable* const table = new ImportTable();
  return *table;
}

BlockCache& cache() {
  static BlockCache* const cache = new BlockCache();
  return *cache;
}

}  // namespace

Pages::~Pages() {
  imports().drop(*this);
}

Block::Block(std::unique_ptr<Pages> pages) : pages_(std::move(pages)) {}

Block::Block() = default;

Block::~Block() {
  if (pages_ != nullptr) cache().give(std::move(pages_));
}

Block::Block(Block&& other) noexcept = default;

Block& Block::operator=(Block&& other) noexcept {
  std::swap(pages_, other.pages_);
  return *this;
}

std::byte* Block::data() const {
  return pages_->memory.get();
}

std::shared_ptr<const FrameMemory> Block::import_to(const std::shared_ptr<vulkan::Device>& device) const {
  return device->has_failed() ? nullptr : imports().find_or_make(*pages_, device);
}

Block take_zeroed_block(size_t bytes) {
  const size_t whole = (bytes + kPage - 1) / kPage * kPage;
  if (std::unique_ptr<Pages> pages = cache().take(whole)) return Block(std::move(pages));
  const std::shared_ptr<std::byte> memory(static_cast<std::byte*>(std::aligned_alloc(kPage, whole)),
                                          std::free);
  if (memory == nullptr) throw std::bad_alloc();
  std::memset(memory.get(), 0, whole);
  return Block(std::make_unique<Pages>(memory, whole));
}

void drop_imports(const vulkan::Device& device) {
  imports().drop(device);
}

}  // namespace vq::libvmaf
