#include "feature/butteraugli/butteraugli.h"

#include "shaders/butteraugli/shared.h"
#include "shaders/butteraugli_blur_activity.h"
#include "shaders/butteraugli_compare.h"
#include "shaders/butteraugli_halve.h"
#include "shaders/butteraugli_opsin.h"
#include "shaders/butteraugli_split_high.h"
#include "shaders/butteraugli_split_low.h"
#include "shaders/butteraugli_split_middle.h"
#include "shaders/light_to_light.h"

namespace vq::butteraugli::gpu {
namespace {

using light::gpu::LightLayout;

static_assert(4 * kTapVectors > kMostReach);
static_assert(sizeof(TileSums) == kTileFloats * sizeof(float));

LightLayout layout_of(PlaneSize size) { return light::gpu::layout_of(size); }

vulkan::Buffer device_buffer(const std::shared_ptr<vulkan::Device>& device, int64_t bytes) {
  return {device, vulkan::Memory::kDevice, bytes};
}

int64_t plane_bytes(const LightLayout& layout) { return layout.plane * static_cast<int64_t>(sizeof(float)); }
int64_t sums_bytes(PlaneSize size) {
  return int64_t{tiles_across(size.width)} * tiles_across(size.height) *
         static_cast<int64_t>(sizeof(TileSums));
}

std::vector<float> table_of(const Filter& filter, PlaneSize size) {
  std::vector<float> table(filter.column_factors.begin(), filter.column_factors.begin() + size.width);
  table.insert(table.end(), filter.row_factors.begin(), filter.row_factors.begin() + size.height);
  return table;
}

// Buffers of one picture at one scale: see shaders/butteraugli/shared.h.
struct PictureBuffers {
  PictureBuffers(const std::shared_ptr<vulkan::Device>& device, PlaneSize size) {
    for (vulkan::Buffer* const buffer : {&light, &picture, &low, &middle, &high})
      *buffer = device_buffer(device, layout_of(size).bytes());
  }
  vulkan::Buffer light, picture, low, middle, high;
};

// The filters in order: a shader, its filter, and the buffers behind the table.
struct Pass {
  const vulkan::Shader& shader;
  FilterName filter;
  std::vector<const vulkan::Buffer PictureBuffers::*> buffers;
};
const std::array<Pass, kFilters>& filter_passes() {
  using B = PictureBuffers;
  static const std::array<Pass, kFilters> kPasses = {
      {{shaders::kButteraugliOpsin, kAroundFilter, {&B::light, &B::picture}},
       {shaders::kButteraugliSplitLow, kLowFilter, {&B::picture, &B::low, &B::high}},
       {shaders::kButteraugliSplitMiddle, kMiddleFilter, {&B::high, &B::middle, &B::picture}},
       {shaders::kButteraugliSplitHigh, kHighFilter, {&B::picture, &B::high, &B::light}},
       {shaders::kButteraugliBlurActivity, kActivityFilter, {&B::light, &B::high}}}};
  return kPasses;
}

// The passes of one scale.
class ScalePasses {
 public:
  ScalePasses(vulkan::Context& context, const ScalePlan& plan, const Weights& weights, float intensity)
      : reference(context.device(), plan.size),
        distorted(context.device(), plan.size),
        context_(context),
        plan_(plan),
        weights_(weights),
        intensity_(intensity),
        layout_(layout_of(plan.size)) {
    for (size_t i = 0; i < kFilters; ++i) tables_[i] = &context.table(table_of(plan.filters[i], plan.size));
    for (size_t i = 0; i < kFilters; ++i) filters_[i] = &context.pipeline(filter_passes()[i].shader);
  }

  // The filters from 0 to kFilters - 1, in order, make the bands of both pictures from their light.
  void record_filter(vulkan::Recorder& recorder, size_t number) const {
    const Pass& pass = filter_passes()[number];
    BandsPush push{.width = static_cast<uint>(layout_.width),
                   .height = static_cast<uint>(layout_.height),
                   .stride = static_cast<uint>(layout_.stride),
                   .plane = static_cast<uint>(layout_.plane),
                   .taps = {},
                   .intensity = intensity_};
    std::ranges::copy(plan_.filters[pass.filter].kernel.taps, push.taps);
    for (const PictureBuffers* const picture : {&reference, &distorted}) {
      std::vector<const vulkan::Buffer*> buffers = {tables_[pass.filter]};
      for (const auto& member : pass.buffers) buffers.push_back(&(picture->*member));
      recorder.pass(*filters_[number], std::move(buffers))
          .run(push, vulkan::groups_for(plan_.size, kFilterTile, kFilterTile));
    }
  }

  // A comparison of the bands: what it takes and leaves.
  struct Comparison {
    const vulkan::Buffer* half_map = nullptr;  // null: there is no half scale to add
    int half_stride = 0;                       // of that, in floats
    const vulkan::Buffer& results;
    bool writes_map = false;                // at the beginning of the results
    std::optional<int64_t> first_sum = {};  // of the results, in floats; none: tiles are not summed up
  };
  const vulkan::Pipeline& pipeline_for(const Comparison& comparison) const {
    return context_.pipeline(
        shaders::kButteraugliCompare,
        {comparison.half_map != nullptr, comparison.writes_map, comparison.first_sum.has_value()});
  }
  // line_differences, add_lines, erode, map_row and add_half.
  void record_comparison(vulkan::Recorder& recorder, const Comparison& comparison) const {
    const PictureBuffers &a = reference, &b = distorted;
    const auto& lines = weights_.lines;
    const LineWeights &x0 = lines[0][0], &x1 = lines[1][0], &x2 = lines[2][0];
    const LineWeights &y0 = lines[0][1], &y1 = lines[1][1], &y2 = lines[2][1];
    const ComparePush push{.width = static_cast<uint>(layout_.width),
                           .height = static_cast<uint>(layout_.height),
                           .stride = static_cast<uint>(layout_.stride),
                           .plane = static_cast<uint>(layout_.plane),
                           .half_stride = static_cast<uint>(comparison.half_stride),
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
    const vulkan::Buffer* const half_map = comparison.half_map != nullptr ? comparison.half_map : &a.high;
    recorder
        .pass(pipeline_for(comparison), {&a.high, &a.light, &a.low, &a.middle, &b.high, &b.light, &b.low,
                                         &b.middle, half_map, &comparison.results})
        .run(push, vulkan::groups_for(plan_.size, kTile, kTile));
  }

  const LightLayout& layout() const { return layout_; }

  const PictureBuffers reference, distorted;

 private:
  vulkan::Context& context_;
  const ScalePlan& plan_;
  const Weights& weights_;
  const float intensity_;
  const LightLayout layout_;
  std::array<const vulkan::Buffer*, kFilters> tables_ = {};
  std::array<const vulkan::Pipeline*, kFilters> filters_ = {};
};

// All passes behind light. Needs: a plan with a scale.
class MapPasses {
 public:
  MapPasses(vulkan::Context& context, const ButteraugliPlan& plan, bool keeps_map)
      : whole_(context, plan.scales.front(), plan.weights, plan.intensity),
        map_floats_(keeps_map ? plane_bytes(whole_.layout()) / static_cast<int64_t>(sizeof(float)) : 0),
        results_(device_buffer(context.device(), map_bytes() + sums_bytes(plan.size))),
        readback_(context.device(), vulkan::Memory::kReadback, results_.bytes()) {
    if (plan.scales.size() > 1) {
      half_.emplace(context, plan.scales[1], plan.weights, plan.intensity);
      half_map_ = device_buffer(context.device(), plane_bytes(half_->layout()));
      half_->pipeline_for(comparison_of_halves());
      halve_ = &context.pipeline(shaders::kButteraugliHalve);
    }
    whole_.pipeline_for(comparison());  // from here on they are compiled side by side
  }

  // Where the light of both pictures goes first.
  const vulkan::Buffer& reference_light() const { return whole_.reference.light; }
  const vulkan::Buffer& distorted_light() const { return whole_.distorted.light; }

  // Both scales go through each filter side by side, as none needs the other.
  void record(vulkan::Recorder& recorder) const {
    if (half_) record_halves(recorder);
    recorder.begin_stage(kBandsStage);
    for (size_t i = 0; i < kFilters; ++i) {
      whole_.record_filter(recorder, i);
      if (half_) half_->record_filter(recorder, i);
    }
    recorder.begin_stage(kCompareStage);
    if (half_) half_->record_comparison(recorder, comparison_of_halves());
    whole_.record_comparison(recorder, comparison());
  }

  void record_readback(vulkan::Recorder& recorder) const { recorder.copy(results_, readback_); }

  std::vector<TileSums> tiles() const {
    const auto bytes = static_cast<size_t>(readback_.bytes() - map_bytes());
    std::vector<TileSums> tiles(bytes / sizeof(TileSums));
    std::memcpy(tiles.data(), readback_.mapped() + map_bytes(), bytes);
    return tiles;
  }

  // Empty unless the map is kept.
  PlaneView<const float> map() const {
    if (map_floats_ == 0) return {};
    const LightLayout& layout = whole_.layout();
    return {reinterpret_cast<const float*>(readback_.mapped()), layout.width, layout.height, layout.stride};
  }

 private:
  ScalePasses::Comparison comparison_of_halves() const { return {.results = half_map_, .writes_map = true}; }
  ScalePasses::Comparison comparison() const {
    return {.half_map = half_ ? &half_map_ : nullptr,
            .half_stride = half_ ? half_->layout().stride : 0,
            .results = results_,
            .writes_map = map_floats_ > 0,
            .first_sum = map_floats_};
  }
  // halve, for the light of both pictures.
  void record_halves(vulkan::Recorder& recorder) const {
    const LightLayout &whole = whole_.layout(), &half = half_->layout();
    const HalvePush push{.width = static_cast<uint>(whole.width),
                         .height = static_cast<uint>(whole.height),
                         .stride = static_cast<uint>(whole.stride),
                         .plane = static_cast<uint>(whole.plane),
                         .out_width = static_cast<uint>(half.width),
                         .out_height = static_cast<uint>(half.height),
                         .out_stride = static_cast<uint>(half.stride),
                         .out_plane = static_cast<uint>(half.plane)};
    for (const auto picture : {&ScalePasses::reference, &ScalePasses::distorted}) {
      recorder.pass(*halve_, {&(whole_.*picture).light, &((*half_).*picture).light})
          .run(push, {vulkan::groups_for(half.width, kGroupX), vulkan::groups_for(half.height, kGroupY), 3});
    }
  }
  int64_t map_bytes() const { return map_floats_ * static_cast<int64_t>(sizeof(float)); }

  ScalePasses whole_;
  const vulkan::Pipeline* halve_ = nullptr;  // of the half scale
  std::optional<ScalePasses> half_;
  const int64_t map_floats_;  // of the map, in front of the tiles' sums; 0: it is not kept
  vulkan::Buffer half_map_, results_, readback_;
};

}  // namespace
}  // namespace vq::butteraugli::gpu

namespace vq::butteraugli {
namespace {

// The passes of a slot; none for pictures whose map is 0.
class ButteraugliWork final : public DeviceWork {
 public:
  using Setting = DeviceSetting<ButteraugliPlan>;
  ButteraugliWork(const Setting& setting, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(setting.plan), draws_(setting.heatmaps) {
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
    map_->record(recorder);
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
                    shaders::kButteraugliHalve, shaders::kButteraugliOpsin, shaders::kButteraugliSplitLow,
                    shaders::kButteraugliSplitMiddle, shaders::kButteraugliSplitHigh,
                    shaders::kButteraugliBlurActivity, shaders::kButteraugliCompare>();

}  // namespace vq::butteraugli
