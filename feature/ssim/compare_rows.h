// The row order of comparisons, for the implementations in compare.cpp: rows are filtered once, and the
// window moves down over the rows filtered last.
#pragma once

#include "feature/ssim/stages.h"

namespace vq::ssim {

// What the window is applied to: a, b and their products.
enum Quantity { kA, kB, kSquareA, kSquareB, kProduct, kQuantities };

// Row y of a quantity after the window was applied along it; there are those of the last kTaps rows.
inline float* filtered_row(Scratch& scratch, Quantity quantity, int y) {
  return scratch.floats.row(y % kTaps * kQuantities + quantity);
}
// A product of rows before the window is applied.
inline float* product_row(Scratch& scratch, Quantity quantity) {
  return scratch.floats.row(kTaps * kQuantities + quantity - kSquareA);
}
static_assert(Scratch::kFloatRows == kTaps * kQuantities + (kQuantities - kSquareA));

// What is found at the positions of a row: luminance, contrast, structure, and their product.
enum Part { kLuminance, kContrast, kStructure, kPartProduct, kParts };
static_assert(Scratch::kDoubleRows == kParts);

struct Constants {
  float c1 = (0.01F * 255.0F) * (0.01F * 255.0F);
  float c2 = (0.03F * 255.0F) * (0.03F * 255.0F);
  float c3 = c2 / 2;
};

// Calls filter_rows(a, b, y) with both rows for every y, and for the last of each kTaps rows compare_row(y,
// count), which leaves `count` values of each part in the scratch rows of doubles.
template <typename FilterRows, typename CompareRow>
Similarity compare_rows(PlaneView<const float> a, PlaneView<const float> b, Scratch& scratch,
                        const FilterRows& filter_rows, const CompareRow& compare_row) {
  HWY_DASSERT(same_size(a, b) && kTaps <= a.width && kTaps <= a.height && a.width <= scratch.width());
  const int count = a.width - kTaps + 1;
  Similarity sums;
  for (int y = 0; y < a.height; ++y) {
    filter_rows(a.row(y), b.row(y), y);
    if (y + 1 < kTaps) continue;
    compare_row(y, count);
    const double* const luminance = scratch.doubles.row(kLuminance);
    const double* const contrast = scratch.doubles.row(kContrast);
    const double* const structure = scratch.doubles.row(kStructure);
    const double* const product = scratch.doubles.row(kPartProduct);
    for (int x = 0; x < count; ++x) {
      sums.luminance += luminance[x];
      sums.contrast += contrast[x];
      sums.structure += structure[x];
      sums.product += product[x];
    }
  }
  return sums;
}

}  // namespace vq::ssim
