// Where the host sees the images and masks that a device made of a picture.
#pragma once

#include "feature/cambi/stages.h"
#include "feature/cambi/vulkan_passes.h"

namespace vq::cambi::gpu {

class Readback {
 public:
  // Throws Error{kBackend}. The picture must outlive this.
  explicit Readback(const std::shared_ptr<vulkan::Device>& device, const Picture& picture);

  void record(vulkan::Recorder& recorder) const;
  int64_t bytes() const { return buffer_.bytes(); }
  static int64_t bytes(const CambiPlan& plan) { return scale_bytes(plan); }  // without guards

  // Valid after the recording has run. Rows are aligned and guarded as those of a Plane.
  ImageIn image(int scale) const { return view<uint16_t>(images_[static_cast<size_t>(scale)]); }
  MaskIn mask(int scale) const { return view<uint8_t>(masks_[static_cast<size_t>(scale)]); }
  // Whether a luma sample exceeds its depth's maximum.
  bool has_excess() const;

 private:
  struct Place {
    vulkan::PlaneLayout layout;
    int64_t offset = 0;
  };
  template <typename T>
  PlaneView<const T> view(const Place& place) const {
    return {reinterpret_cast<const T*>(buffer_.mapped() + place.offset), place.layout.width,
            place.layout.height,
            static_cast<ptrdiff_t>(place.layout.stride_bytes() / static_cast<int64_t>(sizeof(T)))};
  }

  const Picture& picture_;
  std::array<Place, kScales> images_, masks_;
  int64_t excess_ = 0;
  vulkan::Buffer buffer_;
};

}  // namespace vq::cambi::gpu
