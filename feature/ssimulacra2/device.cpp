#include "feature/ssimulacra2/ssimulacra2.h"

#include "feature/device_feature.h"
#include "feature/light/device.h"
#include "shaders/light_to_light.h"
#include "shaders/ssimulacra2/shared.h"
#include "shaders/ssimulacra2_compare.h"
#include "shaders/ssimulacra2_halve.h"

namespace vq::ssimulacra2::gpu {

// One scale of a pair, in device memory.
class Scale {
 public:
  // `with_local`: also CompareOutput::local.
  Scale(vulkan::Context& context, const ScalePlan& scale, bool with_local);

  const light::gpu::LightPlanes& first() const { return first_; }
  const light::gpu::LightPlanes& second() const { return second_; }

  // halve_rows: fills the light from that of the scale before.
  void record_halving(vulkan::Recorder& recorder, const Scale& finer) const;
  // to_xyb, blur_row, blur_mixed and compare_row, for each channel that counts.
  void record_comparison(vulkan::Recorder& recorder) const;
  void record_readback(vulkan::Recorder& recorder) const;

  ScaleTotals totals() const;
  // Rows without guards. Needs: `with_local`.
  PlaneView<const float> local() const;

 private:
  void record_channel(vulkan::Recorder& recorder, size_t channel, int first_sum, bool is_first) const;

  const vulkan::Pipeline& halve_;
  std::array<const vulkan::Pipeline*, kChannels> compare_ = {};  // null: the channel does not count
  const ScalePlan& scale_;
  const light::gpu::LightLayout layout_;
  const bool with_local_;
  light::gpu::LightPlanes first_, second_;
  vulkan::Buffer sums_, sums_readback_;
  vulkan::Buffer local_, local_readback_;
};

static_assert(kTileSide == kTile && kMostSums == kSums && kNorms == 2);

// A buffer is never empty.
constexpr int64_t kLeastBytes = sizeof(float);

static int count_sums(const Weights& weights) {
  return static_cast<int>(std::ranges::count_if(weights, [](double weight) { return weight > 0; }));
}
static int count_sums(const ScalePlan& scale) {
  return count_sums(scale.weights[kX]) + count_sums(scale.weights[kY]) + count_sums(scale.weights[kB]);
}

static int64_t tile_count(PlaneSize size) { return int64_t{tiles_of(size.width)} * tiles_of(size.height); }
static int64_t sum_bytes(const ScalePlan& scale) {
  return std::max(tile_count(scale.size) * count_sums(scale) * int64_t{sizeof(float)}, kLeastBytes);
}
static int64_t local_bytes(const light::gpu::LightLayout& layout, bool with_local) {
  return with_local ? layout.plane_bytes() : kLeastBytes;
}

static uint wanted_bits(const Weights& weights) {
  uint bits = 0;
  for (size_t i = 0; i < kSums; ++i) bits |= weights[i] > 0 ? uint{1} << i : 0;
  return bits;
}

Scale::Scale(vulkan::Context& context, const ScalePlan& scale, bool with_local)
    : halve_(context.pipeline(shaders::kSsimulacra2Halve)),
      scale_(scale),
      layout_(light::gpu::layout_of(scale.size)),
      with_local_(with_local),
      first_(light::gpu::make_planes(context, layout_)),
      second_(light::gpu::make_planes(context, layout_)),
      sums_(context.device(), vulkan::Memory::kDevice, sum_bytes(scale)),
      sums_readback_(context.device(), vulkan::Memory::kReadback, sum_bytes(scale)),
      local_(context.device(), vulkan::Memory::kDevice, local_bytes(layout_, with_local)) {
  if (with_local)
    local_readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, local_.bytes());
  for (size_t channel = 0; channel < kChannels; ++channel) {
    if (scale.needs(channel))
      compare_[channel] = &context.pipeline(shaders::kSsimulacra2Compare, {channel, with_local});
  }
}

void Scale::record_halving(vulkan::Recorder& recorder, const Scale& finer) const {
  const HalvePush push{.width = static_cast<uint>(finer.layout_.width),
                       .height = static_cast<uint>(finer.layout_.height),
                       .stride = static_cast<uint>(finer.layout_.stride),
                       .out_stride = static_cast<uint>(layout_.stride)};
  const vulkan::Groups groups = vulkan::groups_for(scale_.size, kHalveX, kHalveY);
  for (size_t i = 0; i < first_.size(); ++i) {
    recorder.pass(halve_, {&finer.first_[i], &first_[i]}).run(push, groups);
    recorder.pass(halve_, {&finer.second_[i], &second_[i]}).run(push, groups);
  }
}

void Scale::record_comparison(vulkan::Recorder& recorder) const {
  int first_sum = 0;
  bool is_first = true;
  for (size_t channel = 0; channel < kChannels; ++channel) {
    if (compare_[channel] == nullptr) continue;
    record_channel(recorder, channel, first_sum, is_first);
    first_sum += count_sums(scale_.weights[channel]);
    is_first = false;
  }
}

void Scale::record_channel(vulkan::Recorder& recorder, size_t channel, int first_sum, bool is_first) const {
  const std::array<float, kMaps> weights = local_weights(scale_, channel);
  const uint columns = vulkan::groups_for(layout_.width, kTile),
             rows = vulkan::groups_for(layout_.height, kTile);
  const ComparePush push{.width = static_cast<uint>(layout_.width),
                         .height = static_cast<uint>(layout_.height),
                         .stride = static_cast<uint>(layout_.stride),
                         .tile_columns = columns,
                         .tiles = static_cast<uint>(tile_count(scale_.size)),
                         .first_sum = static_cast<uint>(first_sum),
                         .wanted = wanted_bits(scale_.weights[channel]),
                         .local_stride = static_cast<uint>(layout_.stride),
                         .is_first = is_first ? 1U : 0U,
                         .structure_weight = weights[kStructure],
                         .artefact_weight = weights[kArtefact],
                         .detail_weight = weights[kDetail]};
  recorder
      .pass(*compare_[channel],
            {&first_[0], &first_[1], &first_[2], &second_[0], &second_[1], &second_[2], &sums_, &local_})
      .run(push, {columns, rows});
}

void Scale::record_readback(vulkan::Recorder& recorder) const {
  recorder.copy(sums_, sums_readback_);
  if (with_local_) recorder.copy(local_, local_readback_);
}

ScaleTotals Scale::totals() const {
  ScaleTotals totals = {};
  const auto tiles = static_cast<size_t>(tile_count(scale_.size));
  const auto* sums = reinterpret_cast<const float*>(sums_readback_.mapped());
  for (size_t channel = 0; channel < kChannels; ++channel) {
    for (size_t i = 0; i < kSums; ++i) {
      if (scale_.weights[channel][i] <= 0) continue;
      totals[channel][i] = total({sums, tiles});
      sums += tiles;
    }
  }
  return totals;
}

PlaneView<const float> Scale::local() const {
  return {reinterpret_cast<const float*>(local_readback_.mapped()), layout_.width, layout_.height,
          layout_.stride};
}

}  // namespace vq::ssimulacra2::gpu

namespace vq::ssimulacra2 {
namespace {

// The passes of all scales of a slot.
class Work final : public DeviceWork {
 public:
  using Setting = DeviceSetting<Plan>;
  Work(const Setting& setting, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(setting.plan),
        with_heatmaps_(setting.heatmaps),
        first_(context, frame.needed_reference(), setting.plan.reference),
        second_(context, frame.distorted, setting.plan.distorted) {
    for (const ScalePlan& scale : plan_.scales) scales_.emplace_back(context, scale, with_heatmaps_);
  }

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage(kLightStage);
    first_.record(recorder, scales_[0].first());
    second_.record(recorder, scales_[0].second());
    recorder.begin_stage(kHalveStage);
    for (size_t k = 1; k < scales_.size(); ++k) scales_[k].record_halving(recorder, scales_[k - 1]);
    recorder.begin_stage(kCompareStage);
    for (const gpu::Scale& scale : scales_) scale.record_comparison(recorder);
    recorder.begin_stage(kReadbackStage);
    for (const gpu::Scale& scale : scales_) scale.record_readback(recorder);
  }

  FrameResult finish(const FramePair&) override {
    std::vector<ScaleTotals> totals;
    std::vector<PlaneView<const float>> local;
    for (const gpu::Scale& scale : scales_) {
      totals.push_back(scale.totals());
      if (with_heatmaps_) local.push_back(scale.local());
    }
    return frame_result(plan_, totals, local);
  }

  // By all weights.
  static void for_check(OptionSet& set) { set.resolve("form", "exact"); }
  static void check_stages(vulkan::Context& context, const Plan& plan, const VideoFormats& formats) {
    light::gpu::check_to_light(context, formats, plan.distorted, &plan.reference);
  }

 private:
  const Plan& plan_;
  const bool with_heatmaps_;
  const light::gpu::ToLightPass first_, second_;
  std::vector<gpu::Scale> scales_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Ssimulacra2, Work, shaders::kLightToLight, shaders::kSsimulacra2Halve,
                    shaders::kSsimulacra2Compare>();

}  // namespace vq::ssimulacra2
