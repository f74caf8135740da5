#include "feature/xpsnr/xpsnr.h"

#include "feature/device_feature.h"
#include "shaders/xpsnr/shared.h"
#include "shaders/xpsnr_block_activities.h"
#include "shaders/xpsnr_block_errors.h"

namespace vq::xpsnr {

static_assert(uint64_t{kTileSamples} * 12 * 0xFFFF <= UINT32_MAX, "the detail of a tile fits its word");

// An even number, so that cells are whole; a tile of very wide blocks has two rows of them.
static int tile_rows_of(PlaneSize block) {
  const int most = static_cast<int>(kTileSamples) / block.width / 2 * 2;
  return std::clamp(most, 2, std::max(block.height, 2));
}

static vulkan::Groups groups_of(const Tiles& tiles) {
  return {static_cast<uint32_t>(tiles.columns), static_cast<uint32_t>(tiles.rows * tiles.of_block)};
}

// Calls add(block, sum) for each tile.
template <typename Sum, typename Add>
static void for_tiles(const Tiles& tiles, const vulkan::Results::Part& sums, const Add& add) {
  const Sum* sum = sums.records<Sum>().data();
  for (int row = 0; row < tiles.rows * tiles.of_block; ++row) {
    for (int column = 0; column < tiles.columns; ++column)
      add(static_cast<size_t>(row / tiles.of_block * tiles.columns + column), *sum++);
  }
}

static BlockPush push_for(const vulkan::DevicePlane& plane, uint first_sum) {
  return {.width = plane.width(),
          .height = plane.height(),
          .stride_a = plane.stride(),
          .stride_b = 0,
          .stride_c = 0,
          .first_sum = first_sum};
}

static const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const ActivityForm& form,
                                            const BlockActivitiesPass::Pictures& pictures) {
  const PlaneSize block = form.grid.block;
  const int bytes = pictures.now.plane.layout.sample_bytes;
  HWY_DASSERT(pictures.last.layout.sample_bytes == bytes && pictures.older.layout.sample_bytes == bytes);
  return context.pipeline(shaders::kXpsnrBlockActivities,
                          {block.width, block.height, tile_rows_of(block), bytes, pictures.now.shift,
                           form.in_cells, form.is_second_order});
}

static const vulkan::Pipeline& pipeline_for(vulkan::Context& context, PlaneSize block,
                                            const std::array<Operand, 2>& planes) {
  const auto& [a, b] = planes;
  return context.pipeline(shaders::kXpsnrBlockErrors,
                          {block.width, block.height, tile_rows_of(block), a.plane.layout.sample_bytes,
                           b.plane.layout.sample_bytes, a.shift, b.shift});
}

Tiles::Tiles(const Grid& grid)
    : columns(grid.columns),
      rows(grid.rows),
      tile_rows(tile_rows_of(grid.block)),
      of_block((grid.block.height + tile_rows - 1) / tile_rows) {}

BlockActivitiesPass::BlockActivitiesPass(vulkan::Context& context, const ActivityForm& form,
                                         const Pictures& pictures, vulkan::Results& sums)
    : pictures_(pictures),
      tiles_(form.grid),
      pipeline_(pipeline_for(context, form, pictures)),
      sums_(sums.add(tiles_.count(), sizeof(TileActivity))) {}

void BlockActivitiesPass::record(vulkan::Recorder& recorder) const {
  const auto& [now, last, older] = pictures_;
  BlockPush push = push_for(now.plane, sums_.first());
  push.stride_b = last.stride();
  push.stride_c = older.stride();
  recorder.pass(pipeline_, {&now.plane.buffer, &last.buffer, &older.buffer, &sums_.buffer()})
      .run(push, groups_of(tiles_));
}

void BlockActivitiesPass::read(int before, std::span<Activity> out) const {
  std::fill(out.begin(), out.end(), Activity());
  for_tiles<TileActivity>(tiles_, sums_, [&](size_t block, const TileActivity& sum) {
    out[block].spatial += sum.spatial;
    out[block].temporal += before == 0 ? sum.from_none : before == 1 ? sum.from_one : sum.from_two;
  });
}

BlockErrorsPass::BlockErrorsPass(vulkan::Context& context, const Grid& grid,
                                 const std::array<Operand, 2>& planes, vulkan::Results& sums)
    : planes_(planes),
      tiles_(grid),
      pipeline_(pipeline_for(context, grid.block, planes)),
      sums_(sums.add(tiles_.count(), sizeof(TileError))) {}

void BlockErrorsPass::record(vulkan::Recorder& recorder) const {
  const auto& [a, b] = planes_;
  BlockPush push = push_for(a.plane, sums_.first());
  push.stride_b = b.plane.stride();
  recorder.pass(pipeline_, {&a.plane.buffer, &b.plane.buffer, &sums_.buffer()}).run(push, groups_of(tiles_));
}

void BlockErrorsPass::read(std::span<uint64_t> out) const {
  std::fill(out.begin(), out.end(), 0);
  for_tiles<TileError>(tiles_, sums_, [&](size_t block, const TileError& sum) {
    out[block] += sum.low + (uint64_t{sum.high} << 16);
  });
}

namespace {

// The passes of a slot.
class XpsnrWork final : public DeviceWork {
 public:
  XpsnrWork(const XpsnrPlan& plan, vulkan::Context& context, const DeviceFrame& frame) : plan_(plan) {
    const vulkan::DevicePicture& reference = frame.needed_reference();
    if (plan.is_weighted) {
      const auto before = [&](size_t i) -> const vulkan::DevicePlane& {
        return frame.references_before[i]->plane(0);
      };
      const size_t older = static_cast<size_t>(plan.form.frames_before()) - 1;
      activities_.emplace(
          context, plan.form,
          BlockActivitiesPass::Pictures{{reference.plane(0), plan.reference_shift}, before(0), before(older)},
          sums_);
    }
    for (int i = 0; i < plan.planes; ++i) {
      errors_.emplace_back(context, plan.grids[static_cast<size_t>(i)],
                           std::array{Operand{reference.plane(i), plan.reference_shift},
                                      Operand{frame.distorted.plane(i), plan.distorted_shift}},
                           sums_);
    }
    sums_.make(context.device());
  }

  void record(vulkan::Recorder& recorder) override {
    if (activities_) {
      recorder.begin_stage("block_activities");
      activities_->record(recorder);
    }
    recorder.begin_stage("block_errors");
    for (const BlockErrorsPass& pass : errors_) pass.record(recorder);
    recorder.begin_stage(kReadbackStage);
    sums_.read_back(recorder);
  }

  FrameResult finish(const FramePair& frames) override {
    const int before =
        std::min(static_cast<int>(frames.references_before.size()), plan_.form.frames_before());
    return frame_result(plan_, weighted_errors(plan_, sums(before)));
  }

  BlockSums sums(int before) const {
    BlockSums sums(plan_);
    if (activities_) activities_->read(before, sums.activities);
    for (size_t i = 0; i < errors_.size(); ++i) errors_[i].read(sums.errors[i]);
    return sums;
  }

  // The start-up check: small pictures of the videos' depths are summed up on the device and on the CPU, in
  // the form of the run.
  static void check(vulkan::Context& context, const XpsnrPlan& of_run, const VideoFormats& formats) {
    const CheckFrames frames(context, formats, {.reference = true, .before = {.references = 2}});
    XpsnrPlan plan = Xpsnr::make_plan({.chroma = false}, frames.formats());
    plan.form.in_cells = of_run.form.in_cells;
    plan.form.is_second_order = of_run.form.is_second_order;
    XpsnrWork work(plan, context, frames.on_device());
    frames.run(work);
    const FramePair pair = frames.on_host();
    Rows rows(frames.formats().distorted.width);
    BlockSums expected(plan);
    const Samples reference = {pair.reference->luma(), plan.reference_shift};
    scalar::block_activities(
        plan.form, {reference, {pair.references_before[0].luma(), pair.references_before[1].luma()}}, rows,
        expected.activities);
    scalar::block_errors(plan.grids[0], {reference, Samples{pair.distorted.luma(), plan.distorted_shift}},
                         rows, expected.errors[0]);
    const BlockSums found = work.sums(plan.form.frames_before());
    context.require_same(found.activities == expected.activities, "activities");
    context.require_same(found.errors == expected.errors, "errors");
  }

  static std::unique_ptr<BlockSums> make_workspace(const XpsnrPlan& plan) {
    return std::make_unique<BlockSums>(plan);
  }

 private:
  const XpsnrPlan& plan_;
  vulkan::Results sums_;
  std::optional<BlockActivitiesPass> activities_;
  std::vector<BlockErrorsPass> errors_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Xpsnr, XpsnrWork, shaders::kXpsnrBlockActivities,
                    shaders::kXpsnrBlockErrors>();

}  // namespace vq::xpsnr
