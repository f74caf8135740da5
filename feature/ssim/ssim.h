// SSIM and MS-SSIM as the registry lists them.
#pragma once

#include <optional>
#include <string>

#include "feature/feature.h"
#include "feature/ssim/plan.h"
#include "shaders/ssim/shared.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::ssim {

const FeatureInfo& ssim_info();
const FeatureInfo& ms_ssim_info();

// On a Vulkan device, which shrinks both pictures; the host compares the results. The hybrid and the vulkan
// backend are the same. Pictures that are not shrunk are compared on the host alone.
inline constexpr std::string_view kShrinkStage = "shrink", kCompareStage = "compare";

extern const DeviceSupport kDeviceSupport;

// On a Vulkan device, which halves and compares pictures of all scales. It leaves bounds of the sums; if
// these do not settle a frame's values the host computes them from the pictures.
inline constexpr std::string_view kHalveStage = "halve";

extern const DeviceSupport kMsSsimDeviceSupport;

}  // namespace vq::ssim

namespace vq::ssim::gpu {

// SSIM's first stage as a pass on a Vulkan device. The contract is that of feature/ssim/plan.h; the shader
// is shaders/ssim/shrink.comp.

// Shrinks one picture after another, into memory that the host reads.
class ShrinkPass {
 public:
  // `luma`: of samples of that depth, 8..16; `factor`: 2..kMaxShrink, at most its sides. The plane and the
  // context outlive this. Throws Error{kBackend}.
  ShrinkPass(vulkan::Context& context, const vulkan::DevicePlane& luma, int bit_depth, int factor);

  void record(vulkan::Recorder& recorder) const;
  void record_readback(vulkan::Recorder& recorder) const;
  // Valid after both have run. Rows are aligned as those of a Plane, and have its guards behind, but not
  // before them.
  PlaneView<const float> shrunk_picture() const;

 private:
  const vulkan::DevicePlane& luma_;
  const int bit_depth_, factor_;
  const vulkan::Pipeline& pipeline_;
  vulkan::DevicePlane out_;
  vulkan::Buffer readback_;
};

// MS-SSIM's stages as passes on a Vulkan device. The contracts are those of feature/ssim/plan.h, except
// that a comparison does not give its sums but bounds of them; the shaders are shaders/ssim/halve.comp and
// compare.comp.

// A plane of floats, or one of samples of that depth, 8..16.
struct Picture {
  const vulkan::DevicePlane& plane;
  int bit_depth = 8;
};

// How sums in double are made on a device without doubles. Both give the same bits.
enum class Sums {
  kUsual,
  kInDoubles,  // for tests: always by that way which is taken if pairs of floats do not settle a rounding
};

// Halves one picture after another.
class HalvePass {
 public:
  // The plane and the context outlive this. Throws Error{kBackend}. Needs: sides of kLowPassTaps at least.
  HalvePass(vulkan::Context& context, const Picture& picture, Sums sums = Sums::kUsual);

  void record(vulkan::Recorder& recorder) const;
  const vulkan::DevicePlane& halved_picture() const { return out_; }

 private:
  const vulkan::DevicePlane& in_;
  const float unit_;
  const vulkan::Pipeline& pipeline_;
  vulkan::DevicePlane out_;
};

// Between which the sums of a comparison lie. `product` is 0.
struct SimilarityBounds {
  Similarity least, most;
};

// Compares two pictures of one size. Sums of work groups are left in a buffer that may hold those of several
// passes; the host adds them up.
class ComparePass {
 public:
  // The planes and the context outlive this. Throws Error{kBackend}. Needs: sides of kTaps at least.
  ComparePass(vulkan::Context& context, const Picture& a, const Picture& b, Sums sums = Sums::kUsual);

  int64_t sum_bytes() const { return sum_bytes({a_.layout.width, a_.layout.height}); }
  static int64_t sum_bytes(PlaneSize size);
  // Writes sum_bytes() to `sums` from `offset` on, a multiple of the size of a TileSum.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const;
  // From what the pass has written. Nothing if samples are so far beyond their depth that sums fail.
  std::optional<SimilarityBounds> bounds(const std::byte* sums) const;
  // Whether the same bounds of each work group hold what the scalar stage finds for its part of the pictures.
  bool agrees_with_cpu(const std::byte* sums, PlaneView<const float> a, PlaneView<const float> b) const;

 private:
  PlaneSize positions() const { return {a_.layout.width - kTaps + 1, a_.layout.height - kTaps + 1}; }

  const vulkan::DevicePlane &a_, &b_;
  const float unit_a_, unit_b_;
  const vulkan::Groups groups_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace vq::ssim::gpu
