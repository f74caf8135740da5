// The stages of CAMBI as passes on a Vulkan device, and the order in which a picture takes them. The
// contracts are those of feature/cambi/stages.h; the shaders are shaders/cambi/<stage>.comp.
#pragma once

#include <array>
#include <string>

#include "feature/cambi/plan.h"
#include "feature/cambi/stages.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::cambi::gpu {

// Why a device cannot run the shaders of the per-pixel stages; empty if it can.
std::string unsupported_by_stages(const vulkan::DeviceInfo& device);

// Additional buffers of preprocessing: the plan's source columns, then its source rows, and a word that is
// set if a luma sample exceeds its depth's maximum.
struct PreprocessBuffers {
  PreprocessBuffers(vulkan::Context& context, const CambiPlan& plan);
  const vulkan::Buffer* table = nullptr;  // if the plan resizes
  vulkan::Buffer excess;
};

// Records stages. Shapes and borders as in feature/cambi/stages.h; planes are never the same.
class Passes {
 public:
  Passes(vulkan::Recorder& recorder, vulkan::Context& context) : recorder_(recorder), context_(context) {}

  void preprocess(const vulkan::DevicePlane& luma, const CambiPlan& plan, const PreprocessBuffers& buffers,
                  const vulkan::DevicePlane& image);
  // With the derivative: flat samples are never in memory.
  void mask(const vulkan::DevicePlane& image, int threshold, const vulkan::DevicePlane& mask);
  // out[i][j] = in[i << times][j << times].
  void decimate_mask(const vulkan::DevicePlane& in, int times, const vulkan::DevicePlane& out);
  // Filters the image, or where `halve` is set its decimation.
  void mode_filter(const vulkan::DevicePlane& in, bool halve, const vulkan::DevicePlane& out);

 private:
  vulkan::Recorder& recorder_;
  vulkan::Context& context_;
};

// Bytes of the images and masks of the five scales.
int64_t scale_bytes(const CambiPlan& plan);

// All a picture needs on the device behind its luma, to the images and masks of the five scales.
class Picture {
 public:
  // Throws Error{kBackend}.
  Picture(vulkan::Context& context, const CambiPlan& plan);

  // Records everything from the luma to the last scale, or, without `decimate_masks`, to the last image.
  // Stages are named as in the report.
  void record(vulkan::Recorder& recorder, const vulkan::DevicePlane& luma, bool decimate_masks = true);

  const vulkan::DevicePlane& image(int scale) const { return images_[static_cast<size_t>(scale)]; }
  const vulkan::DevicePlane& mask(int scale) const;  // of a scale, where masks were decimated
  const vulkan::DevicePlane& whole_mask() const { return whole_mask_; }
  const vulkan::Buffer& excess() const { return preprocess_.excess; }
  // Bytes that the constructor allocates, and the largest buffer of it.
  static int64_t bytes(const CambiPlan& plan);
  static int64_t largest_buffer(const CambiPlan& plan);

 private:
  vulkan::Context& context_;
  const CambiPlan& plan_;
  vulkan::DevicePlane whole_image_, whole_mask_;
  std::array<vulkan::DevicePlane, kScales> images_;
  std::array<vulkan::DevicePlane, kScales> masks_;  // the first only if it differs from whole_mask_
  PreprocessBuffers preprocess_;
};

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
