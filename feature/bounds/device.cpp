#include "feature/bounds/feature.h"

#include <array>

#include "feature/bounds/device_passes.h"
#include "feature/device_feature.h"
#include "feature/start_up_check.h"

namespace vq::bounds {
namespace {

class BoundsWork final : public DeviceWork {
 public:
  BoundsWork(const BoundsPlan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(plan), passes_(context, frame.distorted.plane(0), plan.rule) {}

  void record(vulkan::Recorder& recorder) override { passes_.record(recorder); }
  FrameResult finish(const FramePair&) override { return frame_result(plan_, area()); }
  int64_t bytes_read() const override { return passes_.bytes_read(); }
  // Valid after what was recorded has run.
  LitArea area() const { return passes_.area(); }

 private:
  const BoundsPlan& plan_;
  const gpu::LitAreaPasses passes_;
};

// The start-up check: a small picture of the video's depth is looked at on the device and on the CPU. Half of the noise is
// lit, and few rows and columns have so much more of it that they are: where these lie hangs on many counts.
void check_device(vulkan::Context& context, const VideoFormat& video) {
  CheckPicture picture(context, video, 1, 1);
  const VideoFormat& format = picture.format();
  const BoundsPlan plan = {
      .width = format.width,
      .height = format.height,
      .rule = {.black = 1 << (format.bit_depth - 1), .row_limit = format.width * 11 / 20, .column_limit = format.height * 3 / 5}};
  BoundsWork work(plan, context, {picture.on_device()});
  run_once(context, std::array{&picture}, work);
  LitCounts counts(plan.width, plan.height);
  scalar::count_lit(picture.frame().luma(), plan.rule.black, counts);
  LitArea expected = lit_area(counts, plan.rule);
  // A test that wants this to fail.
  if (context.device()->is_to_fail(vulkan::Call::kStartUpCheck)) ++expected.right;
  context.require_same(work.area() == expected, "bounds");
}

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  return gpu::unsupported_by_stages(device);
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const InputFormats& formats, const Execution&,
                                    vulkan::Context& context) {
  check_device(context, formats.distorted);
  return make_plain_feature<BoundsWork>(make_plan(to_options(set), formats.distorted), context);
}

// A count of 4 bytes for each row and column, and the rectangle twice.
FeatureMemory memory(const OptionSet&, const InputFormats& formats, const Execution&) {
  return {.each_slot = 4096 + (int64_t{formats.distorted.width} + formats.distorted.height) * 4};
}

}  // namespace

const DeviceSupport kDeviceSupport = {.unsupported = unsupported, .make = make, .memory = memory};

}  // namespace vq::bounds
