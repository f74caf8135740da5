// Memory of pictures: it comes again and again in the same sizes, so it is kept for the next.
#pragma once

#include <cstddef>
#include <memory>

#include "core/frame_memory.h"
#include "vulkan/device.h"

namespace vq::libvmaf {

struct Pages;

// Whole pages, which go back with it. Move-only.
class Block {
 public:
  Block();
  ~Block();
  Block(Block&& other) noexcept;
  Block& operator=(Block&& other) noexcept;

  std::byte* data() const;
  // The block as the device reads it where it lies; null where it cannot, and where another device has it.
  // It is imported once, and the import stays with the pages, until they are freed or drop_imports() is
  // called. From any thread. Throws std::bad_alloc.
  std::shared_ptr<const FrameMemory> import_to(const std::shared_ptr<vulkan::Device>& device) const;

 private:
  friend Block take_zeroed_block(size_t bytes);
  explicit Block(std::unique_ptr<Pages> pages);

  std::unique_ptr<Pages> pages_;
};

// All zero. Throws std::bad_alloc. From any thread, as is giving back.
Block take_zeroed_block(size_t bytes);

// Ends the device's imports of all blocks, also those in use: they keep it open.
void drop_imports(const vulkan::Device& device);

}  // namespace vq::libvmaf
