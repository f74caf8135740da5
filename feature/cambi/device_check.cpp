#include "feature/cambi/device_check.h"

#include <cstring>
#include <random>

#include "core/error.h"
#include "feature/cambi/readback.h"

namespace vq::cambi::gpu {
namespace {

// Odd sizes, larger than a work group's tile.
constexpr int kWidth = 333, kHeight = 217;
constexpr std::chrono::seconds kTimeout{30};

// A plan of that size which takes the same shaders in the same modes.
CambiPlan small_plan(const CambiPlan& like) {
  CambiOptions options;
  options.enc_bitdepth = like.anti_dither ? 8 : 10;
  if (like.resizes()) {
    options.enc_width = 250;
    options.enc_height = 180;
  }
  InputFormats formats;
  formats.distorted.width = kWidth;
  formats.distorted.height = kHeight;
  formats.distorted.bit_depth = like.input_depth;
  CambiPlan plan = make_plans(options, formats).distorted;
  if (like.halve_first) {
    plan.halve_first = true;
    int width = plan.width, height = plan.height;
    for (ScalePlan& scale : plan.scales) {
      width = scale.width = (width + 1) >> 1;
      height = scale.height = (height + 1) >> 1;
    }
  }
  return plan;
}

// Bands with noise on every third: flat enough for the mask, and something for the filter to do.
template <typename T>
Plane<T> make_picture(int depth) {
  Plane<T> picture(kWidth, kHeight);
  std::minstd_rand random(7);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const int band = (x + 2 * y) / 37;
      const int noise = band % 3 == 0 ? static_cast<int>(random() >> 8) % 3 : 0;
      picture.row(y)[x] = static_cast<T>(((60 + band + noise) << (depth - 8)) + (depth > 8 ? band % 2 : 0));
    }
  }
  return picture;
}

template <typename T>
bool same(PlaneView<const T> a, PlaneView<const T> b) {
  for (int y = 0; y < a.height; ++y) {
    if (std::memcmp(a.row(y), b.row(y), sizeof(T) * static_cast<size_t>(a.width)) != 0) return false;
  }
  return true;
}

// Throws where a scale differs from what the CPU makes of the luma.
bool agrees_with_cpu(const SampleView& luma, const CambiPlan& plan, const Readback& readback) {
  Plane<uint16_t> image(plan.width, plan.height);
  Plane<uint8_t> flat(plan.width, plan.height), mask(plan.width, plan.height);
  Scratch scratch(plan.width, plan.num_contrasts);
  if (!scalar::preprocess(luma, plan, image.view()) || readback.has_excess()) return false;
  scalar::derivative(image.view(), flat.view());
  scalar::mask(flat.view(), plan.mask_threshold, scratch, mask.view());
  for (int k = 0; k < kScales; ++k) {
    const ScalePlan& scale = plan.scales[static_cast<size_t>(k)];
    if (k > 0 || plan.halve_first) {
      Plane<uint16_t> smaller(scale.width, scale.height);
      Plane<uint8_t> smaller_mask(scale.width, scale.height);
      scalar::decimate_image(image.view(), smaller.view());
      scalar::decimate_mask(mask.view(), smaller_mask.view());
      image = std::move(smaller);
      mask = std::move(smaller_mask);
    }
    scalar::mode_filter(image.view(), scratch);
    if (!same<uint16_t>(image.view(), readback.image(k)) || !same<uint8_t>(mask.view(), readback.mask(k))) {
      return false;
    }
  }
  return true;
}

}  // namespace

void check_device(Kernels& kernels, const CambiPlan& plan) {
  const CambiPlan small = small_plan(plan);
  Plane<uint8_t> bytes;
  Plane<uint16_t> words;
  SampleView luma;
  if (plan.input_depth == 8) {
    bytes = make_picture<uint8_t>(8);
    luma.u8 = bytes.view();
  } else {
    words = make_picture<uint16_t>(plan.input_depth);
    luma.u16 = words.view();
  }
  Picture picture(kernels, small);
  const Readback readback(kernels.device(), picture);
  vulkan::Recorder recorder(kernels.device());
  picture.record(recorder);
  readback.record(recorder);
  vulkan::CommandList list = recorder.finish();
  picture.upload(luma);
  list.submit();
  list.wait(kTimeout);
  // A test that wants this to fail changes the picture behind the device's back.
  if (kernels.device()->is_to_fail(vulkan::Call::kStartUpCheck)) {
    if (luma.is_u8()) bytes.row(100)[100] ^= 64;
    if (!luma.is_u8()) words.row(100)[100] ^= 64;
  }
  if (!agrees_with_cpu(luma, small, readback)) {
    throw Error(ErrorKind::kBackend, kernels.device()->label() +
                                         " failed the start-up check: it computes other values than the CPU");
  }
}

}  // namespace vq::cambi::gpu
