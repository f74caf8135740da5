#include "feature/psnr_hvs/psnr_hvs.h"

namespace vq::psnr_hvs {
namespace {

// So that the blocks of whole vectors lie within: those behind the last one are of zeros, or of what was
// there before.
constexpr int kSpareBlocks = static_cast<int>(kRowGuardBytes / sizeof(int32_t));

int band_width(int width) {
  return width + kSpareBlocks * kBlockStep + kBlockSide;
}

}  // namespace

Bands::Bands(int width) {
  for (Plane<int32_t>& band : bands_) band = Plane<int32_t>(band_width(width), kBlockSide);
}

int64_t Bands::bytes(int width) {
  constexpr int64_t kGuards = 2 * static_cast<int64_t>(kRowGuardBytes);
  return 2 * (kBlockSide + 1) *
         (int64_t{band_width(width)} * static_cast<int64_t>(sizeof(int32_t)) + kGuards);
}

}  // namespace vq::psnr_hvs
