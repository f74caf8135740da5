#include "feature/xpsnr/device.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "feature/device_feature.h"
#include "feature/start_up_check.h"
#include "feature/xpsnr/plan.h"
#include "feature/xpsnr/stages.h"
#include "feature/xpsnr/xpsnr.h"

namespace vq::xpsnr {
namespace {

// The passes of a slot, and where their sums go.
class XpsnrWork final : public DeviceWork {
 public:
  XpsnrWork(const XpsnrPlan& plan, vulkan::Context& context, const DeviceFrame& frame) : plan_(plan) {
    int64_t bytes = 0;
    const vulkan::DevicePicture& reference = frame.needed_reference();
    if (plan.is_weighted) {
      const auto before = [&](size_t i) -> const vulkan::DevicePlane& {
        return frame.references_before[i]->plane(0);
      };
      const size_t older = static_cast<size_t>(plan.form.frames_before()) - 1;
      activities_.emplace(context, plan.form,
                          gpu::BlockActivitiesPass::Pictures{
                              {reference.plane(0), plan.reference_shift}, before(0), before(older)});
      bytes += activities_->sum_bytes();
    }
    for (int i = 0; i < plan.planes; ++i) {
      errors_.emplace_back(context, plan.grids[static_cast<size_t>(i)],
                           std::array{gpu::Operand{reference.plane(i), plan.reference_shift},
                                      gpu::Operand{frame.distorted.plane(i), plan.distorted_shift}});
      bytes += errors_.back().sum_bytes();
    }
    sums_ = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, bytes);
  }

  void record(vulkan::Recorder& recorder) override {
    int64_t offset = 0;
    if (activities_) {
      recorder.begin_stage("block_activities");
      activities_->record(recorder, sums_, offset);
      offset += activities_->sum_bytes();
    }
    recorder.begin_stage("block_errors");
    for (const gpu::BlockErrorsPass& pass : errors_) {
      pass.record(recorder, sums_, offset);
      offset += pass.sum_bytes();
    }
    recorder.begin_stage("readback");
    recorder.copy(sums_, readback_);
  }

  FrameResult finish(const FramePair& frames) override {
    const int before =
        std::min(static_cast<int>(frames.references_before.size()), plan_.form.frames_before());
    return frame_result(plan_, weighted_errors(plan_, sums(before)));
  }
  int64_t bytes_read() const override { return readback_.bytes(); }

  // Valid after what was recorded has run.
  BlockSums sums(int before) const {
    BlockSums sums(plan_);
    const std::byte* at = readback_.mapped();
    if (activities_) {
      activities_->read(at, before, sums.activities);
      at += activities_->sum_bytes();
    }
    for (size_t i = 0; i < errors_.size(); ++i) {
      errors_[i].read(at, sums.errors[i]);
      at += errors_[i].sum_bytes();
    }
    return sums;
  }

 private:
  const XpsnrPlan& plan_;
  std::optional<gpu::BlockActivitiesPass> activities_;
  std::vector<gpu::BlockErrorsPass> errors_;
  vulkan::Buffer sums_, readback_;
};

// The start-up check: small pictures of the videos' depths are summed up on the device and on the CPU, in the
// form of the run.
void check_device(vulkan::Context& context, const XpsnrPlan& of_run, const VideoFormats& formats) {
  CheckPicture distorted(context, formats.distorted, 1, 1), now(context, *formats.reference, 1, 2),
      last(context, *formats.reference, 1, 3), older(context, *formats.reference, 1, 4);
  XpsnrPlan plan = make_plan({.chroma = false}, {distorted.format(), now.format()});
  plan.form.in_cells = of_run.form.in_cells;
  plan.form.is_second_order = of_run.form.is_second_order;
  XpsnrWork work(plan, context,
                 {.distorted = distorted.on_device(),
                  .reference = &now.on_device(),
                  .references_before = {&last.on_device(), &older.on_device()}});
  run_once(context, std::array{&distorted, &now, &last, &older}, work);
  Rows rows(now.format().width);
  BlockSums expected(plan);
  const Samples reference = {now.frame().luma(), plan.reference_shift};
  scalar::block_activities(plan.form, {reference, {last.frame().luma(), older.frame().luma()}}, rows,
                           expected.activities);
  scalar::block_errors(plan.grids[0], {reference, Samples{distorted.frame().luma(), plan.distorted_shift}},
                       rows, expected.errors[0]);
  const BlockSums found = work.sums(plan.form.frames_before());
  context.require_same(found.activities == expected.activities, "activities");
  context.require_same(found.errors == expected.errors, "errors");
}

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  return gpu::unsupported_by_stages(device);
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const VideoFormats& formats, const Execution&,
                                    vulkan::Context& context) {
  const XpsnrPlan plan = make_plan(to_options(set), formats);
  check_device(context, plan, formats);
  return make_plain_feature<XpsnrWork>(plan, context);
}

// The sums of tiles, on the device and read back, and those of blocks.
FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  const XpsnrPlan plan = make_plan(to_options(set), formats);
  int64_t bytes = gpu::BlockActivitiesPass::sum_bytes(plan.form.grid);
  for (size_t i = 0; i < static_cast<size_t>(plan.planes); ++i)
    bytes += gpu::BlockErrorsPass::sum_bytes(plan.grids[i]);
  return {.fixed = thread_count(execution) * BlockSums::bytes(plan), .each_slot = 4096 + 2 * bytes};
}

}  // namespace

const DeviceSupport kDeviceSupport = {.unsupported = unsupported, .make = make, .memory = memory};

}  // namespace vq::xpsnr
