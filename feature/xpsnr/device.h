// XPSNR's stages as passes on a Vulkan device. The contracts are those of feature/xpsnr/plan.h; the shaders
// are in shaders/xpsnr/.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "feature/xpsnr/plan.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::xpsnr::gpu {

// Why a device cannot run the shaders; empty if it can.
std::string unsupported_by_stages(const vulkan::DeviceInfo& device);

// The work groups of a plane: each has some rows of a block.
struct Tiles {
  explicit Tiles(const Grid& grid);
  int64_t count() const { return int64_t{columns} * rows * of_block; }
  int columns = 0, rows = 0;  // of blocks
  int tile_rows = 0, of_block = 0;
};

// A plane, and how far its samples are shifted left to the depth they are compared at, 0..8.
struct Operand {
  const vulkan::DevicePlane& plane;
  int shift = 0;
};

// Sums of blocks, as often as there are frames. Those of tiles are left in a buffer that may hold what
// several passes leave; the host adds them up. Planes and context outlive the passes. Constructors throw
// Error{kBackend}.
class BlockActivitiesPass {
 public:
  // Luma of the reference, and of the frames before it; the older one is of use in second order alone.
  struct Pictures {
    Operand now;
    const vulkan::DevicePlane &last, &older;
  };
  BlockActivitiesPass(vulkan::Context& context, const ActivityForm& form, const Pictures& pictures);

  int64_t sum_bytes() const;
  static int64_t sum_bytes(const Grid& grid);
  // Writes sum_bytes() to `sums` from `offset` on, a multiple of 16.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const;
  // From sum_bytes() that the pass has written; `before` is the number of frames before that there are, at
  // most as many as the form takes.
  void read(const std::byte* sums, int before, std::span<Activity> out) const;

 private:
  const Pictures pictures_;
  const Tiles tiles_;
  const vulkan::Pipeline& pipeline_;
};

class BlockErrorsPass {
 public:
  BlockErrorsPass(vulkan::Context& context, const Grid& grid, const std::array<Operand, 2>& planes);

  int64_t sum_bytes() const;
  static int64_t sum_bytes(const Grid& grid);
  // As above; the offset is a multiple of 8.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const;
  void read(const std::byte* sums, std::span<uint64_t> out) const;

 private:
  const std::array<Operand, 2> planes_;
  const Tiles tiles_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace vq::xpsnr::gpu
