#include "feature/cambi/vulkan_tiles.h"

#include <algorithm>
#include <array>

#include "core/error.h"
// Made by the build from shaders/*.comp.
#include "shaders/cambi_c_values.h"
#include "shaders/cambi_c_values_slice.h"
#include "vulkan/limits.h"

namespace vq::cambi::gpu {
namespace {

// Beyond this the registers of a thread do not suffice on common devices; reading anew costs a third more
// time.
constexpr uint kMaxPlaneRegisters = 160;

uint divided_up(uint count, uint size) {
  return (count + size - 1) / size;
}

uint reach(const CambiPlan& plan) {
  return static_cast<uint>(plan.half_window);
}

uint tasks(const CValueTiles& tiles, const CambiPlan& plan) {
  return (tiles.rows() + 2 * reach(plan)) * tiles.row_words;
}

// As few as the device allows, and at most kMaxSliceParts.
uint choose_slice_parts(const vulkan::DeviceInfo& device) {
  const auto fits = [&](uint parts) {
    return unsupported_reason(device, vulkan::needs_of(kSliceShader, std::array{parts})).empty();
  };
  uint parts = 1;
  while (parts < kMaxSliceParts && !fits(parts)) parts *= 2;
  return parts;
}

}  // namespace

constexpr vulkan::Shader kCValuesShader{"cambi_c_values", kCambiCValuesSpirv};
constexpr vulkan::Shader kSliceShader{"cambi_c_values_slice", kCambiCValuesSliceSpirv};

std::vector<uint32_t> CValueTiles::constants(const CambiPlan& plan) const {
  return {threads, row_words, rows_each, reach(plan), static_cast<uint32_t>(plan.num_contrasts), keep_planes};
}

uint CValueTiles::plane_registers(const CambiPlan& plan) const {
  const uint span = 2 * divided_up(reach(plan), kWordSamples) + 1;
  return divided_up(tasks(*this, plan), threads) * span * kLevelBits;
}

CValueTiles choose_tiles(const CambiPlan& plan, const vulkan::DeviceInfo& device) {
  // The best of what was measured for windows that reach so far, then whatever needs less shared memory.
  // Small tiles share the work better and hold fewer levels, large ones spend less of it on their
  // surroundings.
  struct Wish {
    int most_reach;
    CValueTiles tiles;
  };
  constexpr Wish kWishes[] = {
      {10, {32, 1, 4, true}},          {16, {64, 1, 4, true}},          {32, {128, 2, 4, true}},
      {kMaxWindow, {256, 2, 4, true}}, {kMaxWindow, {128, 1, 4, true}}, {kMaxWindow, {128, 1, 2, true}},
      {kMaxWindow, {64, 1, 2, true}},  {kMaxWindow, {32, 1, 2, true}},  {kMaxWindow, {16, 1, 2, true}}};
  std::string reason;
  for (const Wish& wish : kWishes) {
    if (plan.half_window > wish.most_reach) continue;
    CValueTiles tiles = wish.tiles;
    // Where subgroups are larger than the work group, part of the device would idle.
    const bool fills_subgroups = static_cast<int>(tiles.threads) >= device.subgroup_size;
    if (wish.most_reach < kMaxWindow && !fills_subgroups) continue;
    tiles.slice_parts = choose_slice_parts(device);
    tiles.keep_planes = tiles.plane_registers(plan) <= kMaxPlaneRegisters;
    reason = unsupported_reason(device, vulkan::needs_of(kCValuesShader, tiles.constants(plan)));
    if (reason.empty()) return tiles;
  }
  throw Error(ErrorKind::kBackend, device.name + " cannot be used with a window of " +
                                       std::to_string(plan.window) + " samples: " + reason);
}

std::array<ScaleGeometry, kScales> make_geometry(const CambiPlan& plan, const CValueTiles& tiles) {
  std::array<ScaleGeometry, kScales> scales{};
  uint words = 0, blocks = 0, slice_groups = 0, pool_groups = 0, quads = 0;
  const vulkan::PlaneLayout mask{plan.width, plan.height, 1};
  for (size_t k = 0; k < kScales; ++k) {
    ScaleGeometry& scale = scales[k];
    scale.width = static_cast<uint>(plan.scales[k].width);
    scale.height = static_cast<uint>(plan.scales[k].height);
    scale.image_stride =
        static_cast<uint>(vulkan::PlaneLayout{plan.scales[k].width, plan.scales[k].height, 2}.stride_bytes());
    scale.mask_stride = static_cast<uint>(mask.stride_bytes());
    scale.mask_shift = static_cast<uint>(k) + (plan.halve_first ? 1 : 0);
    scale.words = divided_up(scale.width, kWordSamples * kRowWords) * kRowWords;
    scale.first_word = words;
    scale.first_block = blocks;
    scale.first_slice_group = slice_groups;
    scale.slice_groups_x = divided_up(scale.words, kSliceWords);
    scale.slice_groups = scale.slice_groups_x * divided_up(scale.height, kBlockRows);
    scale.tiles_x = scale.words / tiles.row_words;
    scale.tiles = scale.tiles_x * divided_up(scale.height, tiles.rows());
    scale.first_pool_group = pool_groups;
    scale.pool_groups = divided_up(scale.height, kPoolRows);
    // A work group's rows are in one buffer.
    const uint half = divided_up(scale.height, 2 * kPoolRows) * kPoolRows;
    scale.first_value = k == 0 ? std::min(half, scale.height) : quads;
    scale.topk_count = static_cast<uint>(plan.scales[k].topk_count);
    words += scale.words * scale.height;
    blocks += scale.words * divided_up(scale.height, kBlockRows);
    slice_groups += scale.slice_groups;
    pool_groups += scale.pool_groups;
    if (k > 0) quads += scale.words * scale.height * (kWordSamples / 4);
  }
  // Tiles of the coarse scales hold the most levels, so they come first.
  uint first_tile = 0;
  for (size_t k = kScales; k-- > 0;) {
    scales[k].first_tile = first_tile;
    first_tile += scales[k].tiles;
  }
  return scales;
}

ScoringSizes scoring_sizes(const std::array<ScaleGeometry, kScales>& scales) {
  ScoringSizes sizes{};
  constexpr int64_t kWordBytes = int64_t{kWordSamples} * static_cast<int64_t>(sizeof(float));
  for (size_t k = 0; k < kScales; ++k) {
    const ScaleGeometry& scale = scales[k];
    sizes.words += int64_t{scale.words} * scale.height;
    sizes.blocks += int64_t{scale.words} * divided_up(scale.height, kBlockRows);
    if (k > 0) sizes.value_bytes[2] += kWordBytes * scale.words * scale.height;
  }
  const ScaleGeometry& finest = scales[0];
  sizes.value_bytes[0] = kWordBytes * finest.words * finest.first_value;
  // A picture of one row has no lower half; what the shader sees must still be something.
  sizes.value_bytes[1] = kWordBytes * finest.words * std::max(finest.height - finest.first_value, 1U);
  return sizes;
}

}  // namespace vq::cambi::gpu
