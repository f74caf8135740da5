// SSIMULACRA 2's stages as passes on a Vulkan device. The contracts are those of
// feature/ssimulacra2/ssimulacra2.h; the shaders are shaders/ssimulacra2/*.comp.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "feature/light/device.h"
#include "feature/ssimulacra2/ssimulacra2.h"
#include "vulkan/context.h"

namespace vq::ssimulacra2::gpu {

// Why a device cannot run the shaders, those of light among them; empty if it can.
std::string unsupported_by_stages(const vulkan::DeviceInfo& device);

// One scale of a pair, in device memory.
class Scale {
 public:
  // The scale and the context outlive this. `with_local`: also CompareOutput::local. Throws Error{kBackend}.
  Scale(vulkan::Context& context, const ScalePlan& scale, bool with_local);

  const light::gpu::LightPlanes& first() const { return first_; }
  const light::gpu::LightPlanes& second() const { return second_; }

  // Fills the light from that of the scale before.
  void record_halving(vulkan::Recorder& recorder, const Scale& finer) const;
  void record_comparison(vulkan::Recorder& recorder) const;
  void record_readback(vulkan::Recorder& recorder) const;

  // Valid after all of it has run.
  ScaleTotals totals() const;
  // Rows without guards. Needs: `with_local`.
  PlaneView<const float> local() const;
  int64_t bytes_read() const;

 private:
  void record_channel(vulkan::Recorder& recorder, size_t channel, int first_sum, bool is_first) const;

  vulkan::Context& context_;
  const ScalePlan& scale_;
  const light::gpu::LightLayout layout_;
  const bool with_local_;
  light::gpu::LightPlanes first_, second_;
  vulkan::Buffer sums_, sums_readback_;
  vulkan::Buffer local_, local_readback_;
};

}  // namespace vq::ssimulacra2::gpu
