#include "feature/bounds/bounds.h"

#include "feature/device_feature.h"
#include "shaders/bounds/shared.h"
#include "shaders/bounds_active_area.h"
#include "shaders/bounds_count_non_black.h"

namespace vq::bounds {

ActiveAreaPasses::ActiveAreaPasses(vulkan::Context& context, const vulkan::DevicePlane& luma,
                                   const LitRule& rule)
    : luma_(luma),
      rule_(rule),
      count_lit_(context.pipeline(shaders::kBoundsCountNonBlack, {luma.layout.sample_bytes})),
      active_area_(context.pipeline(shaders::kBoundsActiveArea)),
      counts_(context.device(), vulkan::Memory::kDevice,
              (int64_t{luma.layout.width} + luma.layout.height) * static_cast<int64_t>(sizeof(uint))),
      area_(context.device(), vulkan::Memory::kDevice, sizeof(Area)),
      readback_(context.device(), vulkan::Memory::kReadback, sizeof(Area)) {}

void ActiveAreaPasses::record(vulkan::Recorder& recorder) const {
  const uint width = luma_.width(), height = luma_.height();
  recorder.begin_stage("count_lit");
  recorder.fill(counts_, 0);
  const CountLitPush count{
      .width = width, .height = height, .stride = luma_.stride(), .black = static_cast<uint>(rule_.black)};
  recorder.pass(count_lit_, {&luma_.buffer, &counts_})
      .run(count, vulkan::groups_for(luma_.layout.size(), kTileWidth, kTileHeight));
  recorder.begin_stage("lit_area");
  const ActiveAreaPush area{.width = width,
                            .height = height,
                            .row_limit = static_cast<uint>(rule_.row_limit),
                            .column_limit = static_cast<uint>(rule_.column_limit)};
  recorder.pass(active_area_, {&counts_, &area_}).run(area, {});
  recorder.begin_stage("readback");
  recorder.copy(area_, readback_);
}

ActiveArea ActiveAreaPasses::area() const {
  Area found{};
  std::memcpy(&found, readback_.mapped(), sizeof(found));
  return {.left = static_cast<int>(found.left),
          .top = static_cast<int>(found.top),
          .right = static_cast<int>(found.right),
          .bottom = static_cast<int>(found.bottom)};
}

namespace {

class BoundsWork final : public DeviceWork {
 public:
  BoundsWork(const BoundsPlan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(plan), passes_(context, frame.distorted.plane(0), plan.rule) {}

  void record(vulkan::Recorder& recorder) override { passes_.record(recorder); }
  FrameResult finish(const FramePair&) override { return frame_result(plan_, area()); }
  ActiveArea area() const { return passes_.area(); }

  // The start-up check: a small picture of the video's depth is looked at on the device and on the CPU. Half
  // of the noise is lit, and few rows and columns have so much more of it that they are: where these lie
  // hangs on many counts.
  static void check(vulkan::Context& context, const BoundsPlan&, const VideoFormats& formats) {
    const CheckFrames frames(context, formats, {});
    const VideoFormat& format = frames.formats().distorted;
    const BoundsPlan plan = {.width = format.width,
                             .height = format.height,
                             .rule = {.black = 1 << (format.bit_depth - 1),
                                      .row_limit = format.width * 11 / 20,
                                      .column_limit = format.height * 3 / 5}};
    BoundsWork work(plan, context, frames.on_device());
    frames.run(work);
    NonBlackCounts counts(plan.width, plan.height);
    scalar::count_non_black(frames.distorted().frame().luma(), plan.rule.black, counts);
    const ActiveArea expected = active_area(counts, plan.rule);
    context.require_same(work.area() == expected, "bounds");
  }

 private:
  const BoundsPlan& plan_;
  const ActiveAreaPasses passes_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Bounds, BoundsWork, shaders::kBoundsCountNonBlack,
                    shaders::kBoundsActiveArea>();

}  // namespace vq::bounds
