#include <hwy/base.h>

#include <algorithm>
#include <cstring>

#include "feature/xpsnr/device.h"
#include "shaders/xpsnr/shared.h"
// Made by the build from shaders/.
#include "shaders/xpsnr_block_activities.h"
#include "shaders/xpsnr_block_errors.h"
#include "vulkan/limits.h"

namespace vq::xpsnr::gpu {
namespace {

static_assert(uint64_t{kTileSamples} * 12 * 0xFFFF <= UINT32_MAX, "the detail of a tile fits its word");
// Blocks have at least 4 columns and rows, those of chroma 1: every device takes 65535 work groups in each
// direction.
static_assert(kMaxSide / 4 <= 65535);

// An even number, so that cells are whole; a tile of very wide blocks has two rows of them.
int tile_rows_of(PlaneSize block) {
  const int most = static_cast<int>(kTileSamples) / block.width / 2 * 2;
  return std::clamp(most, 2, std::max(block.height, 2));
}

vulkan::Groups groups_of(const Tiles& tiles) {
  return {static_cast<uint32_t>(tiles.columns), static_cast<uint32_t>(tiles.rows * tiles.of_block)};
}

template <typename Sum>
int64_t bytes_of(const Tiles& tiles) {
  return tiles.count() * static_cast<int64_t>(sizeof(Sum));
}

template <typename Sum>
uint first_of(int64_t offset) {
  HWY_DASSERT(offset % static_cast<int64_t>(sizeof(Sum)) == 0);
  return static_cast<uint>(offset / static_cast<int64_t>(sizeof(Sum)));
}

// Calls add(block, sum) for each tile.
template <typename Sum, typename Add>
void for_tiles(const Tiles& tiles, const std::byte* sums, const Add& add) {
  for (int row = 0; row < tiles.rows * tiles.of_block; ++row) {
    for (int column = 0; column < tiles.columns; ++column) {
      Sum sum{};
      std::memcpy(&sum, sums, sizeof sum);
      sums += sizeof sum;
      add(static_cast<size_t>(row / tiles.of_block * tiles.columns + column), sum);
    }
  }
}

uint32_t word(int number) {
  return static_cast<uint32_t>(number);
}
uint stride_of(const vulkan::DevicePlane& plane) {
  return static_cast<uint>(plane.layout.stride_bytes());
}

BlockPush push_for(const vulkan::DevicePlane& plane, uint first_sum) {
  return {.width = word(plane.layout.width),
          .height = word(plane.layout.height),
          .stride_a = stride_of(plane),
          .stride_b = 0,
          .stride_c = 0,
          .first_sum = first_sum};
}

const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const ActivityForm& form,
                                     const BlockActivitiesPass::Pictures& pictures) {
  const PlaneSize block = form.grid.block;
  const int bytes = pictures.now.plane.layout.sample_bytes;
  HWY_DASSERT(pictures.last.layout.sample_bytes == bytes && pictures.older.layout.sample_bytes == bytes);
  return context.pipeline(shaders::kXpsnrBlockActivities,
                          {word(block.width), word(block.height), word(tile_rows_of(block)), word(bytes),
                           word(pictures.now.shift), form.in_cells, form.is_second_order});
}

const vulkan::Pipeline& pipeline_for(vulkan::Context& context, PlaneSize block,
                                     const std::array<Operand, 2>& planes) {
  const auto& [a, b] = planes;
  return context.pipeline(
      shaders::kXpsnrBlockErrors,
      {word(block.width), word(block.height), word(tile_rows_of(block)), word(a.plane.layout.sample_bytes),
       word(b.plane.layout.sample_bytes), word(a.shift), word(b.shift)});
}

}  // namespace

std::string unsupported_by_stages(const vulkan::DeviceInfo& device) {
  return unsupported_reason(device, {shaders::kXpsnrBlockActivities, shaders::kXpsnrBlockErrors});
}

Tiles::Tiles(const Grid& grid)
    : columns(grid.columns),
      rows(grid.rows),
      tile_rows(tile_rows_of(grid.block)),
      of_block((grid.block.height + tile_rows - 1) / tile_rows) {}

BlockActivitiesPass::BlockActivitiesPass(vulkan::Context& context, const ActivityForm& form,
                                         const Pictures& pictures)
    : pictures_(pictures), tiles_(form.grid), pipeline_(pipeline_for(context, form, pictures)) {}

int64_t BlockActivitiesPass::sum_bytes() const {
  return bytes_of<TileActivity>(tiles_);
}
int64_t BlockActivitiesPass::sum_bytes(const Grid& grid) {
  return bytes_of<TileActivity>(Tiles(grid));
}

void BlockActivitiesPass::record(vulkan::Recorder& recorder, const vulkan::Buffer& sums,
                                 int64_t offset) const {
  const auto& [now, last, older] = pictures_;
  BlockPush push = push_for(now.plane, first_of<TileActivity>(offset));
  push.stride_b = stride_of(last);
  push.stride_c = stride_of(older);
  recorder.pass(pipeline_, {&now.plane.buffer, &last.buffer, &older.buffer, &sums})
      .run(push, groups_of(tiles_));
}

void BlockActivitiesPass::read(const std::byte* sums, int before, std::span<Activity> out) const {
  std::fill(out.begin(), out.end(), Activity());
  for_tiles<TileActivity>(tiles_, sums, [&](size_t block, const TileActivity& sum) {
    out[block].spatial += sum.spatial;
    out[block].temporal += before == 0 ? sum.from_none : before == 1 ? sum.from_one : sum.from_two;
  });
}

BlockErrorsPass::BlockErrorsPass(vulkan::Context& context, const Grid& grid,
                                 const std::array<Operand, 2>& planes)
    : planes_(planes), tiles_(grid), pipeline_(pipeline_for(context, grid.block, planes)) {}

int64_t BlockErrorsPass::sum_bytes() const {
  return bytes_of<TileError>(tiles_);
}
int64_t BlockErrorsPass::sum_bytes(const Grid& grid) {
  return bytes_of<TileError>(Tiles(grid));
}

void BlockErrorsPass::record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const {
  const auto& [a, b] = planes_;
  BlockPush push = push_for(a.plane, first_of<TileError>(offset));
  push.stride_b = stride_of(b.plane);
  recorder.pass(pipeline_, {&a.plane.buffer, &b.plane.buffer, &sums}).run(push, groups_of(tiles_));
}

void BlockErrorsPass::read(const std::byte* sums, std::span<uint64_t> out) const {
  std::fill(out.begin(), out.end(), 0);
  for_tiles<TileError>(tiles_, sums, [&](size_t block, const TileError& sum) {
    out[block] += sum.low + (uint64_t{sum.high} << 16);
  });
}

}  // namespace vq::xpsnr::gpu
