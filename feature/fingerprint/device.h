// The fingerprint's stage as a pass on a Vulkan device, by the contract of feature/fingerprint/fingerprint.h.
// The shader is shaders/fingerprint/plane_sums.comp.
#pragma once

#include <cstdint>
#include <string>

#include "feature/fingerprint/fingerprint.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::fingerprint::gpu {

// Why a device cannot run the shader; empty if it can.
std::string unsupported_by_stage(const vulkan::DeviceInfo& device);

// Sums up the words of a plane, as often as there are frames. Sums of work groups are left in a buffer that
// may hold those of several passes; the host adds them up.
class PlaneSumsPass {
 public:
  // `number`: 0..kMaxPlanes - 1. The plane and the context outlive this. Throws Error{kBackend}.
  PlaneSumsPass(vulkan::Context& context, const vulkan::DevicePlane& plane, int number);

  int64_t sum_bytes() const;
  // Writes sum_bytes() to `sums` from `offset` on, a multiple of 16.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& sums, int64_t offset) const;
  // The sums of the plane, from sum_bytes() that the pass has written.
  LaneSums plane_sums(const std::byte* sums) const;

 private:
  int64_t group_count() const { return int64_t{groups_.x} * groups_.y; }

  const vulkan::DevicePlane& plane_;
  const int number_;
  const int words_;  // of a row
  const vulkan::Groups groups_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace vq::fingerprint::gpu
