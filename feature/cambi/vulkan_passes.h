// The stages of CAMBI as passes on a Vulkan device, and the order in which a picture takes them. The
// contracts are those of feature/cambi/stages.h; the shaders are shaders/cambi/<stage>.comp.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/frame.h"
#include "feature/cambi/plan.h"
#include "vulkan/recorder.h"

namespace vq::cambi::gpu {

// Why a device cannot run the shaders of the per-pixel stages; empty where it can.
std::string unsupported_by_stages(const vulkan::DeviceInfo& device);

// A table for shaders to read, in the device's own memory. Waits for the copy. Throws Error{kBackend}.
vulkan::Buffer make_byte_table(const std::shared_ptr<vulkan::Device>& device,
                               std::span<const std::byte> bytes);
template <typename T>
vulkan::Buffer make_table(const std::shared_ptr<vulkan::Device>& device, const T& entries) {
  return make_byte_table(device, std::as_bytes(std::span(entries)));
}

// How a plane lies in a buffer: rows as in core/plane.h, so that what is read back is a plane with guards.
struct Layout {
  int width = 0, height = 0;
  int sample_bytes = 1;

  int64_t stride_bytes() const;
  int64_t bytes() const { return stride_bytes() * height; }
};

// A plane in the device's memory.
struct GpuPlane {
  GpuPlane() = default;
  GpuPlane(const std::shared_ptr<vulkan::Device>& device, Layout with)
      : layout(with), buffer(device, vulkan::Memory::kDevice, with.bytes()) {}
  Layout layout;
  vulkan::Buffer buffer;
};

// The pipelines of one device, each made when it is first asked for. Not for several threads at once.
class Kernels {
 public:
  explicit Kernels(std::shared_ptr<vulkan::Device> device) : device_(std::move(device)) {}
  const std::shared_ptr<vulkan::Device>& device() const { return device_; }
  // `constants` are the shader's specialization constants. The reference stays valid.
  const vulkan::Pipeline& get(const vulkan::Shader& shader, const std::vector<uint32_t>& constants = {});

 private:
  std::shared_ptr<vulkan::Device> device_;
  std::map<std::pair<std::string, std::vector<uint32_t>>, vulkan::Pipeline> pipelines_;
};

// What preprocessing reads and writes beside the picture: the plan's source columns, then its source rows,
// and a word that is set where a luma sample exceeds its depth's maximum.
struct PreprocessBuffers {
  PreprocessBuffers(const std::shared_ptr<vulkan::Device>& device, const CambiPlan& plan);
  vulkan::Buffer table;
  vulkan::Buffer excess;
};

// Records stages. Shapes and borders as in feature/cambi/stages.h; planes are never the same.
class Passes {
 public:
  Passes(vulkan::Recorder& recorder, Kernels& kernels) : recorder_(recorder), kernels_(kernels) {}

  void preprocess(const GpuPlane& luma, const CambiPlan& plan, const PreprocessBuffers& buffers,
                  const GpuPlane& image);
  // With the derivative: flat samples are never in memory.
  void mask(const GpuPlane& image, int threshold, const GpuPlane& mask);
  // out[i][j] = in[i << times][j << times].
  void decimate_mask(const GpuPlane& in, int times, const GpuPlane& out);
  // Filters the image, or where `halve` is set its decimation.
  void mode_filter(const GpuPlane& in, bool halve, const GpuPlane& out);

 private:
  vulkan::Recorder& recorder_;
  Kernels& kernels_;
};

// All a picture needs on the device, from its luma to the images and masks of the five scales.
class Picture {
 public:
  // Throws Error{kBackend}.
  Picture(Kernels& kernels, const CambiPlan& plan);

  // Copies luma to where the device fetches it. Returns the bytes it will fetch.
  int64_t upload(const SampleView& luma);
  // Records everything from the upload to the last scale, or, without `decimate_masks`, to the last image.
  // Stages are named as in the report.
  void record(vulkan::Recorder& recorder, bool decimate_masks = true);

  const GpuPlane& image(int scale) const { return images_[static_cast<size_t>(scale)]; }
  const GpuPlane& mask(int scale) const;  // of a scale, where masks were decimated
  const GpuPlane& whole_mask() const { return whole_mask_; }
  const vulkan::Buffer& excess() const { return preprocess_.excess; }

 private:
  Kernels& kernels_;
  const CambiPlan& plan_;
  Layout input_;
  vulkan::Buffer staging_;
  GpuPlane luma_, whole_image_, whole_mask_;
  std::array<GpuPlane, kScales> images_;
  std::array<GpuPlane, kScales> masks_;  // the first only where it is not whole_mask_
  PreprocessBuffers preprocess_;
};

// Copies rows; `to` has the layout's stride.
void copy_luma(const SampleView& luma, const Layout& layout, std::byte* to);

}  // namespace vq::cambi::gpu
