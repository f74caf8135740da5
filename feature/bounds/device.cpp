#include "feature/bounds/device.h"

#include <chrono>

#include "feature/bounds/device_passes.h"

namespace vq::bounds {
namespace {

constexpr std::chrono::seconds kCheckTimeout{60};

class BoundsWork final : public DeviceWork {
 public:
  BoundsWork(const BoundsPlan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(plan), passes_(context, frame.distorted.plane(0), plan.rule) {}

  void record(vulkan::Recorder& recorder) override { passes_.record(recorder); }
  FrameResult finish(const FramePair&) override { return frame_result(plan_, passes_.area()); }
  int64_t bytes_read() const override { return passes_.bytes_read(); }

 private:
  const BoundsPlan& plan_;
  const gpu::LitAreaPasses passes_;
};

// A small picture for the start-up check: bars around a rectangle, and a speck in them.
struct SmallPicture {
  explicit SmallPicture(const VideoFormat& video) : format(video) {
    format.width = 333;
    format.height = 177;
    format.chroma = Chroma::k400;
    words = Plane<uint16_t>(format.width, format.height);
    bytes = Plane<uint8_t>(format.width, format.height);
    const int peak = (1 << format.bit_depth) - 1;
    for (int y = 0; y < format.height; ++y) {
      for (int x = 0; x < format.width; ++x) {
        const bool is_lit = (x >= 17 && x < 290 && y >= 9 && y < 150) || (x == 3 && y == 4);
        const int level = is_lit ? peak : 0;
        words.row(y)[x] = static_cast<uint16_t>(level);
        bytes.row(y)[x] = static_cast<uint8_t>(level);
      }
    }
    if (format.bit_depth > 8) {
      frame.luma().u16 = words.view();
    } else {
      frame.luma().u8 = bytes.view();
    }
  }
  VideoFormat format;
  Plane<uint16_t> words;
  Plane<uint8_t> bytes;
  Frame frame;
};

// The start-up check: a small picture of the video's depth is looked at on the device and on the CPU.
void check_device(vulkan::Context& context, const BoundsOptions& options, const VideoFormat& video) {
  const SmallPicture small(video);
  const BoundsPlan plan = make_plan(options, small.format);
  vulkan::DevicePicture picture(context.device(), small.format, 1);
  const gpu::LitAreaPasses passes(context, picture.plane(0), plan.rule);
  vulkan::Recorder recorder(context.device());
  picture.record(recorder);
  passes.record(recorder);
  vulkan::CommandList list = recorder.finish();
  picture.upload(small.frame);
  list.submit();
  list.wait(kCheckTimeout);
  LitCounts counts(plan.width, plan.height);
  scalar::count_lit(small.frame.luma(), plan.rule.black, counts);
  LitArea expected = lit_area(counts, plan.rule);
  // A test that wants this to fail.
  if (context.device()->is_to_fail(vulkan::Call::kStartUpCheck)) ++expected.right;
  context.require_same(passes.area() == expected, "bounds");
}

class BoundsDevice final : public DeviceFeature {
 public:
  BoundsDevice(const BoundsPlan& plan, vulkan::Context& context) : plan_(plan), context_(context) {}
  std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) override {
    return std::make_unique<BoundsWork>(plan_, context_, frame);
  }
  std::string simd() const override { return "scalar"; }

 private:
  const BoundsPlan plan_;
  vulkan::Context& context_;
};

std::string unsupported(Backend, const vulkan::DeviceInfo& device) {
  return gpu::unsupported_by_stages(device);
}

std::unique_ptr<DeviceFeature> make(const OptionSet& set, const InputFormats& formats, const Execution&,
                                    vulkan::Context& context) {
  check_device(context, to_options(set), formats.distorted);
  return std::make_unique<BoundsDevice>(make_plan(to_options(set), formats.distorted), context);
}

}  // namespace

const DeviceSupport* device_support() {
  static constexpr DeviceSupport kSupport = {.unsupported = unsupported, .make = make};
  return &kSupport;
}

// A count of 4 bytes for each row and column, and the rectangle twice.
FeatureMemory device_memory(const BoundsPlan& plan) {
  return {.each_slot = 4096 + (int64_t{plan.width} + plan.height) * 4};
}

}  // namespace vq::bounds
