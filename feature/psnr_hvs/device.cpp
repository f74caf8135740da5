#include "feature/psnr_hvs/psnr_hvs.h"

#include "feature/device_feature.h"
#include "shaders/psnr_hvs/shared.h"
#include "shaders/psnr_hvs_add_chunks.h"
#include "shaders/psnr_hvs_chunk_steps.h"
#include "shaders/psnr_hvs_terms.h"

namespace vq::psnr_hvs::gpu {

static_assert(kBlockTerms == kBlockSamples);

static int block_count(PlaneSize size) { return blocks_along(size.width) * blocks_along(size.height); }

static const vulkan::Pipeline& terms_pipeline(vulkan::Context& context, const Operand& a, const Operand& b) {
  HWY_DASSERT(a.plane.layout.size() == b.plane.layout.size());
  HWY_DASSERT(0 <= a.shift && a.shift <= 4 && 0 <= b.shift && b.shift <= 4);
  return context.pipeline(shaders::kPsnrHvsTerms,
                          {a.plane.layout.sample_bytes, b.plane.layout.sample_bytes, a.shift, b.shift});
}

static const vulkan::Buffer& weight_table(vulkan::Context& context, const Weights& weights) {
  WeightTable table{};
  std::copy_n(weights.contrast, kBlockSamples, table.contrast);
  std::copy_n(weights.masking, kBlockSamples, table.masking);
  return context.table(std::array{table});
}

ErrorSumPass::ErrorSumPass(vulkan::Context& context, const Operand& a, const Operand& b,
                           const Weights& weights)
    : a_(a.plane),
      b_(b.plane),
      blocks_across_(blocks_along(a_.layout.width)),
      blocks_(block_count(a_.layout.size())),
      terms_pipeline_(terms_pipeline(context, a, b)),
      weights_(weight_table(context, weights)),
      sum_(context, shaders::kPsnrHvsChunkSteps, shaders::kPsnrHvsAddChunks,
           {kChunkBlocks, kBlockTerms, kMostChunks, sizeof(float)}, blocks_) {}

void ErrorSumPass::record_terms(vulkan::Recorder& recorder, int slice) const {
  const TermsPush push{
      .stride_a = a_.stride(),
      .stride_b = b_.stride(),
      .blocks_across = static_cast<uint>(blocks_across_),
      .blocks = static_cast<uint>(blocks_),
      .first_block = sum_.first_block(slice),
      .block_variance = kBlockVariance,
      .quarter_variance = kQuarterVariance,
  };
  recorder.pass(terms_pipeline_, {&a_.buffer, &b_.buffer, &weights_, &sum_.terms(), &sum_.chunk_sums()})
      .run(push, {sum_.chunks_of(slice)});
}

void record(vulkan::Recorder& recorder, const std::vector<ErrorSumPass>& passes) {
  int slices = 0;
  for (const ErrorSumPass& pass : passes) slices = std::max(slices, pass.sum().slices());
  for (int slice = 0; slice < slices; ++slice) {
    const auto each = [&](const auto& record_part) {
      for (const ErrorSumPass& pass : passes) {
        if (slice < pass.sum().slices()) record_part(pass);
      }
    };
    recorder.begin_stage(kTermsStage);
    each([&](const ErrorSumPass& pass) { pass.record_terms(recorder, slice); });
    recorder.begin_stage(kSumStage);
    each([&](const ErrorSumPass& pass) { pass.sum().record_steps(recorder, slice); });
    each([&](const ErrorSumPass& pass) { pass.sum().record_sum(recorder, slice); });
  }
  recorder.begin_stage(kReadbackStage);
  for (const ErrorSumPass& pass : passes) pass.sum().record_readback(recorder);
}

}  // namespace vq::psnr_hvs::gpu

namespace vq::psnr_hvs {
namespace {

template <typename T>
PlaneView<const T> block_of(const PlaneView<const T>& view, int x, int y) {
  if (view.data == nullptr) return view;
  return {view.row(y) + x, kBlockSide, kBlockSide, view.stride};
}
Samples block_of(const Samples& samples, int x, int y) {
  return {{block_of(samples.view.u8, x, y), block_of(samples.view.u16, x, y)}, samples.shift};
}

// The passes of all planes of a slot.
class PsnrHvsWork final : public DeviceWork {
 public:
  PsnrHvsWork(const PsnrHvsPlan& plan, vulkan::Context& context, const DeviceFrame& frame) : plan_(plan) {
    for (int i = 0; i < kMaxPlanes; ++i) {
      passes_.emplace_back(context, Operand{frame.needed_reference().plane(i), plan.reference_shift},
                           Operand{frame.distorted.plane(i), plan.distorted_shift},
                           plan.weights[static_cast<size_t>(i)]);
    }
  }

  void record(vulkan::Recorder& recorder) override { gpu::record(recorder, passes_); }
  FrameResult finish(const FramePair&) override {
    std::array<float, kMaxPlanes> sums{};
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = passes_[i].error_sum();
    return {.values = scores(plan_, sums)};
  }

  // The start-up check: small pictures of the videos' depths are compared on the device and on the CPU, block
  // by block, as what is wrong in one term may vanish in the sum of all. Some blocks are enough, since all
  // are made alike; the sum of all has more to meet.
  static void check(vulkan::Context& context, const PsnrHvsPlan& plan, const VideoFormats& formats) {
    constexpr PlaneSize kSize = {333, 301};
    constexpr int kStep = 5;
    const CheckFrames frames(context, formats, {.reference = true}, kSize);
    const CheckPicture &distorted = frames.distorted(), &reference = frames.reference();
    std::vector<gpu::ErrorSumPass> passes;
    passes.emplace_back(context, Operand{frames.distorted().on_device().plane(0), plan.distorted_shift},
                        Operand{frames.reference().on_device().plane(0), plan.reference_shift},
                        weights_of(0));
    const OrderedSum& ordered = passes.front().sum();
    const vulkan::Buffer terms(context.device(), vulkan::Memory::kReadback, ordered.terms().bytes());
    frames.run([&](vulkan::Recorder& recorder) {
      gpu::record(recorder, passes);
      recorder.copy(ordered.terms(), terms);
    });
    const Samples a = {distorted.frame().luma(), plan.distorted_shift},
                  b = {reference.frame().luma(), plan.reference_shift};
    Bands bands(distorted.format().width);
    const int across = blocks_along(distorted.format().width),
              blocks = across * blocks_along(distorted.format().height);
    const auto with_block = [&](float before, int block) {
      for (int i = 0; i < int{gpu::kBlockTerms}; ++i) before += ordered.term(terms, block, i);
      return before;
    };
    bool are_same = true;
    float sum = 0;
    for (int i = 0; i < blocks; ++i) {
      sum = with_block(sum, i);
      if (i % kStep > 0) continue;
      const int x = i % across * kBlockStep, y = i / across * kBlockStep;
      const float expected = scalar::error_sum(block_of(a, x, y), block_of(b, x, y), weights_of(0), bands);
      are_same = are_same && with_block(0, i) == expected;
    }
    context.require_same(are_same && passes.front().error_sum() == sum, "visible errors");
  }

 private:
  const PsnrHvsPlan& plan_;
  std::vector<gpu::ErrorSumPass> passes_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, PsnrHvs, PsnrHvsWork, shaders::kPsnrHvsTerms, shaders::kPsnrHvsChunkSteps,
                    shaders::kPsnrHvsAddChunks>();

}  // namespace vq::psnr_hvs
