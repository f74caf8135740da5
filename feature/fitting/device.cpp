#include "feature/fitting/fitting.h"

#include <numeric>

#include "feature/device_feature.h"
#include "shaders/fitting/shared.h"
#include "shaders/fitting_across.h"
#include "shaders/fitting_coarser.h"
#include "shaders/fitting_down.h"
#include "shaders/fitting_levels.h"
#include "shaders/fitting_matrix.h"
#include "shaders/fitting_rgb.h"

namespace vq::fitting {

using namespace gpu;

static_assert(kShareBits == kFractionBits);

// The groups that make the words of a plane.
static vulkan::Groups word_groups(const vulkan::DevicePlane& plane) {
  const int64_t words = (int64_t{plane.layout.width} * plane.layout.sample_bytes + 3) / 4;
  return {vulkan::groups_for(words, kGroupX), vulkan::groups_for(plane.layout.height, kGroupY)};
}

static vulkan::DevicePlane new_plane(const vulkan::Context& context, const VideoFormat& format, int plane) {
  const PlaneSize size = plane_size(format, plane);
  return {context.device(), {size.width, size.height, format.bit_depth > 8 ? 2 : 1}};
}

template <typename Push>
static void put_weights(const ChromaTaps& taps, Push& push) {
  for (size_t k = 0; k < taps.across.size(); ++k) {
    push.across[k] = static_cast<uint>(taps.across[k]);
    push.down[k] = static_cast<uint>(taps.down[k]);
  }
}

// For shaders: the first sample of each new one, then all weights.
static std::vector<int32_t> table_of(const Axis& axis) {
  std::vector<int32_t> table = axis.first;
  table.insert(table.end(), axis.weights.begin(), axis.weights.end());
  return table;
}

// Planes without new values are copied: `bits` is their depth.
static std::vector<uint32_t> table_of(const Levels& levels, int bits) {
  if (!levels.empty()) return {levels.begin(), levels.end()};
  std::vector<uint32_t> same(bits > 8 ? size_t{1} << 16 : size_t{1} << 8);
  std::iota(same.begin(), same.end(), 0U);
  return same;
}

bool can_fit(const vulkan::DeviceInfo* device, const VideoFormat& from, const Fitting& fitting) {
  const VideoFormat to = fitted_format(from, fitting);
  if (device == nullptr) return true;
  const int64_t sums = int64_t{to.width} * from.height * int64_t{sizeof(int32_t)};
  const int64_t samples = stored_stride(int64_t{2} * from.width) * from.height;
  return vulkan::unsupported_buffer_reason(*device, std::max(sums, samples)).empty() &&
         vulkan::unsupported_reason(*device,
                                    {shaders::kFittingAcross, shaders::kFittingDown, shaders::kFittingCoarser,
                                     shaders::kFittingLevels, shaders::kFittingMatrix, shaders::kFittingRgb})
             .empty();
}

FittedPicture::FittedPicture(vulkan::Context& context, const vulkan::DevicePicture& from,
                             const VideoFormat& format, const Fitting& fitting, int planes)
    : from_(from), steps_(format, fitting, planes), picture_(context.device(), steps_.to, steps_.planes) {
  const auto bytes = [](int bits) { return bits > 8 ? 2U : 1U; };
  const uint first = bytes(format.bit_depth), last = bytes(steps_.to.bit_depth);
  for (int i = 0; i < picture_.count(); ++i) {
    Plane& plane = planes_[static_cast<size_t>(i)];
    const bool is_mixed = steps_.changes_matrix(), is_coarser = steps_.taps && i > 0;
    const bool has_levels = !steps_.levels[0].empty() || (!steps_.scaling && !is_coarser && !is_mixed);
    if (is_mixed) {
      if (is_coarser || steps_.scaling || has_levels) plane.mixed = new_plane(context, steps_.mixed, i);
      plane.to_mixed = steps_.rgb ? &context.pipeline(shaders::kFittingRgb, {first})
                                  : &context.pipeline(shaders::kFittingMatrix, {first, i == 0});
    }
    if (is_coarser) {
      if (steps_.scaling || has_levels) plane.coarse = new_plane(context, steps_.coarse, i);
      plane.to_coarse = &context.pipeline(shaders::kFittingCoarser, {first});
    }
    if (steps_.scaling) {
      const PlaneScaling& scaling = steps_.scaling->plane(i);
      if (has_levels) plane.scaled = new_plane(context, steps_.to, i);
      plane.sums = vulkan::Buffer(context.device(), vulkan::Memory::kDevice,
                                  int64_t{scaling.from.height} * scaling.to.width * int64_t{sizeof(int32_t)});
      plane.across = &context.table(table_of(scaling.across));
      plane.down = &context.table(table_of(scaling.down));
      plane.to_sums = &context.pipeline(shaders::kFittingAcross, {first});
      plane.to_scaled = &context.pipeline(shaders::kFittingDown, {last});
    }
    if (!has_levels) continue;
    plane.levels = &context.table(table_of(steps_.levels[i > 0], format.bit_depth));
    plane.to_levels = &context.pipeline(shaders::kFittingLevels, {steps_.scaling ? last : first, last});
  }
}

void FittedPicture::record(vulkan::Recorder& recorder) const {
  for (int i = 0; i < picture_.count(); ++i) record(recorder, i);
}

void FittedPicture::record(vulkan::Recorder& recorder, int i) const {
  const Plane& plane = planes_[static_cast<size_t>(i)];
  const vulkan::DevicePlane* now = &from_.plane(i);
  const vulkan::DevicePlane& last = picture_.plane(i);
  const auto or_last = [&](const vulkan::DevicePlane& made) {
    return made.buffer.bytes() > 0 ? &made : &last;
  };
  if (steps_.changes_matrix()) {
    const vulkan::DevicePlane* const to = or_last(plane.mixed);
    record_mix(recorder, i, *to);
    now = to;
  }
  if (steps_.taps && i > 0) {
    const vulkan::DevicePlane* const to = or_last(plane.coarse);
    const ChromaTaps& taps = *steps_.taps;
    CoarserPush push{.from_width = now->width(),
                     .from_height = now->height(),
                     .width = to->width(),
                     .height = to->height(),
                     .from_stride = now->stride(),
                     .to_stride = to->stride(),
                     .halvings_x = static_cast<uint>(taps.halvings.x),
                     .halvings_y = static_cast<uint>(taps.halvings.y),
                     .first_row = static_cast<uint>(taps.first_row),
                     .across = {},
                     .down = {},
                     .shift = static_cast<uint>(taps.shift())};
    put_weights(taps, push);
    recorder.pass(*plane.to_coarse, {&now->buffer, &to->buffer}).run(push, word_groups(*to));
    now = to;
  }
  if (steps_.scaling) {
    const PlaneScaling& scaling = steps_.scaling->plane(i);
    const Rounding& rounding = scaling.rounding;
    const auto width = static_cast<uint>(scaling.to.width);
    recorder.pass(*plane.to_sums, {&now->buffer, plane.across, &plane.sums})
        .run(AcrossPush{.width = width,
                        .height = now->height(),
                        .count = static_cast<uint>(scaling.across.count),
                        .from_stride = now->stride(),
                        .to_stride = width,
                        .shift = static_cast<uint>(rounding.across_shift),
                        .most = rounding.across_most},
             vulkan::groups_for({scaling.to.width, now->layout.height}, kGroupX, kGroupY));
    const vulkan::DevicePlane* const to = or_last(plane.scaled);
    recorder.pass(*plane.to_scaled, {&plane.sums, plane.down, &to->buffer})
        .run(DownPush{.width = width,
                      .height = to->height(),
                      .count = static_cast<uint>(scaling.down.count),
                      .from_stride = width,
                      .to_stride = to->stride(),
                      .start = rounding.down_start,
                      .shift = static_cast<uint>(rounding.down_shift),
                      .least = rounding.down_least,
                      .most = rounding.down_most,
                      .offset = rounding.down_offset},
             word_groups(*to));
    now = to;
  }
  if (now == &last) return;
  recorder.pass(*plane.to_levels, {&now->buffer, plane.levels, &last.buffer})
      .run(LevelsPush{.width = last.width(),
                      .height = last.height(),
                      .from_stride = now->stride(),
                      .to_stride = last.stride()},
           word_groups(last));
}

// All three planes of the video make each.
void FittedPicture::record_mix(vulkan::Recorder& recorder, int i, const vulkan::DevicePlane& to) const {
  const vulkan::DevicePlane &first = from_.plane(0), &second = from_.plane(1), &third = from_.plane(2);
  vulkan::Recorder::Pass pass = recorder.pass(*planes_[static_cast<size_t>(i)].to_mixed,
                                              {&first.buffer, &second.buffer, &third.buffer, &to.buffer});
  if (const auto& matrix = steps_.matrix) {
    const auto& [of_cb, of_cr] = matrix->shares[static_cast<size_t>(i)];
    pass.run(MatrixPush{.width = to.width(),
                        .height = to.height(),
                        .chroma_width = second.width(),
                        .chroma_height = second.height(),
                        .luma_stride = first.stride(),
                        .chroma_stride = second.stride(),
                        .to_stride = to.stride(),
                        .shift_x = static_cast<uint>(matrix->shifts.x),
                        .shift_y = static_cast<uint>(matrix->shifts.y),
                        .offset_x = matrix->offset_x,
                        .offset_y = matrix->offset_y,
                        .of_cb = static_cast<int>(of_cb),
                        .of_cr = static_cast<int>(of_cr),
                        .middle = 1U << (matrix->bit_depth - 1)},
             word_groups(to));
    return;
  }
  const Mixture& mixture = steps_.rgb->mixtures[static_cast<size_t>(i)];
  const ChromaTaps taps = i > 0 ? steps_.rgb->taps : ChromaTaps();
  const int shift = kFractionBits + taps.shift();
  const int64_t offset = (mixture.offset << taps.shift()) + (int64_t{1} << (shift - 1));
  RgbPush push{.from_width = first.width(),
               .from_height = first.height(),
               .width = to.width(),
               .height = to.height(),
               .from_stride = first.stride(),
               .to_stride = to.stride(),
               .halvings_x = static_cast<uint>(taps.halvings.x),
               .halvings_y = static_cast<uint>(taps.halvings.y),
               .first_row = static_cast<uint>(taps.first_row),
               .across = {},
               .down = {},
               .red = static_cast<int>(mixture.red),
               .green = static_cast<int>(mixture.green),
               .blue = static_cast<int>(mixture.blue),
               .offset_low = static_cast<uint>(offset),
               .offset_high = static_cast<uint>(offset >> 32),
               .shift = static_cast<uint>(shift)};
  put_weights(taps, push);
  pass.run(push, word_groups(to));
}

void FittedPicture::check(vulkan::Context& context, const VideoFormat& format, Fitting fitting, int planes) {
  CheckPicture picture(context, format, source_planes(format, fitting, planes), 1);
  // The same kind of scaling, of the small picture.
  const VideoFormat& small = picture.format();
  if (fitting.size != PlaneSize())
    fitting.size = {static_cast<int>(int64_t{small.width} * fitting.size.width / format.width),
                    static_cast<int>(int64_t{small.height} * fitting.size.height / format.height)};
  const FittedPicture fitted(context, picture.on_device(), small, fitting, planes);
  const Frame expected =
      make_frame_fitter(small, fitting, planes, {.backend = Backend::kScalar})->fit(picture.frame());
  std::vector<vulkan::Buffer> read;
  run_once(context, std::array{&picture}, [&](vulkan::Recorder& recorder) {
    fitted.record(recorder);
    for (int i = 0; i < fitted.picture().count(); ++i) {
      const vulkan::Buffer& made = fitted.picture().plane(i).buffer;
      read.emplace_back(context.device(), vulkan::Memory::kReadback, made.bytes());
      recorder.copy(made, read.back());
    }
  });
  bool is_same = true;
  for (size_t i = 0; i < read.size(); ++i) {
    const vulkan::PlaneLayout& layout = fitted.picture().plane(static_cast<int>(i)).layout;
    const auto has = [&]<typename T>(PlaneView<const T> plane) {
      return same_samples(
          plane, PlaneView<const T>{reinterpret_cast<const T*>(read[i].mapped()), layout.width, layout.height,
                                    layout.stride_bytes() / layout.sample_bytes});
    };
    const SampleView& plane = expected.planes[i];
    is_same = is_same && (plane.is_u8() ? has(plane.u8) : has(plane.u16));
  }
  context.require_same(is_same, "fitted pictures");
}

}  // namespace vq::fitting
