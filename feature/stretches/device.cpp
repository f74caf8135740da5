#include "feature/device_feature.h"
#include "feature/stretches/stretches.h"
#include "shaders/stretches/shared.h"
#include "shaders/stretches_cells.h"
#include "vulkan/shader.h"

namespace vq::stretches {
namespace {

static_assert(gpu::kCellColumns == kColumns && gpu::kCellRows == kRows);
static_assert((int64_t{kMaxSide} / kColumns + 1) * (int64_t{kMaxSide} / kRows + 1) * UINT8_MAX <= UINT32_MAX,
              "the sums of a cell fit its words");
constexpr int64_t kSumBytes = int64_t{kCells} * gpu::kCellWords * int64_t{sizeof(uint)};

// The pass of a slot.
class StretchesWork final : public DeviceWork {
 public:
  StretchesWork(const Plan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(plan),
        luma_(frame.distorted.plane(0)),
        table_(context.table(plan.luminance)),
        pipeline_(context.pipeline(shaders::kStretchesCells, {static_cast<uint>(luma_.layout.sample_bytes)})),
        sums_(context.device(), vulkan::Memory::kDevice, kSumBytes),
        readback_(context.device(), vulkan::Memory::kReadback, kSumBytes) {}

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("cells");
    const gpu::CellsPush push{.width = static_cast<uint>(plan_.size.width),
                              .height = static_cast<uint>(plan_.size.height),
                              .stride = static_cast<uint>(luma_.layout.stride_bytes()),
                              .top = static_cast<uint>(plan_.luminance.size() - 1),
                              .black = plan_.black};
    recorder.pass(pipeline_, {&luma_.buffer, &table_, &sums_}).run(push, {gpu::kCellColumns, gpu::kCellRows});
    recorder.begin_stage(kReadbackStage);
    recorder.copy(sums_, readback_);
  }

  FrameResult finish(const FramePair& frames) override {
    const auto* words = reinterpret_cast<const uint32_t*>(readback_.mapped());
    std::vector<CellSum> cells(kCells);
    for (CellSum& cell : cells) {
      cell = {words[0] + (uint64_t{words[1]} << 8) + (uint64_t{words[2]} << 16), words[3]};
      words += gpu::kCellWords;
    }
    return frame_result(plan_, cells, frames);
  }

 private:
  const Plan& plan_;
  const vulkan::DevicePlane& luma_;
  const vulkan::Buffer& table_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Buffer sums_, readback_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Stretches, StretchesWork, shaders::kStretchesCells>();

}  // namespace vq::stretches
