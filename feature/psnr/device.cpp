#include "feature/psnr/feature.h"

#include <array>

#include "feature/device_feature.h"
#include "feature/psnr/device_passes.h"
#include "feature/psnr/stages.h"
#include "feature/start_up_check.h"

namespace vq::psnr {
namespace {

// The passes of all planes of a slot, and where their sums go.
class PsnrWork final : public DeviceWork {
 public:
  PsnrWork(const PsnrPlan& plan, vulkan::Context& context, const DeviceFrame& frame) : plan_(plan) {
    int64_t bytes = 0;
    for (int i = 0; i < plan.planes; ++i) {
      passes_.emplace_back(context, gpu::Operand{frame.distorted.plane(i), plan.distorted_shift},
                           gpu::Operand{frame.needed_reference().plane(i), plan.reference_shift});
      bytes += passes_.back().sum_bytes();
    }
    sums_ = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, bytes);
  }

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("squared_error");
    int64_t offset = 0;
    for (const gpu::SquaredErrorPass& pass : passes_) {
      pass.record(recorder, sums_, offset);
      offset += pass.sum_bytes();
    }
    recorder.begin_stage("readback");
    recorder.copy(sums_, readback_);
  }

  FrameResult finish(const FramePair&) override { return frame_result(plan_, errors()); }
  int64_t bytes_read() const override { return readback_.bytes(); }

  // Valid after what was recorded has run.
  std::vector<PlaneError> errors() const {
    std::vector<PlaneError> errors;
    const std::byte* sums = readback_.mapped();
    for (size_t i = 0; i < passes_.size(); ++i) {
      const PlaneSize size = plan_.sizes[i];
      errors.push_back({passes_[i].squared_error(sums), int64_t{size.width} * size.height});
      sums += passes_[i].sum_bytes();
    }
    return errors;
  }

 private:
  const PsnrPlan& plan_;
  std::vector<gpu::SquaredErrorPass> passes_;
  vulkan::Buffer sums_, readback_;
};

// The start-up check: small pictures of the videos' depths are compared on the device and on the CPU.
void check_device(vulkan::Context& context, const InputFormats& formats) {
  CheckPicture distorted(context, formats.distorted, 1, 1), reference(context, formats.reference.value(), 1, 2);
  const PsnrPlan plan = make_plan({.chroma = false}, {distorted.format(), reference.format()});
  PsnrWork work(plan, context, {distorted.on_device(), &reference.on_device()});
  run_once(context, std::array{&distorted, &reference}, work);
  uint64_t expected = scalar::squared_error({distorted.frame().luma(), plan.distorted_shift},
                                            {reference.frame().luma(), plan.reference_shift});
  // A test that wants this to fail.
  if (context.device()->is_to_fail(vulkan::Call::kStartUpCheck)) ++expected;
  context.require_same(work.errors().front().squared == expected, "errors");
}

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  return gpu::unsupported_by_stage(device);
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const InputFormats& formats, const Execution&,
                                    vulkan::Context& context) {
  const PsnrPlan plan = make_plan(to_options(set), formats);
  check_device(context, formats);
  return make_plain_feature<PsnrWork>(plan, context);
}

// One sum of 8 bytes for 2^14 samples, on the device and read back; a few more at the borders.
FeatureMemory memory(const OptionSet& set, const InputFormats& formats, const Execution&) {
  int64_t samples = 0;
  for (const PlaneSize& size : make_plan(to_options(set), formats).sizes) samples += int64_t{size.width} * size.height;
  return {.each_slot = 4096 + samples / 512};
}

}  // namespace

const DeviceSupport kDeviceSupport = {.unsupported = unsupported, .make = make, .memory = memory};

}  // namespace vq::psnr
