// PSNR-HVS-M as libvmaf's feature psnr_hvs, as the registry lists it. It has no options.
#pragma once

#include "feature/metric_type.h"
#include "feature/ordered_sum.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::psnr_hvs {

const FeatureInfo& feature_info();

// The device does all of it.
inline constexpr std::string_view kTermsStage = "terms", kSumStage = "sum";

extern const DeviceSupport kDeviceSupport;

// The plan for two videos, and the scores from the planes' errors.

inline constexpr int kBlockSide = 8;
inline constexpr int kBlockSamples = kBlockSide * kBlockSide;

// For one plane, row by row: [vertical frequency * 8 + horizontal frequency].
struct Weights {
  float contrast[kBlockSamples] = {};  // sensitivity to contrast
  float masking[kBlockSamples] = {};   // how much the frequency hides errors in others
};

// `plane`: Y, Cb or Cr as 0, 1 or 2.
Weights weights_of(int plane);

// Distance between the starts of blocks, in both directions.
inline constexpr int kBlockStep = 7;
// Blocks along a side: as many as fit whole.
inline int blocks_along(int side) { return side < kBlockSide ? 0 : (side - kBlockSide) / kBlockStep + 1; }

struct PsnrHvsPlan : ComparedVideos {
  std::array<PlaneSize, kMaxPlanes> sizes = {};
  std::array<Weights, kMaxPlanes> weights = {};
};

struct PsnrHvs {
  using Options = NoOptions;
  using Plan = PsnrHvsPlan;
  // Throws Error: kUsage without a reference, kMismatch for videos that differ in size or sampling, have no
  // chroma, a plane under 8 samples in a direction, or more than 12 bits.
  static Plan make_plan(const Options&, const VideoFormats& formats);
  // Each plane, and all together.
  static std::vector<std::string> names(const Options&) {
    return {"psnr_hvs_y", "psnr_hvs_cb", "psnr_hvs_cr", "psnr_hvs"};
  }
  static int planes(const Options&) { return kMaxPlanes; }
};

// The reported values, from the sum of errors of each plane.
std::vector<double> scores(const PsnrHvsPlan& plan, const std::array<float, kMaxPlanes>& sums);

// The stage of PSNR-HVS: the sum of the visible errors of all blocks of a plane. It never throws and never
// allocates.

// From sums of squares about a mean to the variances of the samples of a block and of a quarter, times their
// number.
inline constexpr float kBlockVariance = 1.0F / 63 * 64, kQuarterVariance = 1.0F / 15 * 16;

// Scratch memory for rows of both planes: 8-row bands of words. Throws std::bad_alloc.
class Bands {
 public:
  explicit Bands(int width);
  PlaneView<int32_t> of(int picture) { return bands_[picture].view(); }  // 0 or 1

 private:
  Plane<int32_t> bands_[2];
};

namespace scalar {
// For each block, computes its transform and the error that its detail masks, which grows with the variance
// within its quarters relative to that of the whole block; the larger of both pictures counts. The part of
// the difference in each frequency above the masked error is weighted, squared and added to the sum: one
// float, over block rows from the top, blocks from the left and coefficients row by row. Everything is float,
// each operation rounded in the order of the scalar version, except the transform, which is in integers;
// every implementation gives the same bits, and so does exchanging the planes. Needs: planes of one size with
// at least one block, and bands made for their width.
float error_sum(const Samples& a, const Samples& b, const Weights& weights, Bands& bands);
}  // namespace scalar
VQ_STAGES(error_sum);

// The integer transform of a block, in place: [8 * vertical + horizontal frequency]. Samples are of 12 bits
// at most.
void transform(int32_t* block);

}  // namespace vq::psnr_hvs

namespace vq::psnr_hvs::gpu {

// The sum of the visible errors of a plane.
class ErrorSumPass {
 public:
  // Needs: planes of one size with at least one block.
  ErrorSumPass(vulkan::Context& context, const Operand& a, const Operand& b, const Weights& weights);

  // Needs: 0 <= slice < sum().slices(), in order. Passes of several planes run side by side if their slices
  // are recorded in turn.
  void record_terms(vulkan::Recorder& recorder, int slice) const;
  const OrderedSum& sum() const { return sum_; }
  float error_sum() const { return sum_.sum<float>(); }

 private:
  const vulkan::DevicePlane &a_, &b_;
  const int blocks_across_, blocks_;
  const vulkan::Pipeline& terms_pipeline_;
  const vulkan::Buffer& weights_;
  OrderedSum sum_;
};

// Records all passes, as stages of a run.
void record(vulkan::Recorder& recorder, const std::vector<ErrorSumPass>& passes);

}  // namespace vq::psnr_hvs::gpu
