#include "feature/motion/feature.h"

#include <array>

#include "feature/device_feature.h"
#include "feature/luma_range.h"
#include "feature/motion/device_passes.h"
#include "feature/motion/score.h"
#include "feature/motion/stages.h"
#include "feature/start_up_check.h"

namespace vq::motion {
namespace {

// What is the same for all slots.
struct MotionSetting {
  MotionOptions options;
  VideoFormat video;
};

// Of a feature that compares nothing.
class NoWork final : public DeviceWork {
 public:
  NoWork(const MotionSetting&, vulkan::Context&, const DeviceFrame&) {}
  void record(vulkan::Recorder&) override {}
  FrameResult finish(const FramePair&) override { return {.values = {0}}; }
  int64_t bytes_read() const override { return 0; }
};

// The pass of a slot, and where its sums go.
class MotionWork final : public DeviceWork {
 public:
  MotionWork(const MotionSetting& setting, vulkan::Context& context, const DeviceFrame& frame)
      : options_(setting.options),
        video_(setting.video),
        pass_(context, operands_of(setting, frame)),
        sums_(context.device(), vulkan::Memory::kDevice, pass_.sum_bytes()),
        readback_(context.device(), vulkan::Memory::kReadback, pass_.sum_bytes()) {}

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("blurred_difference");
    pass_.record(recorder, sums_);
    recorder.begin_stage("readback");
    recorder.copy(sums_, readback_);
  }

  FrameResult finish(const FramePair& frames) override {
    if (pass_.has_excess(readback_.mapped())) refuse_luma({{frames.reference.value(), video_}});
    if (frames.references_before.size() < static_cast<size_t>(options_.gap())) return {.values = {0}};
    return {.values = {pair_score(options_, difference(), {video_.width, video_.height})}};
  }

  int64_t bytes_read() const override { return readback_.bytes(); }

  // Valid after what was recorded has run.
  uint64_t difference() const { return pass_.difference(readback_.mapped()); }

 private:
  static gpu::Operands operands_of(const MotionSetting& setting, const DeviceFrame& frame) {
    const auto gap = static_cast<size_t>(setting.options.gap());
    return {frame.references_before[gap - 1]->plane(0), frame.needed_reference().plane(0), setting.video.bit_depth};
  }

  const MotionOptions& options_;
  const VideoFormat& video_;
  const gpu::BlurredDifferencePass pass_;
  vulkan::Buffer sums_, readback_;
};

// The start-up check: two small pictures of the video's depth are compared on the device and on the CPU.
void check_device(vulkan::Context& context, const VideoFormat& reference) {
  CheckPicture before(context, reference, 1, 1), now(context, reference, 1, 2);
  const MotionSetting setting = {.options = {}, .video = now.format()};
  MotionWork work(setting, context,
                  {.distorted = now.on_device(), .reference = &now.on_device(), .references_before = {&before.on_device()}});
  run_once(context, std::array{&before, &now}, work);
  Rows rows(now.format().width);
  uint64_t expected = scalar::blurred_difference(
      {.before = before.frame().luma(), .now = now.frame().luma(), .bit_depth = reference.bit_depth}, rows);
  // A test that wants this to fail.
  if (context.device()->is_to_fail(vulkan::Call::kStartUpCheck)) ++expected;
  context.require_same(work.difference() == expected, "motion");
}

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  return gpu::unsupported_by_stage(device);
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const InputFormats& formats, const Execution&,
                                    vulkan::Context& context) {
  const MotionSetting setting = {to_options(set), formats.reference.value()};
  if (setting.options.force_zero) return make_plain_feature<NoWork>(setting, context);
  check_device(context, setting.video);
  return make_plain_feature<MotionWork>(setting, context);
}

// The sums of tiles, on the device and read back.
FeatureMemory memory(const OptionSet&, const InputFormats& formats, const Execution&) {
  const VideoFormat& reference = formats.reference.value();
  return {.each_slot = 4096 + 2 * gpu::BlurredDifferencePass::sum_bytes({reference.width, reference.height})};
}

}  // namespace

const DeviceSupport kDeviceSupport = {.unsupported = unsupported, .make = make, .memory = memory};

}  // namespace vq::motion
