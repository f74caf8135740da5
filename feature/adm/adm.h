// ADM as the registry lists it.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/plane.h"
#include "feature/adm/plan.h"
#include "feature/feature.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::adm {

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device does all that is done for samples
// and rows, the host adds up a few hundred sums and makes scores of them.
extern const DeviceSupport kDeviceSupport;

// The order of ADM's stages over a frame. Rows of all scales are made as soon as there are enough of the next
// finer one, so that no scale is ever in memory as a whole.

// The rows of one scale that are in use. Throws std::bad_alloc.
class ScaleRows {
 public:
  explicit ScaleRows(const ScalePlan& plan);

  enum Video { kReference, kDistorted };
  enum Part { kRestored, kAdded };

  // Row `i` of band a of the next finer scale; the last four are kept. Not of the finest.
  int32_t* input(Video video, int i) { return inputs_.row(video * kInputs + i % kInputs); }
  // The last row of detail.
  PerBand<int32_t*> detail(Video video);
  // Row `i` of a part; the last three are kept.
  PartRow part(Part part, int i);
  // For one use at a time.
  FilteredRows<int16_t> filtered_fine() { return {filtered_fine_.row(0), filtered_fine_.row(1)}; }
  FilteredRows<int32_t> filtered_coarse() { return {filtered_coarse_.row(0), filtered_coarse_.row(1)}; }

 private:
  static constexpr int kInputs = 4, kParts = 3, kPartRows = static_cast<int>(kBands) + 2;

  Plane<int32_t> inputs_, details_, parts_;
  Plane<int16_t> filtered_fine_;
  Plane<int32_t> filtered_coarse_;
};

// Scratch memory for one frame at a time.
struct Workspace {
  explicit Workspace(const AdmPlan& plan);

  std::vector<ScaleRows> scales;
};

// Sums over a frame. Needs: pictures and a workspace that fit the plan.
FrameSums sum_frame(const Samples& reference, const Samples& distorted, const AdmPlan& plan,
                    const Stages& stages, Workspace& workspace);

}  // namespace vq::adm

namespace vq::adm::gpu {

// ADM's stages as passes on a Vulkan device. The layout of buffers is in shaders/adm/shared.h, what
// is computed in feature/adm/plan.h.

// Whether the scale is summed.
bool is_summed(const AdmPlan& plan, int scale);

// Bytes of a scale's buffers. Detail and sums that are not needed still have one word.
int64_t band_bytes(const ScalePlan& plan);
int64_t detail_bytes(const ScalePlan& plan, bool is_summed);
int64_t sum_bytes(const ScalePlan& plan, bool is_summed);
// One word for each work group of the finest scale's wavelet.
int64_t flag_bytes(const AdmPlan& plan);

// The word of a coefficient in a scale's detail. At the finest scale both videos share it, the distorted one
// in its upper half, and `is_distorted` has no effect. Needs: masking row and column.
struct DetailPlace {
  bool is_distorted = false;
  size_t band = 0;
  int row = 0, column = 0;
};
int64_t detail_word(const ScalePlan& plan, const DetailPlace& place);

// The luma of a video on the device; samples are shifted left to the depth they are compared at.
struct Operand {
  const vulkan::DevicePlane& plane;
  int shift = 0, bit_depth = 8;
};

// The finest scale's bands of both videos.
class FineWaveletPass {
 public:
  // The planes and the context outlive this, as they do all passes; so does the plan. Throws Error{kBackend},
  // as all do.
  FineWaveletPass(vulkan::Context& context, const AdmPlan& plan, const Operand& reference,
                  const Operand& distorted);
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& band, const vulkan::Buffer& detail,
              const vulkan::Buffer& flags) const;

 private:
  const AdmPlan& plan_;
  const vulkan::DevicePlane &reference_, &distorted_;
  const vulkan::Pipeline& pipeline_;
};

// A coarser scale's bands of both videos, from band a of the next finer one.
class CoarseWaveletPass {
 public:
  CoarseWaveletPass(vulkan::Context& context, const AdmPlan& plan, int scale);
  // `band` is left alone at the last scale.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& input, const vulkan::Buffer& band,
              const vulkan::Buffer& detail) const;

 private:
  const ScalePlan& plan_;
  const vulkan::Pipeline& pipeline_;
};

// fine_decouple and fine_weigh, or coarse_decouple and coarse_weigh, then reference_cubes and masked_cubes:
// the sums of a scale's rows, each in as many parts as there are strips of columns.
class CubesPass {
 public:
  CubesPass(vulkan::Context& context, const AdmPlan& plan, int scale);
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& detail, const vulkan::Buffer& sums) const;

 private:
  const ScalePlan& plan_;
  const vulkan::Pipeline& pipeline_;
};

// From sums of rows to sums of dozens of them, which the host adds up.
class AddRowsPass {
 public:
  AddRowsPass(vulkan::Context& context, const AdmPlan& plan);
  int64_t result_bytes() const;
  void record(vulkan::Recorder& recorder, const std::array<vulkan::Buffer, kScales>& sums,
              const vulkan::Buffer& flags, const vulkan::Buffer& results) const;

  // From result_bytes() that the pass has written.
  FrameSums sums(const std::byte* results) const;
  // Whether a sample of either video is beyond its depth.
  bool has_samples_beyond(const std::byte* results) const;

 private:
  const AdmPlan& plan_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace vq::adm::gpu
