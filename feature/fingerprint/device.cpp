#include "feature/fingerprint/device.h"

#include <chrono>

#include "core/error.h"
#include "feature/fingerprint/device_passes.h"

namespace vq::fingerprint {
namespace {

constexpr std::chrono::seconds kCheckTimeout{60};

// The passes of all planes of a slot, and where their sums go.
class FingerprintWork final : public DeviceWork {
 public:
  FingerprintWork(const FingerprintPlan& plan, vulkan::Context& context, const DeviceFrame& frame) : plan_(plan) {
    int64_t bytes = 0;
    for (int i = 0; i < plan.planes; ++i) {
      passes_.emplace_back(context, frame.distorted.plane(i), i);
      bytes += passes_.back().sum_bytes();
    }
    sums_ = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, bytes);
  }

  void record(vulkan::Recorder& recorder) override {
    recorder.begin_stage("plane_sums");
    int64_t offset = 0;
    for (const gpu::PlaneSumsPass& pass : passes_) {
      pass.record(recorder, sums_, offset);
      offset += pass.sum_bytes();
    }
    recorder.begin_stage("readback");
    recorder.copy(sums_, readback_);
  }

  FrameResult finish(const FramePair&) override { return frame_result(plan_, plane_sums()); }
  int64_t bytes_read() const override { return readback_.bytes(); }

  // Valid after what was recorded has run.
  std::vector<LaneSums> plane_sums() const {
    std::vector<LaneSums> planes;
    const std::byte* sums = readback_.mapped();
    for (const gpu::PlaneSumsPass& pass : passes_) {
      planes.push_back(pass.plane_sums(sums));
      sums += pass.sum_bytes();
    }
    return planes;
  }

 private:
  const FingerprintPlan& plan_;
  std::vector<gpu::PlaneSumsPass> passes_;
  vulkan::Buffer sums_, readback_;
};

// A small luma plane in which every bit of the depth occurs, as wide as no whole number of words.
struct SmallPicture {
  explicit SmallPicture(int bit_depth) {
    format.width = 333;
    format.height = 77;
    format.bit_depth = bit_depth;
    format.chroma = Chroma::k400;
    bytes = Plane<uint8_t>(format.width, format.height);
    words = Plane<uint16_t>(format.width, format.height);
    for (int y = 0; y < format.height; ++y) {
      for (int x = 0; x < format.width; ++x) {
        const uint32_t sample = mixed(static_cast<uint32_t>(y * format.width + x)) >> (32 - bit_depth);
        bytes.row(y)[x] = static_cast<uint8_t>(sample);
        words.row(y)[x] = static_cast<uint16_t>(sample);
      }
    }
    if (bit_depth > 8) {
      frame.luma().u16 = words.view();
    } else {
      frame.luma().u8 = bytes.view();
    }
  }
  VideoFormat format;
  Plane<uint8_t> bytes;
  Plane<uint16_t> words;
  Frame frame;
};

// The start-up check: a small picture of the video's depth goes through the device and the CPU.
void check_device(vulkan::Context& context, int bit_depth) {
  const SmallPicture small(bit_depth);
  const FingerprintPlan plan = {
      .planes = 1, .sizes = {PlaneSize{small.format.width, small.format.height}}, .bit_depth = bit_depth};
  vulkan::DevicePicture picture(context.device(), small.format, 1);
  FingerprintWork work(plan, context, {picture});
  vulkan::Recorder recorder(context.device());
  picture.record(recorder);
  work.record(recorder);
  vulkan::CommandList list = recorder.finish();
  picture.upload(small.frame);
  list.submit();
  list.wait(kCheckTimeout);
  LaneSums expected = scalar::plane_sums(small.frame.luma(), 0);
  // A test that wants this to fail.
  if (context.device()->is_to_fail(vulkan::Call::kStartUpCheck)) ++expected.front();
  context.require_same(work.plane_sums().front() == expected, "fingerprints");
}

class FingerprintDevice final : public DeviceFeature {
 public:
  FingerprintDevice(const FingerprintPlan& plan, vulkan::Context& context) : plan_(plan), context_(context) {}
  std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) override {
    return std::make_unique<FingerprintWork>(plan_, context_, frame);
  }
  std::string simd() const override { return "scalar"; }

 private:
  const FingerprintPlan plan_;
  vulkan::Context& context_;
};

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  return gpu::unsupported_by_stage(device);
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const InputFormats& formats, const Execution&,
                                    vulkan::Context& context) {
  check_device(context, formats.distorted.bit_depth);
  return std::make_unique<FingerprintDevice>(make_plan(set, formats.distorted), context);
}

}  // namespace

const DeviceSupport* device_support() {
  static constexpr DeviceSupport kSupport = {.unsupported = unsupported, .make = make};
  return &kSupport;
}

// A sum of 16 bytes for 2^13 words, on the device and read back; a few more at the borders.
FeatureMemory device_memory(const FingerprintPlan& plan) {
  int64_t samples = 0;
  for (const PlaneSize& size : plan.sizes) samples += int64_t{size.width} * size.height;
  return {.each_slot = (int64_t{1} << 16) + samples / 256};
}

}  // namespace vq::fingerprint
