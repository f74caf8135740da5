#include "feature/cambi/stages.h"

#include "feature/simd_targets.h"

#include <algorithm>

namespace vq::cambi {
namespace {

int reached_columns(int width) {
  return std::min(width, kMaxReach);
}

// Two bits for each column: see Scratch::level_bits.
int level_words(int width) {
  return 2 * ((reached_columns(width) + 63) / 64);
}

int strip_columns(int width) {
  return std::min(width, kStripColumns);
}

// A run's trapezoid is a window longer than the run, and is read from the run's length before its origin on.
constexpr int kEdgeColumns = 2 * kEdgeOrigin + kMaxWindow;

int level_count(int num_contrasts) {
  return kMaxLevel + 1 + 2 * num_contrasts;
}

// With room for the vector that begins in the last column of the last row.
size_t window_cells(int width, int num_contrasts) {
  return static_cast<size_t>(window_counts_stride(strip_columns(width))) *
         static_cast<size_t>(level_count(num_contrasts) + 1);
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

ptrdiff_t window_counts_stride(int width) {
  // Room for two vectors behind the last column, and rows of neighbouring levels that do not compete for the
  // same cache lines: an odd number of lines apart.
  constexpr int kLine = static_cast<int>(kRowGuardBytes / sizeof(uint16_t));
  return (((width + kLine - 1) / kLine + 1) | 1) * kLine;
}

Scratch::Scratch(int width, int num_contrasts)
    : rows(width, 3),
      flat_rows(width, kMaskBox + 1),
      column_sums(width, 1),
      window_counts(hwy::AllocateAligned<uint16_t>(window_cells(width, num_contrasts))),
      row_counts(strip_columns(width), 1 + num_contrasts),
      edge(kEdgeColumns, 1),
      level_counts(static_cast<size_t>(level_count(num_contrasts))),
      level_contrasts(kMaxLevel + 1),
      contrasts_in_use(kMaxLevel + 1),
      level_rows(reached_columns(width), kLevelRows),
      level_bits(level_words(width), kLevelRows + 1),
      tile(strip_columns(width), kTileRows) {
  if (!window_counts) throw std::bad_alloc();
}

int64_t Scratch::bytes(int width, int num_contrasts) {
  return plane_bytes<uint16_t>(width, 3) + plane_bytes<uint8_t>(width, kMaskBox + 2) +
         static_cast<int64_t>(window_cells(width, num_contrasts) * sizeof(uint16_t)) +
         plane_bytes<uint16_t>(strip_columns(width), 1 + num_contrasts) +
         plane_bytes<uint16_t>(kEdgeColumns, 1) +
         (level_count(num_contrasts) + 2 * (kMaxLevel + 1)) * static_cast<int64_t>(sizeof(int32_t)) +
         plane_bytes<uint16_t>(reached_columns(width), kLevelRows) +
         plane_bytes<uint64_t>(level_words(width), kLevelRows + 1) +
         plane_bytes<float>(strip_columns(width), kTileRows);
}

bool Scratch::fits(int picture_width, const CambiPlan& plan) const {
  return strip_columns(picture_width) <= tile.width() && 1 + plan.num_contrasts <= row_counts.height() &&
         plan.window % 2 == 1 && plan.window <= kMaxWindow && plan.half_window == plan.window >> 1;
}

const CambiStages& scalar_stages() {
  static constexpr CambiStages kStages = {
      .preprocess = scalar::preprocess,
      .spatial_mask = scalar::spatial_mask,
      .prepare = scalar::prepare,
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
      .prepare = simd::prepare_for(target),
      .decimate_image = simd::decimate_image_for(target),
      .decimate_mask = simd::decimate_mask_for(target),
      .mode_filter = simd::mode_filter_for(target),
      .c_values = simd::c_values_for(target),
      .pool = simd::pool_for(target),
      .heatmap = simd::heatmap_for(target),
  };
}

}  // namespace vq::cambi
