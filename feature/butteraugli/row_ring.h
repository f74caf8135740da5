// The latest rows of a plane that is made from top to bottom.
#pragma once

#include "core/plane.h"
#include "feature/butteraugli/stages.h"

namespace vq::butteraugli {

// Rows have the margins of stages.h, zeros at first. Throws std::bad_alloc.
class RowRing {
 public:
  RowRing(int width, int rows) : width_(width), rows_(rows), plane_(width + 2 * kRowMargin, rows) {}

  void restart() { next_ = 0; }
  // Row y, or where it goes. Needs: it is one of the latest, or the next.
  float* row(int y) { return plane_.row(y % rows_) + kRowMargin; }
  const float* row(int y) const { return plane_.row(y % rows_) + kRowMargin; }
  // Calls make(row) until row y is made. It returns how many it made, from that row on.
  template <typename Make>
  void make_until(int y, const Make& make) {
    while (next_ <= y) next_ += make(next_);
  }

  // Sets the margin behind a row, in which vectors left something. The one before it is as it was made.
  void end_row(int y, float value = 0) {
    float* const behind = row(y) + width_;
    for (int i = 0; i < kRowMargin; ++i) behind[i] = value;
  }
  // Sets all rows and margins.
  void fill(float value) {
    for (int y = 0; y < rows_; ++y) {
      float* const first = plane_.row(y);
      for (int x = 0; x < width_ + 2 * kRowMargin; ++x) first[x] = value;
    }
  }
  // Continues the row on both sides by its mirror image, `reach` samples each.
  void mirror_row(int y, int reach) {
    float* const first = row(y);
    for (int i = 0; i < reach; ++i) {
      first[-1 - i] = first[i];
      first[width_ + i] = first[width_ - 1 - i];
    }
  }

  static int64_t bytes(int width, int rows) {
    return int64_t{rows} * (width + 2 * kRowMargin + 64) * static_cast<int64_t>(sizeof(float));
  }

 private:
  int width_, rows_, next_ = 0;
  Plane<float> plane_;
};

}  // namespace vq::butteraugli
