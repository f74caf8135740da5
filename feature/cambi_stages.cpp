#include "feature/cambi_stages.h"

#include <algorithm>

namespace vq::cambi {
namespace {

// Rows of runs: one for each of the window's, and the one that leaves it.
constexpr int kRunRows = kMaxWindow + 1;
// A strip and half a window on either side, a run for each sample, and the end.
constexpr int kMaxRuns = kStripColumns + kMaxWindow + 1;

int level_rows(int num_contrasts) {
  return kMaxLevel + 1 + 2 * num_contrasts;
}

template <typename T>
int64_t plane_bytes(int width, int height) {
  constexpr int64_t kAlign = static_cast<int64_t>(kRowGuardBytes);
  const int64_t row =
      (static_cast<int64_t>(width) * static_cast<int64_t>(sizeof(T)) + 2 * kAlign - 1) / kAlign;
  return row * kAlign * height + 2 * kAlign;
}

}  // namespace

std::vector<Strip> strips_of(int width) {
  constexpr int kStep = 64;  // so that all but the last strip are whole vectors
  const int count = (width + kStripColumns - 1) / kStripColumns;
  const int each = ((width + count - 1) / count + kStep - 1) / kStep * kStep;
  std::vector<Strip> strips;
  for (int x = 0; x < width; x += each) strips.push_back({x, std::min(each, width - x)});
  return strips;
}

Scratch::Scratch(int width, int num_contrasts)
    : rows(width, 3),
      flat_rows(width, kMaskBox + 1),
      column_sums(width, 1),
      window_counts(kStripColumns, level_rows(num_contrasts)),
      row_counts(kStripColumns, 1 + kContrastGroup),
      level_counts(static_cast<size_t>(level_rows(num_contrasts))),
      level_contrasts(kMaxLevel + 1),
      runs(kMaxRuns, kRunRows),
      tile(kStripColumns, kTileRows) {}

int64_t Scratch::bytes(int width, int num_contrasts) {
  return plane_bytes<uint16_t>(width, 3) + plane_bytes<uint8_t>(width, kMaskBox + 2) +
         plane_bytes<uint16_t>(kStripColumns, level_rows(num_contrasts) + 1 + kContrastGroup) +
         (level_rows(num_contrasts) + kMaxLevel + 1) * static_cast<int64_t>(sizeof(int32_t)) +
         plane_bytes<uint32_t>(kMaxRuns, kRunRows) + plane_bytes<float>(kStripColumns, kTileRows);
}

const CambiStages& scalar_stages() {
  static constexpr CambiStages kStages = {
      .preprocess = scalar::preprocess,
      .spatial_mask = scalar::spatial_mask,
      .decimate_image = scalar::decimate_image,
      .decimate_mask = scalar::decimate_mask,
      .mode_filter = scalar::mode_filter,
      .c_values = scalar::c_values,
      .pool = scalar::pool,
      .heatmap = scalar::heatmap,
  };
  return kStages;
}

CambiStages simd_stages(int64_t target) {
  return {
      .preprocess = simd::preprocess_for(target),
      .spatial_mask = simd::spatial_mask_for(target),
      .decimate_image = simd::decimate_image_for(target),
      .decimate_mask = simd::decimate_mask_for(target),
      .mode_filter = simd::mode_filter_for(target),
      .c_values = simd::c_values_for(target),
      .pool = simd::pool_for(target),
      .heatmap = simd::heatmap_for(target),
  };
}

}  // namespace vq::cambi
