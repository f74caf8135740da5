#include "feature/histogram/histogram.h"

#include "feature/device_feature.h"
#include "shaders/histogram/shared.h"
#include "shaders/histogram_count_plane.h"
#include "shaders/histogram_count_rgb.h"

namespace vq::histogram::gpu {

constexpr uint kTileWidth = kVector * kGroupX, kTileHeight = kRows * kGroupY;
static_assert(kTileWidth * kTileHeight <= UINT16_MAX, "a work group's counts fit 16 bits");
// Every device has this much shared memory.
static_assert(4 * (kMostWords + kRgbChannels * kBoundWords * kBoundCopies) <= 16384);
static_assert(kRgbChannels == kMaxChannels && kFractionBits == vq::histogram::kFractionBits);
static_assert(kTopWord == UINT16_MAX, "the smallest of any samples is not above it");

// `shifts`: of chroma, if there is some.
static std::vector<uint32_t> constants_for(int sample_bytes, const BinRule& rule, uint32_t channels,
                                           const ChromaShifts& shifts = {}) {
  const GroupBins bins = group_bins(rule, channels);
  return {static_cast<uint32_t>(sample_bytes),
          rule.bins,
          rule.shift,
          bins.copies,
          bins.words,
          kRows,
          static_cast<uint32_t>(shifts.x),
          static_cast<uint32_t>(shifts.y),
          bins.pairs ? 1U : 0U};
}

static const vulkan::Pipeline& rgb_pipeline(vulkan::Context& context, const vulkan::DevicePicture& picture,
                                            const RgbRule& rule) {
  HWY_DASSERT(picture.count() == kMaxPlanes);
  return context.pipeline(shaders::kHistogramCountRgb, constants_for(picture.plane(0).layout.sample_bytes,
                                                                     rule.bins, kRgbChannels, rule.shifts));
}

static vulkan::Groups groups_of(const vulkan::PlaneLayout& layout) {
  return vulkan::groups_for(layout.size(), kTileWidth, kTileHeight);
}

GroupBins group_bins(const BinRule& rule, uint32_t channels) {
  const uint32_t bins = channels * rule.bins;
  if (bins <= kMostWords) return {.copies = 1, .words = bins};
  if (bins / 2 <= kMostWords) return {.copies = 1, .words = bins / 2, .pairs = true};
  return {};
}

int64_t channel_bytes(const BinRule& rule) { return int64_t{4} * (rule.bins + kBoundWords); }

void add_counts(const std::byte* counted, const BinRule& rule, ChannelCounts& counts) {
  std::vector<uint32_t> words(rule.bins + kBoundWords);
  std::memcpy(words.data(), counted, words.size() * sizeof(uint32_t));
  for (uint32_t bin = 0; bin < rule.bins; ++bin) counts.bins[bin] += words[bin];
  uint32_t largest = words[rule.bins], smallest = kTopWord - words[rule.bins + 1];
  if (smallest > largest) {  // not looked for: the first and the last bin with samples
    const auto bins = std::span(words).first(rule.bins);
    const auto is_used = [](uint32_t count) { return count != 0; };
    const auto first = std::ranges::find_if(bins, is_used);
    if (first == bins.end()) return;
    smallest = static_cast<uint32_t>(first - bins.begin());
    largest = static_cast<uint32_t>(bins.rend() - std::find_if(bins.rbegin(), bins.rend(), is_used)) - 1;
  }
  counts.max = std::max(counts.max, largest);
  counts.min = std::min(counts.min, smallest);
}

CountPlanePass::CountPlanePass(vulkan::Context& context, const vulkan::DevicePlane& plane,
                               const BinRule& rule)
    : plane_(plane),
      rule_(rule),
      pipeline_(context.pipeline(shaders::kHistogramCountPlane,
                                 constants_for(plane.layout.sample_bytes, rule, 1))) {}

void CountPlanePass::record(vulkan::Recorder& recorder, const vulkan::Buffer& counts, int64_t channel) const {
  const CountPlanePush push{.width = plane_.width(),
                            .height = plane_.height(),
                            .stride = plane_.stride(),
                            .first_count = static_cast<uint>(channel * channel_bytes(rule_) / 4)};
  recorder.pass(pipeline_, {&plane_.buffer, &counts}).run(push, groups_of(plane_.layout));
}

CountRgbPass::CountRgbPass(vulkan::Context& context, const vulkan::DevicePicture& picture,
                           const RgbRule& rule)
    : picture_(picture), constants_(rule.constants), pipeline_(rgb_pipeline(context, picture, rule)) {}

void CountRgbPass::record(vulkan::Recorder& recorder, const vulkan::Buffer& counts) const {
  const vulkan::DevicePlane &luma = picture_.plane(0), &cb = picture_.plane(1), &cr = picture_.plane(2);
  const CountRgbPush push{.width = luma.width(),
                          .height = luma.height(),
                          .luma_stride = luma.stride(),
                          .chroma_stride = cb.stride(),
                          .first_count = 0,
                          .luma_offset = constants_.luma_offset,
                          .chroma_offset = constants_.chroma_offset,
                          .luma_scale = constants_.luma_scale,
                          .cr_to_r = constants_.cr_to_r,
                          .cb_to_g = constants_.cb_to_g,
                          .cr_to_g = constants_.cr_to_g,
                          .cb_to_b = constants_.cb_to_b,
                          .peak = constants_.peak};
  recorder.pass(pipeline_, {&luma.buffer, &cb.buffer, &cr.buffer, &counts}).run(push, groups_of(luma.layout));
}

}  // namespace vq::histogram::gpu

namespace vq::histogram {
namespace {

// The passes of a slot, and where their counts go.
class HistogramWork final : public DeviceWork {
 public:
  using Setting = DeviceSetting<HistogramPlan>;
  HistogramWork(const Setting& setting, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(setting.plan), histograms_(setting.histograms) {
    const HistogramPlan& plan = setting.plan;
    if (plan.is_rgb) {
      rgb_.emplace(context, frame.distorted, plan.rgb);
    } else {
      for (int i = 0; i < plan.planes; ++i)
        planes_.emplace_back(context, frame.distorted.plane(i), plan.bins);
    }
    const int64_t bytes = gpu::channel_bytes(plan.bins) * static_cast<int64_t>(plan.channels.size());
    counts_ = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, bytes);
  }

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("count");
    recorder.fill(counts_, 0);
    if (rgb_) rgb_->record(recorder, counts_);
    for (size_t i = 0; i < planes_.size(); ++i) planes_[i].record(recorder, counts_, static_cast<int64_t>(i));
    recorder.begin_stage("readback");
    recorder.copy(counts_, readback_);
  }

  FrameResult finish(const FramePair&) override { return frame_result(plan_, counts(), histograms_); }

 private:
  FrameCounts counts() const {
    FrameCounts counts(plan_);
    const std::byte* counted = readback_.mapped();
    for (size_t i = 0; i < plan_.channels.size(); ++i) {
      gpu::add_counts(counted, plan_.bins, counts.channels[i]);
      counted += gpu::channel_bytes(plan_.bins);
    }
    return counts;
  }

  const HistogramPlan& plan_;
  const bool histograms_;
  std::optional<gpu::CountRgbPass> rgb_;
  std::vector<gpu::CountPlanePass> planes_;
  vulkan::Buffer counts_, readback_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Histogram, HistogramWork, shaders::kHistogramCountPlane,
                    shaders::kHistogramCountRgb>();

}  // namespace vq::histogram
