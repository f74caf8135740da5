#include <algorithm>

#include "feature/histogram/stages.h"

namespace vq::histogram {
namespace {

// The luminance of BT.709 in units of 1/10000.
constexpr uint32_t kRedWeight = 2126, kGreenWeight = 7152, kBlueWeight = 722, kWeights = 10000;

uint32_t rounded(int32_t sum, int32_t peak) {
  return static_cast<uint32_t>(std::clamp((sum + (1 << (kFractionBits - 1))) >> kFractionBits, 0, peak));
}

std::array<uint32_t, kMaxChannels> to_rgb(const RgbConstants& k,
                                          const std::array<int32_t, kMaxPlanes>& ycbcr) {
  const int32_t luma = k.luma_scale * (ycbcr[0] - k.luma_offset);
  const int32_t cb = ycbcr[1] - k.chroma_offset, cr = ycbcr[2] - k.chroma_offset;
  const uint32_t r = rounded(luma + k.cr_to_r * cr, k.peak);
  const uint32_t g = rounded(luma + k.cb_to_g * cb + k.cr_to_g * cr, k.peak);
  const uint32_t b = rounded(luma + k.cb_to_b * cb, k.peak);
  return {r, g, b, (kRedWeight * r + kGreenWeight * g + kBlueWeight * b) / kWeights};
}

void count(uint32_t value, const BinRule& rule, ChannelCounts& counts) {
  ++counts.bins[bin_of(rule, value)];
  counts.min = std::min(counts.min, value);
  counts.max = std::max(counts.max, value);
}

template <typename T>
void count_samples(const std::array<PlaneView<const T>, kMaxPlanes>& planes, const RgbRule& rule,
                   RgbCounts& counts) {
  const auto& [luma, cb, cr] = planes;
  for (int y = 0; y < luma.height; ++y) {
    const T* const luma_row = luma.row(y);
    const T* const cb_row = cb.row(y >> rule.shifts.y);
    const T* const cr_row = cr.row(y >> rule.shifts.y);
    for (int x = 0; x < luma.width; ++x) {
      const int chroma_x = x >> rule.shifts.x;
      const auto rgb = to_rgb(rule.constants, {luma_row[x], cb_row[chroma_x], cr_row[chroma_x]});
      for (size_t i = 0; i < counts.size(); ++i) count(rgb[i], rule.bins, counts[i]);
    }
  }
}

}  // namespace

void scalar::count_rgb(const YcbcrPlanes& planes, const RgbRule& rule, RgbCounts& counts) {
  const auto& [luma, cb, cr] = planes;
  if (luma.is_u8()) {
    count_samples<uint8_t>({luma.u8, cb.u8, cr.u8}, rule, counts);
  } else {
    count_samples<uint16_t>({luma.u16, cb.u16, cr.u16}, rule, counts);
  }
}

CountRgb simd::count_rgb_for(int64_t) {
  return scalar::count_rgb;
}

}  // namespace vq::histogram
