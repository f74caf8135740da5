#include "feature/ssim/device_passes.h"

#include <hwy/base.h>

#include <cmath>

#include "shaders/ssim/shared.h"
// Made by the build from shaders/ssim/shrink.comp.
#include "shaders/ssim_shrink.h"
#include "vulkan/limits.h"

namespace vq::ssim::gpu {
namespace {

constexpr vulkan::Shader kShader{"ssim_shrink", kSsimShrinkSpirv};

// Every device takes 65535 work groups in each direction.
static_assert(kMaxSide / kGroupX <= 65535 && kMaxSide / kGroupY <= 65535);

// mantissa x 2^exponent, with kMantissaBits of mantissa.
struct Weight {
  uint mantissa = 0;
  int exponent = 0;
};
constexpr int kMantissaBits = 24;
constexpr uint kLeastMantissa = uint{1} << (kMantissaBits - 1);
// That of 1 in a float.
constexpr int kExponentOf1 = 127;

// Of samples that count as divided by 2^(bit_depth - 8).
Weight weight_for(int factor, int bit_depth) {
  int exponent = 0;
  const float fraction = std::frexp(1.0F / static_cast<float>(factor * factor), &exponent);
  return {static_cast<uint>(std::ldexp(fraction, kMantissaBits)), exponent - kMantissaBits - (bit_depth - 8)};
}

bool is_exact(const Weight& weight) {
  return weight.mantissa == kLeastMantissa;
}

const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const vulkan::DevicePlane& luma, int bit_depth, int factor) {
  HWY_DASSERT(8 <= bit_depth && bit_depth <= 16 && 2 <= factor && factor <= kMaxShrink);
  HWY_DASSERT(factor <= luma.layout.width && factor <= luma.layout.height);
  const bool exact = is_exact(weight_for(factor, bit_depth));
  return context.pipeline(kShader, {static_cast<uint32_t>(luma.layout.sample_bytes), exact ? 1U : 0U});
}

vulkan::PlaneLayout layout_of(PlaneSize size) {
  return {.width = size.width, .height = size.height, .sample_bytes = sizeof(float)};
}

PlaneSize shrunk_size(const vulkan::PlaneLayout& luma, int factor) {
  return {shrunk(luma.width, factor), shrunk(luma.height, factor)};
}

}  // namespace

std::string unsupported_by_stage(const vulkan::DeviceInfo& device) {
  return unsupported_reason(device, {kShader});
}

ShrinkPass::ShrinkPass(vulkan::Context& context, const vulkan::DevicePlane& luma, int bit_depth, int factor)
    : luma_(luma),
      bit_depth_(bit_depth),
      factor_(factor),
      pipeline_(pipeline_for(context, luma, bit_depth, factor)),
      out_(context.device(), layout_of(shrunk_size(luma.layout, factor))),
      readback_(context.device(), vulkan::Memory::kReadback, out_.layout.bytes()) {}

void ShrinkPass::record(vulkan::Recorder& recorder) const {
  const Weight weight = weight_for(factor_, bit_depth_);
  const int unit = weight.exponent + (is_exact(weight) ? kMantissaBits - 1 : 0);
  const vulkan::PlaneLayout& out = out_.layout;
  const ShrinkPush push{.width = static_cast<uint>(luma_.layout.width),
                        .height = static_cast<uint>(luma_.layout.height),
                        .stride = static_cast<uint>(luma_.layout.stride_bytes()),
                        .out_width = static_cast<uint>(out.width),
                        .out_height = static_cast<uint>(out.height),
                        .out_stride = static_cast<uint>(out.stride_bytes() / static_cast<int64_t>(sizeof(float))),
                        .factor = static_cast<uint>(factor_),
                        .mantissa = weight.mantissa,
                        .exponent = static_cast<uint>(unit + kMantissaBits - 1 + kExponentOf1)};
  recorder.pass(pipeline_, {&luma_.buffer, &out_.buffer})
      .run(push, {vulkan::groups_for(out.width, kGroupX), vulkan::groups_for(out.height, kGroupY)});
}

void ShrinkPass::record_readback(vulkan::Recorder& recorder) const {
  recorder.copy(out_.buffer, readback_);
}

PlaneView<const float> ShrinkPass::shrunk_picture() const {
  const vulkan::PlaneLayout& out = out_.layout;
  return {reinterpret_cast<const float*>(readback_.mapped()), out.width, out.height,
          static_cast<ptrdiff_t>(out.stride_bytes() / static_cast<int64_t>(sizeof(float)))};
}

int64_t ShrinkPass::bytes(PlaneSize size) {
  return 2 * layout_of(size).bytes();
}

}  // namespace vq::ssim::gpu
