#include "feature/vif/feature.h"

#include <array>
#include <vector>

#include "feature/device_feature.h"
#include "feature/luma_range.h"
#include "feature/start_up_check.h"
#include "feature/vif/device_passes.h"
#include "feature/vif/driver.h"

namespace vq::vif {
namespace {

// What is the same for all slots.
struct VifSetting {
  VifPlan plan;
  InputFormats formats;
};

// A scale that is scored: its pass, and where its sums go.
struct ScoredScale {
  int index;
  gpu::StatisticsPass pass;
  vulkan::Buffer sums;
  int64_t readback_offset;
};

class VifWork final : public DeviceWork {
 public:
  VifWork(const VifSetting& setting, vulkan::Context& context, const DeviceFrame& frame)
      : setting_(setting), pair_(make_pair_pass(setting, context, frame)) {
    const VifPlan& plan = setting.plan;
    const auto device_buffer = [&](int64_t bytes) { return vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes); };
    for (const PlaneSize& size : plan.sizes) pictures_.push_back({size, device_buffer(gpu::PicturePair::bytes(size))});
    for (int k = 0; k + 1 < kScales; ++k) {
      decimate_.emplace_back(context, Scale{.index = k, .bit_depth = plan.bit_depth}, plan.sizes[static_cast<size_t>(k)]);
    }
    beyond_ = device_buffer(kBeyondBytes);
    int64_t offset = kBeyondBytes;
    for (int k = plan.first_scale; k < kScales; ++k) {
      const PlaneSize size = plan.sizes[static_cast<size_t>(k)];
      const int64_t bytes = gpu::StatisticsPass::sum_bytes(size);
      scored_.push_back({.index = k,
                         .pass = {context, {.index = k, .bit_depth = plan.bit_depth}, size, plan.options.gain_limit},
                         .sums = device_buffer(bytes),
                         .readback_offset = offset});
      offset += bytes;
    }
    readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, offset);
  }

  // Pictures first, so that nothing stands between the statistics of one scale and another's.
  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("pair");
    pair_.record(recorder, pictures_[0], beyond_);
    recorder.begin_stage("decimate");
    for (size_t k = 0; k < decimate_.size(); ++k) decimate_[k].record(recorder, pictures_[k], pictures_[k + 1]);
    recorder.begin_stage("statistics");
    for (const ScoredScale& scale : scored_) {
      scale.pass.record(recorder, pictures_[static_cast<size_t>(scale.index)], scale.sums);
    }
    recorder.begin_stage("readback");
    std::vector<vulkan::Copy> copies = {{.from = &beyond_, .to = &readback_, .bytes = kBeyondBytes}};
    for (const ScoredScale& scale : scored_) {
      copies.push_back(
          {.from = &scale.sums, .to = &readback_, .to_offset = scale.readback_offset, .bytes = scale.sums.bytes()});
    }
    recorder.copy(copies);
  }

  FrameResult finish(const FramePair& frames) override {
    if (readback_.mapped()[0] != std::byte{0}) {
      const InputFormats& formats = setting_.formats;
      refuse_luma({{frames.distorted, formats.distorted}, {frames.reference.value(), formats.reference.value()}});
    }
    return result();
  }
  int64_t bytes_read() const override { return readback_.bytes(); }

  // Valid after what was recorded has run.
  FrameResult result() const {
    std::array<Information, kScales> scales;
    for (const ScoredScale& scale : scored_) {
      const ScaleSums sums = scale.pass.sums(readback_.mapped() + scale.readback_offset);
      scales[static_cast<size_t>(scale.index)] = information_of(sums);
    }
    return frame_result(setting_.plan, scales);
  }

 private:
  static constexpr int64_t kBeyondBytes = 4;

  static gpu::PairPass make_pair_pass(const VifSetting& setting, vulkan::Context& context, const DeviceFrame& frame) {
    const auto& [plan, formats] = setting;
    return {context,
            gpu::Operand{frame.needed_reference().plane(0), plan.reference_shift, formats.reference.value().bit_depth},
            gpu::Operand{frame.distorted.plane(0), plan.distorted_shift, formats.distorted.bit_depth}};
  }

  const VifSetting& setting_;
  const gpu::PairPass pair_;
  std::vector<gpu::PicturePair> pictures_;
  std::vector<gpu::DecimatePass> decimate_;
  std::vector<ScoredScale> scored_;
  vulkan::Buffer beyond_, readback_;
};

// The start-up check: small pictures of the videos' depths are compared on the device and on the CPU.
void check_device(vulkan::Context& context, const VifOptions& options, const InputFormats& formats) {
  CheckPicture distorted(context, formats.distorted, 1, 1), reference(context, formats.reference.value(), 1, 2);
  VifSetting setting = {.plan = {}, .formats = {distorted.format(), reference.format()}};
  setting.plan = make_plan(options, setting.formats);
  setting.plan.options.debug = true;
  VifWork work(setting, context, {distorted.on_device(), &reference.on_device()});
  run_once(context, std::array{&distorted, &reference}, work);
  Workspace workspace(setting.plan);
  FrameResult expected =
      score_pictures(setting.plan, {reference.frame().luma(), distorted.frame().luma()}, {}, workspace);
  // A test that wants this to fail.
  if (context.device()->is_to_fail(vulkan::Call::kStartUpCheck)) ++expected.values.front();
  context.require_same(work.result().values == expected.values, "information");
}

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  return gpu::unsupported_by_stages(device);
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const InputFormats& formats, const Execution&,
                                    vulkan::Context& context) {
  const VifOptions options = to_options(set);
  check_device(context, options, formats);
  return make_plain_feature<VifWork>(VifSetting{make_plan(options, formats), formats}, context);
}

// The pictures of all scales, and their sums on the device and read back.
FeatureMemory memory(const OptionSet& set, const InputFormats& formats, const Execution&) {
  int64_t bytes = 4096;
  for (const PlaneSize& size : make_plan(to_options(set), formats).sizes) {
    bytes += gpu::PicturePair::bytes(size) + 2 * gpu::StatisticsPass::sum_bytes(size);
  }
  return {.each_slot = bytes};
}

}  // namespace

const DeviceSupport kDeviceSupport = {.unsupported = unsupported, .make = make, .memory = memory};

}  // namespace vq::vif
