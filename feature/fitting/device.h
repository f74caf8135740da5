// Fitting of pictures in a device's memory; see feature/fitting/fitting.h.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "feature/fitting/fitting.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"
#include "vulkan/recorder.h"

namespace vq::fitting {

// Whether a device (null: one without limits) can fit pictures of this format.
bool can_fit(const vulkan::DeviceInfo* device, const VideoFormat& from, const Fitting& fitting);

// A picture that is made of another on the device.
class FittedPicture {
 public:
  // With the first `planes` planes that the fitted video has. `from` has source_planes() and outlives this.
  // Needs: the device can. Throws Error{kBackend}.
  FittedPicture(vulkan::Context& context, const vulkan::DevicePicture& from, const VideoFormat& format,
                const Fitting& fitting, int planes);

  const vulkan::DevicePicture& picture() const { return picture_; }
  // Records what makes it of the other picture, where that is read now.
  void record(vulkan::Recorder& recorder) const;

  // The start-up check: a small picture is fitted on the device and on the host. Throws Error{kBackend}.
  static void check(vulkan::Context& context, const VideoFormat& format, Fitting fitting, int planes);

 private:
  // The steps of one plane. Planes between them are empty if there is no step behind.
  struct Plane {
    vulkan::DevicePlane mixed, coarse, scaled;
    vulkan::Buffer sums;
    const vulkan::Buffer *across = nullptr, *down = nullptr, *levels = nullptr;
    const vulkan::Pipeline *to_mixed = nullptr, *to_coarse = nullptr, *to_sums = nullptr,
                           *to_scaled = nullptr, *to_levels = nullptr;
  };
  void record(vulkan::Recorder& recorder, int i) const;
  void record_mix(vulkan::Recorder& recorder, int i, const vulkan::DevicePlane& to) const;

  const vulkan::DevicePicture& from_;
  const Steps steps_;
  vulkan::DevicePicture picture_;
  std::array<Plane, kMaxPlanes> planes_;
};

}  // namespace vq::fitting
