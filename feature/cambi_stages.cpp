#include "feature/cambi_stages.h"

namespace vq::cambi {

namespace {

size_t window_count_cells(int width, int num_contrasts) {
  return static_cast<size_t>(kMaxLevel + 1 + 2 * num_contrasts) * static_cast<size_t>(width);
}

constexpr size_t kHistogramSize = 1 << 16;

}  // namespace

Scratch::Scratch(int width, int num_contrasts)
    : rows(3, std::vector<uint16_t>(static_cast<size_t>(width))),
      column_sums(static_cast<size_t>(width)),
      window_counts(window_count_cells(width, num_contrasts)),
      histogram(kHistogramSize) {}

int64_t Scratch::bytes(int width, int num_contrasts) {
  return static_cast<int64_t>(width) * (3 * sizeof(uint16_t) + sizeof(uint32_t)) +
         static_cast<int64_t>(window_count_cells(width, num_contrasts) * sizeof(uint16_t) +
                              kHistogramSize * sizeof(uint32_t));
}

const CambiStages& scalar_stages() {
  static constexpr CambiStages kStages = {
      .preprocess = scalar::preprocess,
      .derivative = scalar::derivative,
      .mask = scalar::mask,
      .decimate_image = scalar::decimate_image,
      .decimate_mask = scalar::decimate_mask,
      .mode_filter = scalar::mode_filter,
      .c_values = scalar::c_values,
      .pool = scalar::pool,
      .heatmap = scalar::heatmap,
  };
  return kStages;
}

}  // namespace vq::cambi
