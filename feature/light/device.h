// Light as a pass on a Vulkan device, and the counts of amounts that are measured of it. The contracts are
// those of feature/light/light.h and amounts.h; the shaders are shaders/light/to_light.comp and amounts.glsl.
#pragma once

#include "feature/light/amounts.h"
#include "feature/light/light.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"
#include "vulkan/recorder.h"

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

// What shaders that include shaders/light/encoded.glsl take: specialization constants, of which the second is
// theirs; a table, to which they may add; members of their push constants; and pictures.
std::vector<uint32_t> constants_of(const vulkan::DevicePicture& picture, const Conversion& conversion);
std::vector<float> table_of(const Conversion& conversion);
// `push`: with the members of ToLightPush from chroma_width on, which this fills.
template <typename Push>
void describe(const Conversion& conversion, const vulkan::DevicePicture& picture, Push& push) {
  const vulkan::PlaneLayout& chroma = picture.plane(conversion.has_chroma ? 1 : 0).layout;
  push.chroma_width = static_cast<uint32_t>(chroma.width);
  push.chroma_height = static_cast<uint32_t>(chroma.height);
  push.luma_offset = conversion.luma.offset;
  push.luma_factor = conversion.luma.factor;
  push.chroma_offset = conversion.chroma.offset;
  push.chroma_factor = conversion.chroma.factor;
  push.red_of_cr = conversion.red_of_cr;
  push.blue_of_cb = conversion.blue_of_cb;
  push.kr = conversion.kr;
  push.kb = conversion.kb;
  push.one_over_kg = conversion.one_over_kg;
}
// Luma, Cb and Cr, or luma in their place; what is referred to is the picture's.
struct CodedPlanes {
  std::array<const vulkan::Buffer*, kMaxPlanes> buffers;
  std::array<uint32_t, kMaxPlanes> strides;  // bytes
};
CodedPlanes coded_planes(const vulkan::DevicePicture& picture, const Conversion& conversion);

// spread_chroma, blend_rows and to_light in one pass.
class ToLightPass {
 public:
  // Needs: a picture of the conversion's format. The conversion need not outlive this.
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

// The start-up check of the pass: the light of small pictures of the videos, byte for byte, since results
// that features make of it may hide a bit. No `reference`: there is one video. Throws Error{kBackend}.
void check_to_light(vulkan::Context& context, const VideoFormats& videos, const Conversion& distorted,
                    const Conversion* reference = nullptr);

// The counts of a slot's pictures, which shaders fill by shaders/light/amounts.glsl.
class AmountCounts {
 public:
  // `further`: number of sums besides those of amounts.
  AmountCounts(vulkan::Context& context, PlaneSize size, uint32_t further = 0);

  // The pass of a shader that counts; the counts come behind its other buffers. `factor`: amounts of the
  // unit.
  void record(vulkan::Recorder& recorder, const vulkan::Pipeline& pipeline,
              std::vector<const vulkan::Buffer*> buffers, float factor) const;
  void record_readback(vulkan::Recorder& recorder) const { recorder.copy(counts_, readback_); }

  Amounts amounts() const;
  uint64_t further_sum(uint32_t i) const;

 private:
  // The sum of a word over the work groups; of two words, the second counting 2^16.
  uint64_t sum_of_words(uint32_t word) const;
  uint64_t sum_of_halves(uint32_t word) const { return sum_of_words(word) + (sum_of_words(word + 1) << 16); }

  const PlaneSize size_;
  const uint32_t group_words_;
  const vulkan::Groups groups_;
  const vulkan::Buffer counts_, readback_;
};

}  // namespace vq::light::gpu
