#include "feature/light/device.h"

#include "feature/device_feature.h"
#include "shaders/light/shared.h"
#include "shaders/light_to_light.h"
#include "vulkan/shader.h"

namespace vq::light::gpu {

static_assert(static_cast<uint>(Curve::kBt1886) == kBt1886Curve &&
              static_cast<uint>(Curve::kSrgb) == kSrgbCurve &&
              static_cast<uint>(Curve::kLinear) == kLinearCurve &&
              static_cast<uint>(Curve::kPq) == kPqCurve && static_cast<uint>(Curve::kHlg) == kHlgCurve);
static_assert(gpu::kAmountBins == light::kAmountBins && gpu::kBinsOfOctave == light::kBinsOfOctave);
static_assert(uint64_t{kAmountsX} * kAmountsY * kAmountRows * UINT16_MAX <= UINT32_MAX,
              "the sums of a work group fit its words");
static_assert(Axis::kMaxPhases == kPhases && Axis::kTaps + 1 == kPhaseFloats);

constexpr int kStrideFloats = 16;

std::vector<float> table_of(const Conversion& conversion) {
  std::vector<float> table;
  for (const Axis* const axis : {&conversion.columns, &conversion.rows}) {
    for (size_t phase = 0; phase < kPhases; ++phase) {
      table.push_back(static_cast<float>(axis->first[phase]));
      table.insert(table.end(), axis->taps[phase].begin(), axis->taps[phase].end());
    }
  }
  table.insert(table.end(), conversion.curve.begin(), conversion.curve.end());
  return table;
}

std::vector<uint32_t> constants_of(const vulkan::DevicePicture& picture, const Conversion& conversion) {
  const Reading& reading = conversion.reading;
  const bool is_rgb = reading.matrix == Matrix::kRgb;
  return {static_cast<uint32_t>(picture.plane(0).layout.sample_bytes),
          static_cast<uint32_t>(reading.curve),
          static_cast<uint32_t>(conversion.columns.shift),
          static_cast<uint32_t>(conversion.rows.shift),
          conversion.has_chroma ? 1U : 0U,
          is_rgb ? 1U : 0U,
          reading.has_bt2020_primaries ? 1U : 0U,
          reading.chroma == ChromaFilter::kBilinear && !is_rgb ? 1U : 0U};
}

CodedPlanes coded_planes(const vulkan::DevicePicture& picture, const Conversion& conversion) {
  CodedPlanes planes;
  for (size_t i = 0; i < kMaxPlanes; ++i) {
    const vulkan::DevicePlane& plane = picture.plane(conversion.has_chroma ? static_cast<int>(i) : 0);
    planes.buffers[i] = &plane.buffer;
    planes.strides[i] = static_cast<uint32_t>(plane.layout.stride_bytes());
  }
  return planes;
}

LightLayout layout_of(PlaneSize size) {
  const int stride = (size.width + kStrideFloats - 1) / kStrideFloats * kStrideFloats;
  constexpr int64_t kUnit = kPlaneAlignment / int64_t{sizeof(float)};
  return {size.width, size.height, stride, (int64_t{stride} * size.height + kUnit - 1) / kUnit * kUnit};
}

LightPlanes make_planes(const vulkan::Context& context, const LightLayout& layout) {
  LightPlanes planes;
  for (vulkan::Buffer& plane : planes)
    plane = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, layout.plane_bytes());
  return planes;
}

// spread_chroma, blend_rows and to_light in one shader.
ToLightPass::ToLightPass(vulkan::Context& context, const vulkan::DevicePicture& picture,
                         const Conversion& conversion)
    : picture_(picture),
      conversion_(conversion),
      pipeline_(context.pipeline(shaders::kLightToLight, constants_of(picture, conversion))),
      table_(context.table(table_of(conversion))) {}

void ToLightPass::record(vulkan::Recorder& recorder, const vulkan::Buffer& light) const {
  const int64_t bytes = layout_of(conversion_.size).plane_bytes();
  record(recorder, LightPlanes{light.part(0, bytes), light.part(bytes, bytes), light.part(2 * bytes, bytes)});
}

void ToLightPass::record(vulkan::Recorder& recorder, const LightPlanes& light) const {
  const LightLayout out = layout_of(conversion_.size);
  const auto [planes, strides] = coded_planes(picture_, conversion_);
  ToLightPush push = {};
  push.width = static_cast<uint>(out.width);
  push.height = static_cast<uint>(out.height);
  push.out_stride = static_cast<uint>(out.stride);
  push.luma_stride = strides[0];
  push.cb_stride = strides[1];
  push.cr_stride = strides[2];
  describe(conversion_, picture_, push);
  recorder.pass(pipeline_, {planes[0], planes[1], planes[2], &table_, &light[0], &light[1], &light[2]})
      .run(push, vulkan::groups_for(conversion_.size, kGroupX, kGroupY));
}

static void check_one(vulkan::Context& context, const VideoFormat& video, Conversion conversion) {
  CheckPicture picture(context, video, kMaxPlanes, 1);
  conversion.size = CheckPicture::kSize;
  const LightLayout layout = layout_of(conversion.size);
  const vulkan::Buffer light(context.device(), vulkan::Memory::kDevice, layout.bytes()),
      found(context.device(), vulkan::Memory::kReadback, layout.bytes());
  const ToLightPass pass(context, picture.on_device(), conversion);
  run_once(context, std::array{&picture}, [&](vulkan::Recorder& recorder) {
    pass.record(recorder, light);
    recorder.copy(light, found);
  });
  LightRows rows(Stages::of({.backend = Backend::kScalar}), conversion);
  rows.start(picture.frame());
  Plane<float> row(layout.width, 3);
  const auto* const floats = reinterpret_cast<const float*>(found.mapped());
  bool is_same = true;
  for (int y = 0; y < layout.height; ++y) {
    rows.row(y, {row.row(0), row.row(1), row.row(2)});
    for (int k = 0; k < 3; ++k) {
      const float* const its = floats + k * layout.plane + int64_t{y} * layout.stride;
      is_same =
          is_same && std::memcmp(row.row(k), its, static_cast<size_t>(layout.width) * sizeof(float)) == 0;
    }
  }
  context.require_same(is_same, "light");
}

void check_to_light(vulkan::Context& context, const VideoFormats& videos, const Conversion& distorted,
                    const Conversion* reference) {
  check_one(context, videos.distorted, distorted);
  if (reference != nullptr && *reference != distorted) check_one(context, *videos.reference, *reference);
}

static int64_t count_bytes(const vulkan::Groups& groups, uint32_t group_words) {
  return (light::kAmountBins + int64_t{groups.x} * groups.y * group_words) * int64_t{sizeof(uint32_t)};
}

AmountCounts::AmountCounts(vulkan::Context& context, PlaneSize size, uint32_t further)
    : size_(size),
      group_words_(kAmountWords + 2 * further),
      groups_(vulkan::groups_for(size, kAmountsX, kAmountsY * kAmountRows)),
      counts_(context.device(), vulkan::Memory::kDevice, count_bytes(groups_, group_words_)),
      readback_(context.device(), vulkan::Memory::kReadback, count_bytes(groups_, group_words_)) {}

void AmountCounts::record(vulkan::Recorder& recorder, const vulkan::Pipeline& pipeline,
                          std::vector<const vulkan::Buffer*> buffers, float factor) const {
  recorder.fill(counts_, 0);
  buffers.push_back(&counts_);
  const AmountsPush push{.width = static_cast<uint>(size_.width),
                         .height = static_cast<uint>(size_.height),
                         .stride = static_cast<uint>(layout_of(size_).stride),
                         .factor = factor};
  recorder.pass(pipeline, std::move(buffers)).run(push, groups_);
}

uint64_t AmountCounts::further_sum(uint32_t i) const { return sum_of_halves(kAmountWords + 2 * i); }

uint64_t AmountCounts::sum_of_words(uint32_t word) const {
  const auto* const words = reinterpret_cast<const uint32_t*>(readback_.mapped()) + light::kAmountBins;
  uint64_t sum = 0;
  for (uint32_t group = 0; group < groups_.x * groups_.y; ++group) sum += words[group * group_words_ + word];
  return sum;
}

Amounts AmountCounts::amounts() const {
  const auto* const words = reinterpret_cast<const uint32_t*>(readback_.mapped());
  Amounts amounts;
  std::copy_n(words, light::kAmountBins, amounts.bins.begin());
  amounts.samples = static_cast<uint64_t>(size_.width) * static_cast<uint64_t>(size_.height);
  amounts.sum = sum_of_halves(0);
  amounts.above_unit = sum_of_words(3);
  const uint32_t* const ends = words + light::kAmountBins + groups_.x * groups_.y * group_words_;
  for (const uint32_t* group = words + light::kAmountBins; group < ends; group += group_words_)
    amounts.most = std::max(amounts.most, group[2]);
  return amounts;
}

}  // namespace vq::light::gpu
