#include "feature/device_feature.h"
#include "feature/siti/siti.h"
#include "shaders/siti/shared.h"
#include "shaders/siti_sums.h"

namespace vq::siti {
namespace {

constexpr int64_t kGroupHeight = int64_t{gpu::kGroupY} * gpu::kRows;
static_assert(gpu::kGroupX * kGroupHeight * UINT16_MAX <= INT32_MAX,
              "the sums of a work group fit its words");

// The pass of a slot.
class SitiWork final : public DeviceWork {
 public:
  SitiWork(const Plan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(plan),
        now_(frame.distorted.plane(0)),
        before_(frame.distorted_before.at(0)->plane(0)),
        groups_(vulkan::groups_for(plan.size, gpu::kGroupX, kGroupHeight)),
        table_(context.table(plan.table)),
        pipeline_(context.pipeline(shaders::kSitiSums, {now_.layout.sample_bytes})),
        sums_(results_.add(groups_.count(), sizeof(GroupWords))) {
    results_.make(context.device());
  }

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("sums");
    const gpu::SumsPush push{.width = static_cast<uint>(plan_.size.width),
                             .height = static_cast<uint>(plan_.size.height),
                             .stride_now = now_.stride(),
                             .stride_before = before_.stride(),
                             .top = static_cast<uint>(plan_.table.size() - 1),
                             .shift = static_cast<uint>(kRootBits - plan_.bits)};
    recorder.pass(pipeline_, {&now_.buffer, &before_.buffer, &table_, &sums_.buffer()}).run(push, groups_);
    recorder.begin_stage(kReadbackStage);
    results_.read_back(recorder);
  }

  FrameResult finish(const FramePair& frames) override {
    return frame_result(plan_, sums(), !frames.distorted_before.empty());
  }

  Sums sums() const {
    Sums sums;
    for (const GroupWords& words : sums_.records<GroupWords>()) {
      const auto halves = [&](uint first) { return words[first] + (uint64_t{words[first + 1]} << 16); };
      sums.gradients += halves(gpu::kGradientWord);
      sums.squared_gradients += halves(gpu::kSquareWord) + (uint64_t{words[gpu::kSquareWord + 2]} << 32);
      sums.changes += static_cast<int32_t>(words[gpu::kChangeWord]);
      sums.squared_changes += halves(gpu::kSquaredChangeWord);
    }
    return sums;
  }

 private:
  using GroupWords = std::array<uint32_t, gpu::kGroupWords>;

  const Plan& plan_;
  const vulkan::DevicePlane &now_, &before_;
  const vulkan::Groups groups_;
  const vulkan::Buffer& table_;
  const vulkan::Pipeline& pipeline_;
  vulkan::Results results_;
  const vulkan::Results::Part sums_;
};

}  // namespace

const DeviceSupport kDeviceSupport = describe_device<feature_info, Siti, SitiWork, shaders::kSitiSums>();

}  // namespace vq::siti
