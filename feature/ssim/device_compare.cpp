#include "feature/ssim/device_compare.h"

#include <hwy/base.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "feature/ssim/compare_rows.h"
// Made by the build from shaders/.
#include "shaders/ssim_compare.h"
#include "shaders/ssim_halve.h"
#include "vulkan/limits.h"

namespace vq::ssim::gpu {
namespace {

constexpr int kTileRows = static_cast<int>(kGroupY * kRowsEach);
// Every device takes 65535 work groups in each direction.
static_assert(kMaxSide / kGroupX <= 65535 && kMaxSide / kGroupY <= 65535);
static_assert((kMostStructure << kWholeBits) * uint64_t{kGroupX} * kTileRows <= INT32_MAX,
              "sums of a group fit its words");
static_assert((uint64_t{5} << (kRestBits - kWholeBits)) / 4 * kGroupX * kTileRows <= INT32_MAX,
              "and so do their rests, with those of the lower floats");

float unit_of(const Picture& picture) {
  const bool has_floats = picture.plane.layout.sample_bytes == sizeof(float);
  HWY_DASSERT(has_floats || (8 <= picture.bit_depth && picture.bit_depth <= 16));
  return has_floats ? 1 : std::ldexp(1.0F, 8 - picture.bit_depth);
}

uint32_t sample_bytes(const Picture& picture) {
  return static_cast<uint32_t>(picture.plane.layout.sample_bytes);
}

uint32_t constant_of(Sums sums) {
  return sums == Sums::kInDoubles ? 1 : 0;
}

vulkan::PlaneLayout float_layout(PlaneSize size) {
  return {.width = size.width, .height = size.height, .sample_bytes = sizeof(float)};
}

PlaneSize halved_size(const vulkan::PlaneLayout& layout) {
  return {halved(layout.width), halved(layout.height)};
}

vulkan::Groups tiles_of(PlaneSize size) {
  HWY_DASSERT(kTaps <= size.width && kTaps <= size.height);
  return {vulkan::groups_for(size.width - kTaps + 1, kGroupX),
          vulkan::groups_for(size.height - kTaps + 1, kTileRows)};
}

}  // namespace

std::string unsupported_by_scales(const vulkan::DeviceInfo& device) {
  return unsupported_reason(device, {shaders::kSsimHalve, shaders::kSsimCompare});
}

HalvePass::HalvePass(vulkan::Context& context, const Picture& picture, Sums sums)
    : in_(picture.plane),
      unit_(unit_of(picture)),
      pipeline_(context.pipeline(shaders::kSsimHalve, {sample_bytes(picture), constant_of(sums)})),
      out_(context.device(), float_layout(halved_size(picture.plane.layout))) {
  HWY_DASSERT(kLowPassTaps <= in_.layout.width && kLowPassTaps <= in_.layout.height);
}

void HalvePass::record(vulkan::Recorder& recorder) const {
  const vulkan::PlaneLayout& out = out_.layout;
  const HalvePush push{
      .width = static_cast<uint>(in_.layout.width),
      .height = static_cast<uint>(in_.layout.height),
      .stride = static_cast<uint>(in_.layout.stride_bytes()),
      .out_width = static_cast<uint>(out.width),
      .out_height = static_cast<uint>(out.height),
      .out_stride = static_cast<uint>(out.stride_bytes() / static_cast<int64_t>(sizeof(float))),
      .unit = unit_};
  recorder.pass(pipeline_, {&in_.buffer, &out_.buffer})
      .run(push, {vulkan::groups_for(out.width, kGroupX), vulkan::groups_for(out.height, kGroupY)});
}

int64_t HalvePass::bytes(PlaneSize halved) {
  return float_layout(halved).bytes();
}

ComparePass::ComparePass(vulkan::Context& context, const Picture& a, const Picture& b, Sums sums)
    : a_(a.plane),
      b_(b.plane),
      unit_a_(unit_of(a)),
      unit_b_(unit_of(b)),
      groups_(tiles_of({a_.layout.width, a_.layout.height})),
      pipeline_(
          context.pipeline(shaders::kSsimCompare, {sample_bytes(a), sample_bytes(b), constant_of(sums)})) {
  HWY_DASSERT(a_.layout.width == b_.layout.width && a_.layout.height == b_.layout.height);
}

int64_t ComparePass::sum_bytes(PlaneSize size) {
  const vulkan::Groups tiles = tiles_of(size);
  return int64_t{tiles.x} * tiles.y * static_cast<int64_t>(sizeof(TileSum));
}

void ComparePass::record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const {
  HWY_DASSERT(offset % static_cast<int64_t>(sizeof(TileSum)) == 0 && offset + sum_bytes() <= sums.bytes());
  const Constants constants;
  const ComparePush push{.width = static_cast<uint>(a_.layout.width),
                         .height = static_cast<uint>(a_.layout.height),
                         .stride_a = static_cast<uint>(a_.layout.stride_bytes()),
                         .stride_b = static_cast<uint>(b_.layout.stride_bytes()),
                         .unit_a = unit_a_,
                         .unit_b = unit_b_,
                         .c1 = constants.c1,
                         .c2 = constants.c2,
                         .c3 = constants.c3,
                         .first_sum = static_cast<uint>(offset / static_cast<int64_t>(sizeof(TileSum)))};
  recorder.pass(pipeline_, {&a_.buffer, &b_.buffer, &sums}).run(push, groups_);
}

namespace {

constexpr double kRestUnit = 1.0 / (uint64_t{1} << kRestBits);

// A sum of quotients.
struct Total {
  void add(const QuotientSum& sum) {
    whole += sum.whole;
    rest += sum.rest;
  }
  double value() const {
    return static_cast<double>(whole) / (1 << kWholeBits) + static_cast<double>(rest) * kRestUnit;
  }
  int64_t whole = 0, rest = 0;
};

// A sum that the CPU takes in double, term after term, while the device knows each term up to kRestUnit.
class BoundedSum {
 public:
  // The next `count` terms; the sum of their sizes is `size` at most. Each addition of the CPU is off by half
  // a unit in the last place of a partial sum, which is no larger than the terms' sizes up to there.
  void add(const Total& terms, int64_t count, double size) {
    constexpr double kRoom = 1 + 0x1p-20, kOfComputing = 0x1p-48;
    sum_ += terms.value();
    size_ += size;
    error_ += static_cast<double>(count) * (std::ldexp(1.0, std::ilogb(size_ * kRoom) - 53) + kRestUnit);
    error_of_computing_ += size_ * kOfComputing;
  }
  double least() const { return sum_ - error_ - error_of_computing_; }
  double most() const { return sum_ + error_ + error_of_computing_; }

 private:
  double sum_ = 0, size_ = 0, error_ = 0, error_of_computing_ = 0;
};

// What the work groups of one row of tiles have found.
struct TileRow {
  Total luminance, contrast, structure;
  uint64_t structure_size = 0;
  bool has_size = true;
};

TileRow row_of(const std::byte* sums, uint32_t tiles) {
  TileRow row;
  for (uint32_t i = 0; i < tiles; ++i) {
    TileSum tile{};
    std::memcpy(&tile, sums + i * sizeof(tile), sizeof(tile));
    row.luminance.add(tile.luminance);
    row.contrast.add(tile.contrast);
    row.structure.add(tile.structure);
    row.structure_size += tile.structure_size;
    row.has_size = row.has_size && tile.structure_size != kNoSize;
  }
  return row;
}

}  // namespace

std::optional<SimilarityBounds> ComparePass::bounds(const std::byte* sums) const {
  const int columns = a_.layout.width - kTaps + 1, rows = a_.layout.height - kTaps + 1;
  BoundedSum luminance, contrast, structure;
  for (int y = 0; y < rows; y += kTileRows) {
    const TileRow row = row_of(sums, groups_.x);
    if (!row.has_size) return std::nullopt;
    sums += groups_.x * sizeof(TileSum);
    const int64_t count = int64_t{columns} * std::min(rows - y, kTileRows);
    const double unknown = static_cast<double>(count) * kRestUnit;
    luminance.add(row.luminance, count, row.luminance.value() + unknown);
    contrast.add(row.contrast, count, row.contrast.value() + unknown);
    structure.add(row.structure, count, static_cast<double>(row.structure_size) / (1 << kSizeBits));
  }
  return SimilarityBounds{{luminance.least(), contrast.least(), structure.least()},
                          {luminance.most(), contrast.most(), structure.most()}};
}

}  // namespace vq::ssim::gpu
