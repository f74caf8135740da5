// Light as a pass on a Vulkan device. The contract is that of feature/light/light.h; the shader is
// shaders/light/to_light.comp.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "feature/light/light.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::light::gpu {

// Three planes of floats, R, G and B; in one buffer, `plane` floats from one to the next.
struct LightLayout {
  int width = 0, height = 0;
  int stride = 0;     // floats
  int64_t plane = 0;  // floats

  int64_t plane_bytes() const { return plane * int64_t{sizeof(float)}; }
  int64_t bytes() const { return 3 * plane_bytes(); }
};
// Strides are multiples of 16 floats, and planes of kPlaneAlignment.
LightLayout layout_of(PlaneSize size);

// A buffer for each plane: shaders of some devices see no more than 128 MiB of one.
using LightPlanes = std::array<vulkan::Buffer, 3>;
// Throws Error{kBackend}.
LightPlanes make_planes(const vulkan::Context& context, const LightLayout& layout);

// spread_chroma, blend_rows and to_light in one pass.
class ToLightPass {
 public:
  // The picture, of the conversion's format, and the context outlive this; the conversion need not. Throws
  // Error{kBackend}.
  ToLightPass(vulkan::Context& context, const vulkan::DevicePicture& picture, const Conversion& conversion);

  // Needs: planes of layout_of(size).
  void record(vulkan::Recorder& recorder, const LightPlanes& light) const;
  // Needs: a buffer of layout_of(size).bytes() or more.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& light) const;

 private:
  const vulkan::DevicePicture& picture_;
  const Conversion conversion_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Buffer& table_;
};

}  // namespace vq::light::gpu
