#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "feature/cambi/prepare.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "feature/cambi/mask-inl.h"
#include "feature/cambi/mode_filter-inl.h"
#include "feature/cambi/preprocess-inl.h"
#include "feature/cambi/stages.h"
#include "feature/simd_targets.h"

#if HWY_ONCE
namespace vq::cambi::scalar {

bool prepare(const SampleView& luma, const CambiPlan& plan, Scratch& scratch, Image image, Mask mask) {
  if (!preprocess(luma, plan, image)) return false;
  spatial_mask(image, plan.mask_threshold, scratch, mask);
  if (!plan.halve_first) mode_filter(image, scratch);
  return true;
}

}  // namespace vq::cambi::scalar
#endif  // HWY_ONCE

HWY_BEFORE_NAMESPACE();
namespace vq::cambi {
namespace HWY_NAMESPACE {
#if HWY_TARGET == HWY_SCALAR
using scalar::prepare;
#else

// All stages at once, row after row: each finds in cache what the one before has just written.
template <typename T>
bool prepare_samples(PlaneView<const T> luma, const CambiPlan& plan, Scratch& scratch, Image image,
                     Mask mask) {
  RowPreprocessor<T> preprocessor(luma, plan, image);
  RowMasker masker(image, plan.mask_threshold, scratch, mask);
  RowModeFilter filter(image, scratch);
  if (!preprocessor.skips_no_excess()) return false;
  while (preprocessor.finished() < image.height) {
    if (!preprocessor.advance()) return false;
    masker.advance(preprocessor.finished());
    if (!plan.halve_first) filter.advance(preprocessor.finished(), masker.released());
  }
  return true;
}

bool prepare(const SampleView& luma, const CambiPlan& plan, Scratch& scratch, Image image, Mask mask) {
  return luma.is_u8() ? prepare_samples(luma.u8, plan, scratch, image, mask)
                      : prepare_samples(luma.u16, plan, scratch, image, mask);
}

#endif  // HWY_SCALAR
}  // namespace HWY_NAMESPACE
}  // namespace vq::cambi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
VQ_STAGE(vq::cambi, prepare)
#endif  // HWY_ONCE
