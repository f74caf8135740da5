#include "feature/ssim/ssim.h"

#include "feature/device_feature.h"
#include "shaders/ssim_shrink.h"

namespace vq::ssim::gpu {
namespace {

// mantissa x 2^exponent, with kMantissaBits of mantissa.
struct Weight {
  uint mantissa = 0;
  int exponent = 0;
};
constexpr int kMantissaBits = 24;
constexpr uint kLeastMantissa = uint{1} << (kMantissaBits - 1);
// The exponent of 1 in a float.
constexpr int kExponentOf1 = 127;

// The weight of samples that count as divided by 2^(bit_depth - 8).
Weight weight_for(int factor, int bit_depth) {
  int exponent = 0;
  const float fraction = std::frexp(1.0F / static_cast<float>(factor * factor), &exponent);
  return {static_cast<uint>(std::ldexp(fraction, kMantissaBits)), exponent - kMantissaBits - (bit_depth - 8)};
}

bool is_exact(const Weight& weight) { return weight.mantissa == kLeastMantissa; }

const vulkan::Pipeline& pipeline_for(vulkan::Context& context, const vulkan::DevicePlane& luma, int bit_depth,
                                     int factor) {
  HWY_DASSERT(8 <= bit_depth && bit_depth <= 16 && 2 <= factor && factor <= kMaxShrink);
  HWY_DASSERT(factor <= luma.layout.width && factor <= luma.layout.height);
  const bool exact = is_exact(weight_for(factor, bit_depth));
  return context.pipeline(shaders::kSsimShrink, {luma.layout.sample_bytes, exact});
}

vulkan::PlaneLayout layout_of(PlaneSize size) {
  return {.width = size.width, .height = size.height, .sample_bytes = sizeof(float)};
}

PlaneSize shrunk_size(const vulkan::PlaneLayout& luma, int factor) {
  return {shrunk(luma.width, factor), shrunk(luma.height, factor)};
}

}  // namespace

ShrinkPass::ShrinkPass(vulkan::Context& context, const vulkan::DevicePlane& luma, int bit_depth, int factor)
    : luma_(luma),
      bit_depth_(bit_depth),
      factor_(factor),
      pipeline_(pipeline_for(context, luma, bit_depth, factor)),
      out_(context.device(), layout_of(shrunk_size(luma.layout, factor))),
      readback_(context.device(), vulkan::Memory::kReadback, out_.layout.bytes()) {}

void ShrinkPass::record(vulkan::Recorder& recorder) const {
  const Weight weight = weight_for(factor_, bit_depth_);
  const int unit = weight.exponent + (is_exact(weight) ? kMantissaBits - 1 : 0);
  const vulkan::PlaneLayout& out = out_.layout;
  const ShrinkPush push{
      .width = luma_.width(),
      .height = luma_.height(),
      .stride = luma_.stride(),
      .out_width = static_cast<uint>(out.width),
      .out_height = static_cast<uint>(out.height),
      .out_stride = static_cast<uint>(out.stride_bytes() / static_cast<int64_t>(sizeof(float))),
      .factor = static_cast<uint>(factor_),
      .mantissa = weight.mantissa,
      .exponent = static_cast<uint>(unit + kMantissaBits - 1 + kExponentOf1)};
  recorder.pass(pipeline_, {&luma_.buffer, &out_.buffer})
      .run(push, vulkan::groups_for(out.size(), kGroupX, kGroupY));
}

void ShrinkPass::record_readback(vulkan::Recorder& recorder) const { recorder.copy(out_.buffer, readback_); }

PlaneView<const float> ShrinkPass::shrunk_picture() const {
  return vulkan::float_plane(readback_, out_.layout);
}

}  // namespace vq::ssim::gpu

namespace vq::ssim {
namespace {

// Memory for comparing two shrunk pictures.
struct Workspace {
  explicit Workspace(PlaneSize size)
      : distorted(size.width, size.height), reference(size.width, size.height), scratch(size.width) {}

  Plane<float> distorted, reference;
  Scratch scratch;
};
using WorkspaceLoan = WorkspacePool<Workspace>::Loan;

void copy(PlaneView<const float> from, PlaneView<float> to) {
  HWY_DASSERT(same_size(from, to));
  for (int y = 0; y < from.height; ++y) std::copy_n(from.row(y), from.width, to.row(y));
}

// The host's part, shared by all slots.
class SharedPictures : public SharedWork<SsimPlan> {
 public:
  SharedPictures(const SsimPlan& with, const VideoFormats& of, const Execution& execution,
                 vulkan::Context& on)
      : SharedWork(with, of, execution, on),
        whole(with.factor == 1 ? make_host_feature(with, execution) : nullptr, times),
        stages_(Stages::of(execution)),
        workspaces_([size = with.sizes.front()] { return std::make_unique<Workspace>(size); }) {}

  WorkspaceLoan take_workspace() { return workspaces_.take(); }

  FrameResult compare(Workspace& workspace) {
    const Similarity sums = times.time(kCompareStage, [&] {
      return stages_.compare(workspace.distorted.view(), workspace.reference.view(), workspace.scratch);
    });
    return {.values = frame_values(plan, std::array{sums})};
  }

  const WholeFrames whole;  // used only if pictures are not shrunk

 private:
  const Stages stages_;
  WorkspacePool<Workspace> workspaces_;
};

class ShrunkPictures final : public HostFinish {
 public:
  ShrunkPictures(SharedPictures& shared, PlaneView<const float> distorted, PlaneView<const float> reference)
      : shared_(shared), workspace_(shared.take_workspace()) {
    copy(distorted, workspace_->distorted.view());
    copy(reference, workspace_->reference.view());
  }
  FrameResult finish() override { return shared_.compare(*workspace_); }

 private:
  SharedPictures& shared_;
  const WorkspaceLoan workspace_;
};

// The start-up check: small pictures of the videos' depths are shrunk on the device and on the CPU.
void check_device(vulkan::Context& context, const VideoFormats& formats, int factor) {
  const CheckFrames frames(context, formats, {.reference = true});
  const std::array<CheckPicture*, 2> pictures = {&frames.distorted(), &frames.reference()};
  std::vector<gpu::ShrinkPass> passes;
  for (CheckPicture* const picture : pictures)
    passes.emplace_back(context, picture->on_device().plane(0), picture->format().bit_depth, factor);
  frames.run([&](vulkan::Recorder& recorder) {
    for (const gpu::ShrinkPass& pass : passes) pass.record(recorder);
    for (const gpu::ShrinkPass& pass : passes) pass.record_readback(recorder);
  });
  bool is_same = true;
  for (size_t i = 0; i < pictures.size(); ++i) {
    const VideoFormat& format = pictures[i]->format();
    Scratch scratch(format.width);
    Plane<float> expected(shrunk(format.width, factor), shrunk(format.height, factor));
    scalar::shrink({pictures[i]->frame().luma(), format.bit_depth}, factor, scratch, expected.view());
    is_same = is_same && same_samples(std::as_const(expected).view(), passes[i].shrunk_picture());
  }
  context.require_same(is_same, "shrunk pictures");
}

// The passes of a slot: none for pictures that are not shrunk.
class SsimWork final : public DeviceWork {
 public:
  using Shared = SharedPictures;
  SsimWork(Shared& shared, const DeviceFrame& frame) : shared_(shared) {
    const int factor = shared.plan.factor;
    if (factor == 1) return;
    const VideoFormats& formats = shared.formats;
    distorted_.emplace(shared.context, frame.distorted.plane(0), formats.distorted.bit_depth, factor);
    reference_.emplace(shared.context, frame.needed_reference().plane(0), formats.reference.value().bit_depth,
                       factor);
  }

  void record(vulkan::Recorder& recorder) override {
    if (!distorted_) return;
    recorder.begin_stage(kShrinkStage);
    distorted_->record(recorder);
    reference_->record(recorder);
    recorder.begin_stage(kReadbackStage);
    distorted_->record_readback(recorder);
    reference_->record_readback(recorder);
  }

  FrameResult finish(const FramePair& frames) override { return take(frames)->finish(); }
  std::unique_ptr<HostFinish> take(const FramePair& frames) override {
    if (!distorted_) return shared_.whole.finish_of(frames);
    return std::make_unique<ShrunkPictures>(shared_, distorted_->shrunk_picture(),
                                            reference_->shrunk_picture());
  }

  static void check(vulkan::Context& context, const SsimPlan& plan, const VideoFormats& formats) {
    if (plan.factor > 1) check_device(context, formats, plan.factor);
  }
  static int64_t host_bytes(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
    const SsimPlan plan = plan_of<Ssim>(set, formats);
    if (plan.factor == 1) return ssim_info().memory(set, formats, execution).fixed;
    return thread_count(execution) *
           counted_bytes([&] { return std::make_unique<Workspace>(plan.sizes.front()); });
  }

 private:
  Shared& shared_;
  std::optional<gpu::ShrinkPass> distorted_, reference_;
};

}  // namespace

const DeviceSupport kDeviceSupport = describe_device<ssim_info, Ssim, SsimWork, shaders::kSsimShrink>();

}  // namespace vq::ssim
