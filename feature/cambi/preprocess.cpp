#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi/preprocess.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/cambi/preprocess-inl.h"
#include "feature/cambi/stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi {
namespace scalar {
namespace {

template <typename T>
bool within_depth(PlaneView<const T> luma, int depth) {
  if (depth == static_cast<int>(8 * sizeof(T))) return true;
  unsigned seen = 0;
  for (int y = 0; y < luma.height; ++y) {
    for (int x = 0; x < luma.width; ++x) seen |= luma.row(y)[x];
  }
  return seen >> depth == 0;
}

int to_10_bits(int sample, int depth) {
  if (depth < 10) return sample << (10 - depth);
  if (depth == 10) return sample;
  return (sample + (1 << (depth - 11))) >> (depth - 10);
}

template <typename T>
void convert_row(const T* in, const CambiPlan& plan, uint16_t* out) {
  for (int x = 0; x < plan.width; ++x) {
    const int column = plan.resizes() ? plan.source_columns[static_cast<size_t>(x)] : x;
    out[x] = static_cast<uint16_t>(to_10_bits(in[column], plan.input_depth));
  }
}

// In place: a sample is only read by itself and by its neighbours to the left and above, which come first.
void anti_dither(Image image) {
  const int last_column = image.width - 1, last_row = image.height - 1;
  for (int y = 0; y < last_row; ++y) {
    uint16_t* row = image.row(y);
    const uint16_t* below = image.row(y + 1);
    for (int x = 0; x < last_column; ++x) {
      row[x] = static_cast<uint16_t>((row[x] + row[x + 1] + below[x] + below[x + 1]) >> 2);
    }
    row[last_column] = static_cast<uint16_t>((row[last_column] + below[last_column]) >> 1);
  }
  uint16_t* row = image.row(last_row);
  for (int x = 0; x < last_column; ++x) row[x] = static_cast<uint16_t>((row[x] + row[x + 1]) >> 1);
}

template <typename T>
bool preprocess_samples(PlaneView<const T> luma, const CambiPlan& plan, Image image) {
  HWY_DASSERT(are_of_plan(luma, image, plan));
  if (!within_depth(luma, plan.input_depth)) return false;
  for (int y = 0; y < image.height; ++y) {
    const int source = plan.resizes() ? plan.source_rows[static_cast<size_t>(y)] : y;
    convert_row(luma.row(source), plan, image.row(y));
  }
  if (plan.anti_dither) anti_dither(image);
  return true;
}

}  // namespace

bool preprocess(const SampleView& luma, const CambiPlan& plan, Image image) {
  return luma.is_u8() ? preprocess_samples(luma.u8, plan, image) : preprocess_samples(luma.u16, plan, image);
}

}  // namespace scalar

}  // namespace vq::cambi
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::preprocess;
#else

template <typename T>
bool preprocess_samples(PlaneView<const T> luma, const CambiPlan& plan, Image image) {
  RowPreprocessor<T> rows(luma, plan, image);
  if (!rows.skips_no_excess()) return false;
  while (rows.finished() < image.height) {
    if (!rows.advance()) return false;
  }
  return true;
}

bool preprocess(const SampleView& luma, const CambiPlan& plan, Image image) {
  return luma.is_u8() ? preprocess_samples(luma.u8, plan, image) : preprocess_samples(luma.u16, plan, image);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::cambi, preprocess)
#endif  // HWY_ONCE
