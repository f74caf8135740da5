#include <algorithm>

#include "feature/cambi_stages.h"

namespace vq::cambi::scalar {
namespace {

// For every level and every column x, how many masked samples of that level the window around (x, current
// row) holds: a histogram that slides down the picture. A sample that enters or leaves counts in the window's
// width of columns.
class WindowCounts {
 public:
  WindowCounts(std::vector<uint16_t>& counts, int width, const CambiPlan& plan)
      : counts_(counts.data()), width_(width), reach_(plan.half_window), offset_(plan.num_contrasts) {
    const size_t rows = static_cast<size_t>(kMaxLevel + 1 + 2 * offset_);
    std::fill_n(counts_, rows * static_cast<size_t>(width_), uint16_t{0});
  }

  // Counts of levels -num_contrasts..kMaxLevel + num_contrasts; those outside the picture's levels stay zero.
  uint16_t* row(int level) { return counts_ + static_cast<ptrdiff_t>(level + offset_) * width_; }

  void add(const uint16_t* samples, const uint8_t* mask, int change) {
    for (int x = 0; x < width_; ++x) {
      if (!mask[x]) continue;
      uint16_t* counts = row(samples[x]);
      const int first = std::max(x - reach_, 0), last = std::min(x + reach_, width_ - 1);
      for (int k = first; k <= last; ++k) counts[k] = static_cast<uint16_t>(counts[k] + change);
    }
  }

 private:
  uint16_t* counts_;
  int width_, reach_, offset_;
};

float c_value(WindowCounts& counts, int level, int x, const CambiPlan& plan) {
  float best = 0;
  const int64_t own = counts.row(level)[x];
  for (int d = 1; d <= plan.num_contrasts; ++d) {
    const Contrast& contrast = plan.contrasts[static_cast<size_t>(d - 1)];
    if (level < contrast.first_level || level > contrast.last_level) continue;
    const int64_t other = std::max(counts.row(level + d)[x], counts.row(level - d)[x]);
    const float value = static_cast<float>(contrast.weight * own * other) *
                        plan.reciprocals[static_cast<size_t>(own + other)];
    best = std::max(best, value);
  }
  return best;
}

}  // namespace

void c_values(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, CValues values) {
  WindowCounts counts(scratch.window_counts, image.width, plan);
  const int reach = plan.half_window;
  for (int y = 0; y < std::min(reach, image.height); ++y) counts.add(image.row(y), mask.row(y), 1);
  for (int y = 0; y < image.height; ++y) {
    if (y + reach < image.height) counts.add(image.row(y + reach), mask.row(y + reach), 1);
    if (y - reach > 0) counts.add(image.row(y - reach - 1), mask.row(y - reach - 1), -1);
    for (int x = 0; x < image.width; ++x) {
      values.row(y)[x] = mask.row(y)[x] ? c_value(counts, image.row(y)[x], x, plan) : 0.0F;
    }
  }
}

}  // namespace vq::cambi::scalar
