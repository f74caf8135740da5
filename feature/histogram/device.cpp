#include "feature/histogram/feature.h"

#include <array>
#include <optional>

#include "feature/device_feature.h"
#include "feature/histogram/device_passes.h"
#include "feature/histogram/figures.h"
#include "feature/start_up_check.h"

namespace vq::histogram {
namespace {

// What is the same for all slots.
struct HistogramSetting {
  HistogramPlan plan;
  bool histograms = false;  // whole ones are wanted
};

// The passes of a slot, and where their counts go.
class HistogramWork final : public DeviceWork {
 public:
  HistogramWork(const HistogramSetting& setting, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(setting.plan), histograms_(setting.histograms) {
    const HistogramPlan& plan = setting.plan;
    if (plan.is_rgb) {
      rgb_.emplace(context, frame.distorted, plan.rgb);
    } else {
      for (int i = 0; i < plan.planes; ++i) planes_.emplace_back(context, frame.distorted.plane(i), plan.bins);
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
  int64_t bytes_read() const override { return readback_.bytes(); }

  // Valid after what was recorded has run.
  FrameCounts counts() const {
    FrameCounts counts(plan_);
    const std::byte* counted = readback_.mapped();
    for (size_t i = 0; i < plan_.channels.size(); ++i) {
      gpu::add_counts(counted, plan_.bins, counts.channels[i]);
      counted += gpu::channel_bytes(plan_.bins);
    }
    return counts;
  }

 private:
  const HistogramPlan& plan_;
  const bool histograms_;
  std::optional<gpu::CountRgbPass> rgb_;
  std::vector<gpu::CountPlanePass> planes_;
  vulkan::Buffer counts_, readback_;
};

FrameCounts counted_on_cpu(const HistogramPlan& plan, const Frame& frame) {
  FrameCounts counts(plan);
  if (plan.is_rgb) {
    scalar::count_rgb(frame.planes, plan.rgb, counts.channels);
  } else {
    for (size_t i = 0; i < plan.channels.size(); ++i) {
      scalar::count_plane(frame.planes[i], plan.bins, counts.channels[i]);
    }
  }
  return counts;
}

bool same_counts(const HistogramPlan& plan, const FrameCounts& a, const FrameCounts& b) {
  if (a.bins != b.bins) return false;
  for (size_t i = 0; i < plan.channels.size(); ++i) {
    const ChannelCounts &one = a.channels[i], &other = b.channels[i];
    if (one.min != other.min || one.max != other.max) return false;
  }
  return true;
}

// The start-up check: a small picture like the video's is counted on the device and on the CPU.
void check_device(vulkan::Context& context, const HistogramOptions& options, const VideoFormat& video) {
  CheckPicture picture(context, video, kMaxPlanes, 1);
  const HistogramSetting setting = {.plan = make_plan(options, picture.format())};
  const HistogramPlan& plan = setting.plan;
  HistogramWork work(setting, context, {picture.on_device()});
  run_once(context, std::array{&picture}, work);
  FrameCounts expected = counted_on_cpu(plan, picture.frame());
  // A test that wants this to fail.
  if (context.device()->is_to_fail(vulkan::Call::kStartUpCheck)) ++expected.bins[0][0];
  context.require_same(same_counts(plan, work.counts(), expected), "counts");
}

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  return gpu::unsupported_by_stages(device);
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const InputFormats& formats,
                                    const Execution& execution, vulkan::Context& context) {
  const HistogramOptions options = to_options(set);
  check_device(context, options, formats.distorted);
  const HistogramSetting setting = {.plan = make_plan(options, formats.distorted), .histograms = execution.histograms};
  return make_plain_feature<HistogramWork>(setting, context);
}

// Counts on the device and read back.
FeatureMemory memory(const OptionSet& set, const InputFormats& formats, const Execution&) {
  const HistogramPlan plan = make_plan(to_options(set), formats.distorted);
  return {.each_slot = 2 * gpu::channel_bytes(plan.bins) * static_cast<int64_t>(plan.channels.size()),
          .each_result = result_bytes(plan)};
}

}  // namespace

const DeviceSupport kDeviceSupport = {.unsupported = unsupported, .make = make, .memory = memory};

}  // namespace vq::histogram
