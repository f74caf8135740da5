#include "feature/cambi/vulkan_scoring.h"

#include <algorithm>

// Made by the build from shaders/*.comp.
#include "shaders/cambi_c_values_scan.h"
#include "shaders/cambi_pool_count.h"
#include "shaders/cambi_pool_finish.h"
#include "vulkan/limits.h"

namespace vq::cambi::gpu {
namespace {

static_assert(kScaleCount == kScales);
static_assert(kSetWords * 32 > kMaxLevel);

constexpr vulkan::Shader kScanShader{"cambi_c_values_scan", kCambiCValuesScanSpirv};
constexpr vulkan::Shader kPoolCountShader{"cambi_pool_count", kCambiPoolCountSpirv};
constexpr vulkan::Shader kPoolFinishShader{"cambi_pool_finish", kCambiPoolFinishSpirv};

constexpr int64_t kSumBytes = int64_t{kScales} * kSumWords * 4;
constexpr int64_t kHistogramBytes = int64_t{kScales} * kPoolDigits * kBins * 4;

// Runs so many work groups, in as many dispatches as the device takes them.
template <typename Push>
void run_groups(const vulkan::DeviceInfo& device, const vulkan::Recorder::Pass& pass, Push push,
                uint groups) {
  const uint most = static_cast<uint>(device.max_groups[0]);
  for (push.first_group = 0; push.first_group < groups;) {
    const uint count = std::min(groups - push.first_group, most);
    pass.run(push, {count, 1, 1});
    push.first_group += count;
  }
}

std::vector<ContrastRule> contrast_rules(const CambiPlan& plan) {
  std::vector<ContrastRule> rules;
  for (int d = 1; d <= plan.num_contrasts; ++d) {
    const Contrast& contrast = plan.contrasts[static_cast<size_t>(d - 1)];
    rules.push_back({static_cast<uint>(contrast.weight), contrast.first_level, contrast.last_level});
  }
  return rules;
}

uint last_end(uint first, uint count, uint most) {
  return std::max(first + count, most);
}

}  // namespace

std::string unsupported_by_scoring(const vulkan::DeviceInfo& device) {
  // Where these are too large for a plan's window, choose_tiles() says so.
  constexpr CValueTiles kLeast{16, 1, 2, false};
  CambiPlan plan;
  plan.half_window = 1;
  plan.num_contrasts = 1;
  const std::pair<vulkan::Shader, std::vector<uint32_t>> shaders[] = {
      {kSliceShader, {kMaxSliceParts}},
      {kCValuesShader, kLeast.constants(plan)},
      {kPoolCountShader, {}},
      {kPoolFinishShader, {}}};
  for (const auto& [shader, constants] : shaders) {
    std::string reason = unsupported_reason(device, vulkan::needs_of(shader, constants));
    if (!reason.empty()) return reason;
  }
  return "";
}

Scoring::Scoring(vulkan::Context& context, const CambiPlan& plan, const CValueTiles& tiles, Method method)
    : context_(context),
      plan_(plan),
      tiles_(tiles),
      method_(method),
      scales_(make_geometry(plan, tiles)),
      geometry_(context.table(scales_)),
      contrasts_(context.table(contrast_rules(plan))),
      reciprocals_(context.table(plan.reciprocals)) {
  const std::shared_ptr<vulkan::Device>& device = context.device();
  const auto on_device = [&](int64_t bytes) {
    return vulkan::Buffer(device, vulkan::Memory::kDevice, bytes);
  };
  const ScoringSizes sizes = scoring_sizes(scales_);
  levels_ = on_device(sizes.words * kWordSamples * 2);
  planes_ = on_device(sizes.words * kPlaneVectors * 16);
  sets_ = on_device(sizes.blocks * kSetWords * 4);
  for (size_t i = 0; i < values_.size(); ++i) values_[i] = on_device(sizes.value_bytes[i]);
  sums_ = on_device(kSumBytes);
  histograms_ = on_device(kHistogramBytes);
  read_sums_ = vulkan::Buffer(device, vulkan::Memory::kReadback, kSumBytes);
}

int64_t Scoring::bytes(const CambiPlan& plan, bool with_values) {
  const ScoringSizes sizes = scoring_sizes(make_geometry(plan, {}));
  const int64_t values = sizes.value_bytes[0] + sizes.value_bytes[1] + sizes.value_bytes[2];
  return sizes.words * (kWordSamples * 2 + kPlaneVectors * 16) + sizes.blocks * kSetWords * 4 +
         (with_values ? 2 : 1) * values + kHistogramBytes + 2 * kSumBytes;
}

void Scoring::record(vulkan::Recorder& recorder, const ScoringInput& input, bool with_values) {
  recorder.begin_stage("slice");
  recorder.fill(sums_, 0);
  recorder.fill(histograms_, 0);
  uint groups = 0;
  for (const ScaleGeometry& scale : scales_) groups += scale.slice_groups;
  const auto& images = input.images;
  const vulkan::DeviceInfo& device = context_.device()->info();
  const vulkan::Recorder::Pass pass = recorder.pass(
      context_.pipeline(kSliceShader, {tiles_.slice_parts}),
      {&geometry_, &images[0]->buffer, &images[1]->buffer, &images[2]->buffer, &images[3]->buffer,
       &images[4]->buffer, &input.mask->buffer, &levels_, &planes_, &sets_});
  run_groups(device, pass, GroupPush{}, groups);
  recorder.begin_stage("c_values");
  record_c_values(recorder);
  recorder.begin_stage("pooling");
  record_pooling(recorder);
  if (with_values) record_values(recorder);
  recorder.begin_stage("readback");
  recorder.copy(sums_, read_sums_);
}

void Scoring::record_c_values(vulkan::Recorder& recorder) {
  uint tiles = 0, slice_groups = 0;
  for (const ScaleGeometry& scale : scales_) {
    tiles = last_end(scale.first_tile, scale.tiles, tiles);
    slice_groups = last_end(scale.first_slice_group, scale.slice_groups, slice_groups);
  }
  if (method_ == Method::kScan) {
    constexpr uint kGroupsEach = kSliceWords * kWordSamples * kBlockRows / 256;
    recorder
        .pass(
            context_.pipeline(kScanShader,
                         {static_cast<uint>(plan_.half_window), static_cast<uint>(plan_.num_contrasts)}),
            {&geometry_, &levels_, &contrasts_, &reciprocals_, &values_[0], &values_[1], &values_[2], &sums_})
        .run(GroupPush{}, {slice_groups, kGroupsEach, 1});
    return;
  }
  const vulkan::Recorder::Pass pass =
      recorder.pass(context_.pipeline(kCValuesShader, tiles_.constants(plan_)),
                    {&geometry_, &levels_, &planes_, &sets_, &contrasts_, &reciprocals_, &values_[0],
                     &values_[1], &values_[2], &sums_});
  run_groups(context_.device()->info(), pass, GroupPush{}, tiles);
}

void Scoring::record_pooling(vulkan::Recorder& recorder) {
  uint groups = 0;
  for (const ScaleGeometry& scale : scales_) groups += scale.pool_groups;
  for (uint digit = 0; digit < kPoolDigits; ++digit) {
    const vulkan::Recorder::Pass pass =
        recorder.pass(context_.pipeline(kPoolCountShader),
                      {&geometry_, &values_[0], &values_[1], &values_[2], &sums_, &histograms_});
    run_groups(context_.device()->info(), pass, PoolPush{.first_group = 0, .digit = digit}, groups);
  }
  recorder.pass(context_.pipeline(kPoolFinishShader), {&geometry_, &sums_, &histograms_})
      .run(GroupPush{}, {kScales, 1, 1});
}

// The halves of the finest scale meet again.
void Scoring::record_values(vulkan::Recorder& recorder) {
  const int64_t upper = values_[0].bytes();
  const ScaleGeometry& finest = scales_[0];
  const int64_t finest_bytes = int64_t{finest.words} * finest.height * kWordSamples * 4;
  if (read_values_.bytes() == 0) {
    read_values_ = vulkan::Buffer(context_.device(), vulkan::Memory::kReadback, finest_bytes + values_[2].bytes());
  }
  recorder.begin_stage("heatmap");
  std::vector<vulkan::Copy> copies = {
      {.from = &values_[0], .to = &read_values_, .bytes = upper},
      {.from = &values_[2], .to = &read_values_, .to_offset = finest_bytes, .bytes = values_[2].bytes()}};
  if (finest_bytes > upper) {
    copies.push_back(
        {.from = &values_[1], .to = &read_values_, .to_offset = upper, .bytes = finest_bytes - upper});
  }
  recorder.copy(copies);
}

std::array<ExactSum, kScales> Scoring::sums() const {
  const auto* words = reinterpret_cast<const uint32_t*>(read_sums_.mapped());
  std::array<ExactSum, kScales> sums{};
  for (size_t k = 0; k < kScales; ++k, words += kSumWords) {
    const uint32_t* const sum = words + (words[0] > scales_[k].topk_count ? kSumOfLargest : kSumOfAll);
    sums[k] = (static_cast<ExactSum>(sum[2]) << 64) | (static_cast<ExactSum>(sum[1]) << 32) | sum[0];
  }
  return sums;
}

CValuesIn Scoring::values(int scale) const {
  const ScaleGeometry& geometry = scales_[static_cast<size_t>(scale)];
  const auto* values = reinterpret_cast<const float*>(read_values_.mapped());
  if (scale > 0) {
    values +=
        int64_t{scales_[0].words} * scales_[0].height * kWordSamples + int64_t{geometry.first_value} * 4;
  }
  return {values, static_cast<int>(geometry.width), static_cast<int>(geometry.height),
          static_cast<ptrdiff_t>(geometry.words) * kWordSamples};
}

}  // namespace vq::cambi::gpu
