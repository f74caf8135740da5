// PSNR-HVS's stage as passes on a Vulkan device. The contract is that of feature/psnr_hvs/psnr_hvs.h; the
// shaders are in shaders/psnr_hvs/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "feature/psnr_hvs/psnr_hvs.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::psnr_hvs::gpu {

// Why a device cannot run the shaders; empty if it can.
std::string unsupported_by_stage(const vulkan::DeviceInfo& device);

// A plane, and how far its samples are shifted left to the depth they are compared at, 0..4.
struct Operand {
  const vulkan::DevicePlane& plane;
  int shift = 0;
};

// The sum of the visible errors of a plane, as often as there are frames.
class ErrorSumPass {
 public:
  // The planes and the context outlive this. Throws Error{kBackend}. Needs: planes of one size with at least
  // one block.
  ErrorSumPass(vulkan::Context& context, const Operand& a, const Operand& b, const Weights& weights);

  // The terms of a plane are added up in slices, so that their memory has a bound; a slice overwrites the one
  // before. Passes of several planes run side by side where their slices are recorded in turn.
  int slices() const { return (chunks_ - 1) / chunks_each_ + 1; }
  // Needs: 0 <= slice < slices(), in order.
  void record_terms(vulkan::Recorder& recorder, int slice) const;
  void record_steps(vulkan::Recorder& recorder, int slice) const;
  void record_sum(vulkan::Recorder& recorder, int slice) const;
  void record_readback(vulkan::Recorder& recorder) const;

  // Valid after what was recorded has run.
  float error_sum() const;
  int64_t bytes_read() const { return readback_.bytes(); }

 private:
  int chunks_of(int slice) const;

  const vulkan::DevicePlane &a_, &b_;
  const int blocks_across_, blocks_;
  const int chunks_, chunks_each_;
  const vulkan::Pipeline &terms_pipeline_, &steps_pipeline_, &sum_pipeline_;
  const vulkan::Buffer& weights_;
  vulkan::Buffer terms_, chunk_sums_, steps_, total_, readback_;
};

// Records all passes, as stages of a run.
void record(vulkan::Recorder& recorder, const std::vector<ErrorSumPass>& passes);

}  // namespace vq::psnr_hvs::gpu
