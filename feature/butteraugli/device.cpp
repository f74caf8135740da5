#include "feature/butteraugli/butteraugli.h"

#include <hwy/base.h>

#include "shaders/butteraugli/shared.h"
#include "shaders/butteraugli_blur_activity.h"
#include "shaders/butteraugli_compare.h"
#include "shaders/butteraugli_filter_rows.h"
#include "shaders/butteraugli_halve.h"
#include "shaders/butteraugli_opsin.h"
#include "shaders/butteraugli_split_high.h"
#include "shaders/butteraugli_split_low.h"
#include "shaders/butteraugli_split_middle.h"
#include "shaders/light_to_light.h"

namespace vq::butteraugli {
namespace {

// The passes of a slot; none for pictures whose map is 0.
class ButteraugliWork final : public DeviceWork {
 public:
  struct Setting {
    ButteraugliPlan plan;
    bool draws = false;
  };
  ButteraugliWork(const Setting& setting, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(setting.plan), draws_(setting.draws) {
    if (plan_.scales.empty()) return;
    map_.emplace(context, plan_, draws_);
    reference_.emplace(context, frame.needed_reference(), plan_.reference);
    distorted_.emplace(context, frame.distorted, plan_.distorted);
  }

  void record(vulkan::Recorder& recorder) override {
    if (!map_) return;
    recorder.begin_stage(kLightStage);
    reference_->record(recorder, map_->reference_light());
    distorted_->record(recorder, map_->distorted_light());
    map_->record_halves(recorder);
    map_->record_bands(recorder);
    recorder.begin_stage(kReadbackStage);
    map_->record_readback(recorder);
  }

  FrameResult finish(const FramePair&) override {
    FrameResult result{.values = values_of(map_ ? figures_of(map_->tiles(), plan_.size) : Figures())};
    if (!draws_) return result;
    Plane<uint16_t>& drawn = result.heatmaps.emplace_back(plan_.size.width, plan_.size.height);
    for (int y = 0; map_ && y < plan_.size.height; ++y)
      draw_heatmap_row(map_->map().row(y), plan_.size.width, drawn.row(y));
    return result;
  }

 private:
  const ButteraugliPlan& plan_;
  const bool draws_;
  std::optional<gpu::MapPasses> map_;
  std::optional<light::gpu::ToLightPass> reference_, distorted_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Butteraugli, ButteraugliWork, shaders::kLightToLight,
                    shaders::kButteraugliHalve, shaders::kButteraugliFilterRows, shaders::kButteraugliOpsin,
                    shaders::kButteraugliSplitLow, shaders::kButteraugliSplitMiddle,
                    shaders::kButteraugliSplitHigh, shaders::kButteraugliBlurActivity,
                    shaders::kButteraugliCompare>();

}  // namespace vq::butteraugli

namespace vq::butteraugli::gpu {
namespace {

using light::gpu::LightLayout;

static_assert(kTableTaps == kMostReach + 1);
static_assert(sizeof(TileSums) == kTileFloats * sizeof(float));
// Every device takes 65535 work groups in each direction.
static_assert(kMaxSide <= 65535);

LightLayout layout_of(PlaneSize size) {
  return light::gpu::layout_of(size);
}
LightLayout half_layout_of(PlaneSize size) {
  return layout_of({halved(size.width), halved(size.height)});
}

vulkan::Buffer device_buffer(const std::shared_ptr<vulkan::Device>& device, int64_t bytes) {
  return {device, vulkan::Memory::kDevice, bytes};
}

int64_t plane_bytes(const LightLayout& layout) {
  return layout.plane * static_cast<int64_t>(sizeof(float));
}
int64_t sums_bytes(PlaneSize size) {
  return int64_t{tiles_across(size.width)} * tiles_across(size.height) *
         static_cast<int64_t>(sizeof(TileSums));
}

std::vector<float> table_of(const Filter& filter, PlaneSize size) {
  std::vector<float> table(filter.kernel.taps.begin(), filter.kernel.taps.end());
  table.insert(table.end(), filter.column_factors.begin(), filter.column_factors.begin() + size.width);
  table.insert(table.end(), filter.row_factors.begin(), filter.row_factors.begin() + size.height);
  return table;
}

}  // namespace

PictureBuffers::PictureBuffers(const std::shared_ptr<vulkan::Device>& device, PlaneSize size)
    : light(device_buffer(device, layout_of(size).bytes())),
      half_light(device_buffer(device, half_layout_of(size).bytes())),
      picture(device_buffer(device, layout_of(size).bytes())),
      low(device_buffer(device, layout_of(size).bytes())),
      middle(device_buffer(device, layout_of(size).bytes())),
      across(device_buffer(device, layout_of(size).bytes())) {}

ScalePasses::ScalePasses(vulkan::Context& context, const ScalePlan& plan, const Weights& weights,
                         float intensity)
    : context_(context),
      plan_(plan),
      weights_(weights),
      intensity_(intensity),
      layout_(layout_of(plan.size)) {
  for (size_t i = 0; i < kFilters; ++i) tables_[i] = &context.table(table_of(plan.filters[i], plan.size));
}

// The filter of plane `planes`[0] and those behind it, as many as the second says, to the first ones of
// `across`.
void ScalePasses::record_rows(vulkan::Recorder& recorder, FilterName filter, const vulkan::Buffer& in,
                              const vulkan::Buffer& across, std::array<uint32_t, 2> planes) const {
  const vulkan::Pipeline& pipeline = context_.pipeline(
      shaders::kButteraugliFilterRows, {plan_.filters[filter].kernel.reach, filter == kAroundFilter});
  const FilterRowsPush push{.width = static_cast<uint>(layout_.width),
                            .height = static_cast<uint>(layout_.height),
                            .stride = static_cast<uint>(layout_.stride),
                            .plane = static_cast<uint>(layout_.plane),
                            .first_plane = planes[0],
                            .first_out_plane = 0};
  recorder.pass(pipeline, {tables_[filter], &in, &across})
      .run(push, {.x = vulkan::groups_for(layout_.width, kRowGroup),
                  .y = static_cast<uint32_t>(layout_.height),
                  .z = planes[1]});
}

void ScalePasses::record_columns(vulkan::Recorder& recorder, const vulkan::Shader& shader, FilterName filter,
                                 std::vector<const vulkan::Buffer*> buffers) const {
  const vulkan::Pipeline& pipeline =
      context_.pipeline(shader, {plan_.filters[filter].kernel.reach, filter == kAroundFilter});
  const BandsPush push{.width = static_cast<uint>(layout_.width),
                       .height = static_cast<uint>(layout_.height),
                       .stride = static_cast<uint>(layout_.stride),
                       .plane = static_cast<uint>(layout_.plane),
                       .intensity = intensity_};
  buffers.insert(buffers.begin(), tables_[filter]);
  recorder.pass(pipeline, std::move(buffers))
      .run(push, {vulkan::groups_for(layout_.width, kGroupX), vulkan::groups_for(layout_.height, kGroupY)});
}

// filter_row and filter_columns with opsin, split_low, split_middle, split_high and activity.
void ScalePasses::record_bands(vulkan::Recorder& recorder, std::span<const Picture> pictures) const {
  const auto across = [&](FilterName filter, const vulkan::Buffer& (*in)(const Picture&),
                          std::array<uint32_t, 2> planes) {
    for (const Picture& each : pictures) record_rows(recorder, filter, in(each), each.buffers.across, planes);
  };
  const auto down = [&](FilterName filter, const vulkan::Shader& shader,
                        std::vector<const vulkan::Buffer*> (*others)(const Picture&)) {
    for (const Picture& each : pictures) {
      std::vector<const vulkan::Buffer*> buffers = others(each);
      buffers.insert(buffers.begin(), &each.buffers.across);
      record_columns(recorder, shader, filter, std::move(buffers));
    }
  };
  using Buffers = std::vector<const vulkan::Buffer*>;
  const auto picture = [](const Picture& p) -> const vulkan::Buffer& { return p.buffers.picture; };
  across(kAroundFilter, [](const Picture& p) -> const vulkan::Buffer& { return p.light; }, {0, 3});
  down(kAroundFilter, shaders::kButteraugliOpsin, [](const Picture& p) {
    return Buffers{&p.light, &p.buffers.picture};
  });
  across(kLowFilter, picture, {0, 3});
  down(kLowFilter, shaders::kButteraugliSplitLow, [](const Picture& p) {
    return Buffers{&p.buffers.picture, &p.buffers.low, &p.buffers.middle};
  });
  across(kMiddleFilter, [](const Picture& p) -> const vulkan::Buffer& { return p.buffers.middle; }, {0, 3});
  down(kMiddleFilter, shaders::kButteraugliSplitMiddle, [](const Picture& p) {
    return Buffers{&p.buffers.middle, &p.buffers.picture};
  });
  across(kHighFilter, picture, {0, 2});
  down(kHighFilter, shaders::kButteraugliSplitHigh, [](const Picture& p) {
    return Buffers{&p.buffers.picture, &p.light};
  });
  across(kActivityFilter, picture, {2, 1});
  down(kActivityFilter, shaders::kButteraugliBlurActivity,
       [](const Picture& p) { return Buffers{&p.buffers.picture}; });
}

// line_differences, add_lines, erode, map_row and add_half.
void ScalePasses::record_comparison(vulkan::Recorder& recorder, const Comparison& comparison) const {
  const PictureBuffers &a = comparison.reference.buffers, &b = comparison.distorted.buffers;
  const vulkan::Pipeline& pipeline = context_.pipeline(
      shaders::kButteraugliCompare,
      {comparison.half_map != nullptr, comparison.writes_map, comparison.first_sum.has_value()});
  const auto& lines = weights_.lines;
  const LineWeights &x0 = lines[0][0], &x1 = lines[1][0], &x2 = lines[2][0];
  const LineWeights &y0 = lines[0][1], &y1 = lines[1][1], &y2 = lines[2][1];
  const ComparePush push{.width = static_cast<uint>(layout_.width),
                         .height = static_cast<uint>(layout_.height),
                         .stride = static_cast<uint>(layout_.stride),
                         .plane = static_cast<uint>(layout_.plane),
                         .half_stride = static_cast<uint>(half_layout_of(plan_.size).stride),
                         .first_sum = static_cast<uint>(comparison.first_sum.value_or(0)),
                         .norm0 = x0.norm,
                         .up0 = x0.up,
                         .down0 = x0.down,
                         .norm1 = x1.norm,
                         .up1 = x1.up,
                         .down1 = x1.down,
                         .norm2 = x2.norm,
                         .up2 = x2.up,
                         .down2 = x2.down,
                         .norm3 = y0.norm,
                         .up3 = y0.up,
                         .down3 = y0.down,
                         .norm4 = y1.norm,
                         .up4 = y1.up,
                         .down4 = y1.down,
                         .norm5 = y2.norm,
                         .up5 = y2.up,
                         .down5 = y2.down,
                         .difference_x = weights_.squares.difference[0],
                         .excess_x = weights_.squares.excess[0],
                         .difference_y = weights_.squares.difference[1],
                         .excess_y = weights_.squares.excess[1]};
  // An unused binding gets a buffer that the pass has anyway, with the same access.
  const vulkan::Buffer* const half_map = comparison.half_map != nullptr ? comparison.half_map : &a.picture;
  recorder
      .pass(pipeline, {&a.picture, &comparison.reference.light, &a.low, &a.middle, &b.picture,
                       &comparison.distorted.light, &b.low, &b.middle, half_map, &comparison.results})
      .run(push, {vulkan::groups_for(layout_.width, kTile), vulkan::groups_for(layout_.height, kTile)});
}

MapPasses::MapPasses(vulkan::Context& context, const ButteraugliPlan& plan, bool keeps_map)
    : context_(context),
      reference_(context.device(), plan.size),
      distorted_(context.device(), plan.size),
      whole_(context, plan.scales.front(), plan.weights, plan.intensity),
      map_floats_(keeps_map ? plane_bytes(whole_.layout()) / static_cast<int64_t>(sizeof(float)) : 0),
      results_(device_buffer(context.device(), map_bytes() + sums_bytes(plan.size))),
      readback_(context.device(), vulkan::Memory::kReadback, results_.bytes()) {
  if (plan.scales.size() > 1) {
    half_.emplace(context, plan.scales[1], plan.weights, plan.intensity);
    half_map_ = device_buffer(context.device(), plane_bytes(half_->layout()));
  }
}

// halve, for the light of both pictures.
void MapPasses::record_halves(vulkan::Recorder& recorder) const {
  if (!half_) return;
  const LightLayout &whole = whole_.layout(), &half = half_->layout();
  const HalvePush push{.width = static_cast<uint>(whole.width),
                       .height = static_cast<uint>(whole.height),
                       .stride = static_cast<uint>(whole.stride),
                       .plane = static_cast<uint>(whole.plane),
                       .out_width = static_cast<uint>(half.width),
                       .out_height = static_cast<uint>(half.height),
                       .out_stride = static_cast<uint>(half.stride),
                       .out_plane = static_cast<uint>(half.plane)};
  for (const PictureBuffers* const buffers : {&reference_, &distorted_}) {
    recorder.pass(context_.pipeline(shaders::kButteraugliHalve), {&buffers->light, &buffers->half_light})
        .run(push, {vulkan::groups_for(half.width, kGroupX), vulkan::groups_for(half.height, kGroupY), 3});
  }
}

void MapPasses::record_bands(vulkan::Recorder& recorder) const {
  using Picture = ScalePasses::Picture;
  if (half_) {
    const std::array pictures = {Picture{reference_, reference_.half_light},
                                 Picture{distorted_, distorted_.half_light}};
    recorder.begin_stage(kBandsStage);
    half_->record_bands(recorder, pictures);
    recorder.begin_stage(kCompareStage);
    half_->record_comparison(
        recorder,
        {.reference = pictures[0], .distorted = pictures[1], .results = half_map_, .writes_map = true});
  }
  const std::array pictures = {Picture{reference_, reference_.light}, Picture{distorted_, distorted_.light}};
  recorder.begin_stage(kBandsStage);
  whole_.record_bands(recorder, pictures);
  recorder.begin_stage(kCompareStage);
  whole_.record_comparison(recorder, {.reference = pictures[0],
                                      .distorted = pictures[1],
                                      .half_map = half_ ? &half_map_ : nullptr,
                                      .results = results_,
                                      .writes_map = map_floats_ > 0,
                                      .first_sum = map_floats_});
}

void MapPasses::record_readback(vulkan::Recorder& recorder) const {
  recorder.copy(results_, readback_);
}

std::vector<TileSums> MapPasses::tiles() const {
  const auto bytes = static_cast<size_t>(readback_.bytes() - map_bytes());
  std::vector<TileSums> tiles(bytes / sizeof(TileSums));
  std::memcpy(tiles.data(), readback_.mapped() + map_bytes(), bytes);
  return tiles;
}

PlaneView<const float> MapPasses::map() const {
  if (map_floats_ == 0) return {};
  const LightLayout& layout = whole_.layout();
  return {reinterpret_cast<const float*>(readback_.mapped()), layout.width, layout.height, layout.stride};
}

}  // namespace vq::butteraugli::gpu
