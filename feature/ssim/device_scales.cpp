// MS-SSIM on a Vulkan device.
#include <hwy/base.h>

#include <array>
#include <utility>
#include <vector>

#include "feature/device_feature.h"
#include "feature/simd_targets.h"
#include "feature/ssim/device_compare.h"
#include "feature/ssim/plan.h"
#include "feature/ssim/ssim.h"
#include "feature/stage_clock.h"
#include "feature/start_up_check.h"

namespace vq::ssim {
namespace {

// The passes of all scales on two pictures.
class Scales {
 public:
  Scales(vulkan::Context& context, const gpu::Picture& distorted, const gpu::Picture& reference, size_t count)
      : distorted_(context, distorted, count), reference_(context, reference, count) {
    int64_t bytes = 0;
    for (size_t k = 0; k < count; ++k) {
      compared_.emplace_back(context, distorted_.at(k), reference_.at(k));
      bytes += compared_.back().sum_bytes();
    }
    sums_ = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    readback_ = vulkan::Buffer(context.device(), vulkan::Memory::kReadback, bytes);
  }

  void record(vulkan::Recorder& recorder) const {
    recorder.begin_stage(kHalveStage);
    for (size_t k = 0; k + 1 < compared_.size(); ++k) {
      distorted_.record(recorder, k);
      reference_.record(recorder, k);
    }
    recorder.begin_stage(kCompareStage);
    int64_t offset = 0;
    for (const gpu::ComparePass& pass : compared_) {
      pass.record(recorder, sums_, offset);
      offset += pass.sum_bytes();
    }
    recorder.begin_stage(kReadbackStage);
    recorder.copy(sums_, readback_);
  }

  int64_t bytes_read() const { return readback_.bytes(); }
  const vulkan::DevicePlane& distorted(size_t scale) const { return distorted_.at(scale).plane; }

  // Valid after what was recorded has run: those of each scale, or none where one has none.
  struct Bounds {
    std::vector<Similarity> least, most;
  };
  Bounds bounds() const {
    Bounds all;
    const std::byte* sums = readback_.mapped();
    for (const gpu::ComparePass& pass : compared_) {
      const std::optional<gpu::SimilarityBounds> of_scale = pass.bounds(sums);
      if (!of_scale) return {};
      all.least.push_back(of_scale->least);
      all.most.push_back(of_scale->most);
      sums += pass.sum_bytes();
    }
    return all;
  }

 private:
  // A picture, and what is left of it at each scale.
  class Halved {
   public:
    Halved(vulkan::Context& context, const gpu::Picture& picture, size_t count) : whole_(picture) {
      passes_.reserve(count);  // each reads what the one before has
      for (size_t k = 0; k + 1 < count; ++k) passes_.emplace_back(context, at(k));
    }
    gpu::Picture at(size_t scale) const {
      return scale == 0 ? whole_ : gpu::Picture{passes_[scale - 1].halved_picture()};
    }
    void record(vulkan::Recorder& recorder, size_t scale) const { passes_[scale].record(recorder); }

   private:
    const gpu::Picture whole_;
    std::vector<gpu::HalvePass> passes_;
  };

  const Halved distorted_, reference_;
  std::vector<gpu::ComparePass> compared_;
  vulkan::Buffer sums_, readback_;
};

// The host's part for all frames.
class ScalesHost {
 public:
  ScalesHost(const SsimPlan& plan, const Execution& execution)
      : plan_(plan), times_(execution.time_stages), whole_(make_host_feature(plan, execution), times_) {}

  bool settles(const Scales::Bounds& bounds) const {
    return !bounds.least.empty() && settle_values(plan_, bounds.least, bounds.most);
  }
  FrameResult result(const Scales::Bounds& bounds) const {
    return {.values = frame_values(plan_, bounds.least)};
  }
  const WholeFrames& whole() const { return whole_; }
  std::vector<StageTotal> stage_times() const { return times_.totals(); }

 private:
  const SsimPlan plan_;
  StageTimes times_;
  const WholeFrames whole_;  // of which the device does not settle the values
};

class MsSsimWork final : public DeviceWork {
 public:
  MsSsimWork(const VideoFormats& formats, vulkan::Context& context, const DeviceFrame& frame,
             ScalesHost& host)
      : host_(host),
        scales_(context, {frame.distorted.plane(0), formats.distorted.bit_depth},
                {frame.needed_reference().plane(0), formats.reference.value().bit_depth}, kScales) {}

  void record(vulkan::Recorder& recorder) override { scales_.record(recorder); }

  FrameResult finish(const FramePair& frames) override {
    if (std::unique_ptr<HostFinish> rest = take(frames)) return rest->finish();
    return host_.result(scales_.bounds());
  }
  std::unique_ptr<HostFinish> take(const FramePair& frames) override {
    if (host_.settles(scales_.bounds())) return nullptr;
    return host_.whole().finish_of(frames);
  }
  int64_t bytes_read() const override { return scales_.bytes_read(); }

 private:
  ScalesHost& host_;
  const Scales scales_;
};

// The first scales of the pictures of the start-up check.
class ScalesCheck final : public DeviceWork {
 public:
  ScalesCheck(vulkan::Context& context, CheckPicture& distorted, CheckPicture& reference, size_t count)
      : scales_(context, {distorted.on_device().plane(0), distorted.format().bit_depth},
                {reference.on_device().plane(0), reference.format().bit_depth}, count),
        halved_(context.device(), vulkan::Memory::kReadback, scales_.distorted(1).layout.bytes()) {}

  void record(vulkan::Recorder& recorder) override {
    scales_.record(recorder);
    recorder.copy(scales_.distorted(1).buffer, halved_);
  }
  FrameResult finish(const FramePair&) override { return {}; }
  int64_t bytes_read() const override { return 0; }

  Scales::Bounds bounds() const { return scales_.bounds(); }
  PlaneView<const float> halved_picture() const {
    return vulkan::float_plane(halved_, scales_.distorted(1).layout);
  }

 private:
  const Scales scales_;
  const vulkan::Buffer halved_;
};

// A picture of the start-up check and its half, by the CPU.
struct Expected {
  explicit Expected(const CheckPicture& picture)
      : whole(picture.format().width, picture.format().height),
        half(halved(whole.width()), halved(whole.height())) {
    Scratch scratch(whole.width());
    scalar::shrink({picture.frame().luma(), picture.format().bit_depth}, 1, scratch, whole.view());
    scalar::halve(std::as_const(whole).view(), scratch, half.view());
  }
  Plane<float> whole, half;
};

bool is_within(const Similarity& sums, const Similarity& least, const Similarity& most) {
  const auto is_part_within = [&](double Similarity::*part) {
    return least.*part <= sums.*part && sums.*part <= most.*part;
  };
  return is_part_within(&Similarity::luminance) && is_part_within(&Similarity::contrast) &&
         is_part_within(&Similarity::structure);
}

// The start-up check: small pictures of the videos' depths are halved and compared on the device and on the
// CPU, whose sums must lie within the device's bounds.
void check_scales(vulkan::Context& context, const VideoFormats& formats) {
  CheckPicture distorted(context, formats.distorted, 1, 1),
      reference(context, formats.reference.value(), 1, 2);
  ScalesCheck work(context, distorted, reference, 2);
  run_once(context, std::array{&distorted, &reference}, work);
  const Expected a(distorted), b(reference);
  context.require_same(same_samples(a.half.view(), work.halved_picture()), "halved pictures");
  Scratch scratch(a.whole.width());
  const std::array sums = {scalar::compare(a.whole.view(), b.whole.view(), scratch),
                           scalar::compare(a.half.view(), b.half.view(), scratch)};
  const Scales::Bounds bounds = work.bounds();
  bool is_same = bounds.least.size() == sums.size();
  for (size_t k = 0; is_same && k < sums.size(); ++k)
    is_same = is_within(sums[k], bounds.least[k], bounds.most[k]);
  context.require_same(is_same, "similarities");
}

class MsSsimDevice final : public DeviceFeature {
 public:
  MsSsimDevice(const SsimPlan& plan, VideoFormats formats, const Execution& execution,
               vulkan::Context& context)
      : formats_(std::move(formats)),
        context_(context),
        simd_(host_simd(execution)),
        host_(plan, execution) {}

  std::unique_ptr<DeviceWork> make_work(const DeviceFrame& frame) override {
    return std::make_unique<MsSsimWork>(formats_, context_, frame, host_);
  }
  std::string simd() const override { return simd_; }
  std::vector<StageTotal> host_stage_times() const override { return host_.stage_times(); }

 private:
  const VideoFormats formats_;
  vulkan::Context& context_;
  const std::string simd_;
  ScalesHost host_;
};

SsimPlan plan_of_scales(const OptionSet& set, const VideoFormats& formats) {
  return make_plan(Feature::kMsSsim, to_options(Feature::kMsSsim, set), formats);
}

std::unique_ptr<DeviceFeature> make_scales(const OptionSet& set, const VideoFormats& formats,
                                           const Execution& execution, vulkan::Context& context) {
  const SsimPlan plan = plan_of_scales(set, formats);
  check_scales(context, formats);
  return std::make_unique<MsSsimDevice>(plan, formats, execution, context);
}

// On the host, what a thread needs for a frame that the device leaves to it.
FeatureMemory memory_of_scales(const OptionSet& set, const VideoFormats& formats,
                               const Execution& execution) {
  const SsimPlan plan = plan_of_scales(set, formats);
  FeatureMemory memory = host_memory(plan, execution);
  for (size_t k = 0; k < plan.sizes.size(); ++k) {
    if (k > 0) memory.each_slot += 2 * gpu::HalvePass::bytes(plan.sizes[k]);
    if (k == 1) memory.largest_buffer = gpu::HalvePass::bytes(plan.sizes[k]);
    memory.each_slot += 2 * gpu::ComparePass::sum_bytes(plan.sizes[k]);
  }
  return memory;
}

}  // namespace

const DeviceSupport kMsSsimDeviceSupport = {
    .unsupported = [](Backend,
                      const vulkan::DeviceInfo& device) { return gpu::unsupported_by_scales(device); },
    .make = make_scales,
    .memory = memory_of_scales};

}  // namespace vq::ssim
