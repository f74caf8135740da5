// Memory of pictures: it comes again and again in the same sizes, so it is kept for the next.
#pragma once

#include <cstddef>

namespace vq::libvmaf {

// Whole pages, which go back with it. Move-only.
class Block {
 public:
  Block() = default;
  ~Block();
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;

  std::byte* data() const { return data_; }

 private:
  friend Block take_zeroed_block(size_t bytes);
  Block(std::byte* data, size_t bytes) : data_(data), bytes_(bytes) {}

  std::byte* data_ = nullptr;
  size_t bytes_ = 0;
};

// All zero. Throws std::bad_alloc. From any thread, as is giving back.
Block take_zeroed_block(size_t bytes);

}  // namespace vq::libvmaf
