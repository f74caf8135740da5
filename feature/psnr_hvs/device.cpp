#include "feature/psnr_hvs/psnr_hvs.h"

#include <hwy/base.h>

#include "feature/device_feature.h"
#include "shaders/psnr_hvs/shared.h"
// Made by the build from shaders/.
#include "shaders/psnr_hvs_add_chunks.h"
#include "shaders/psnr_hvs_chunk_steps.h"
#include "shaders/psnr_hvs_terms.h"

namespace vq::psnr_hvs::gpu {
namespace {

static_assert(kBlockTerms == kBlockSamples);
constexpr int64_t kChunkBytes = int64_t{kChunkBlocks} * kBlockTerms * sizeof(float);

int block_count(PlaneSize size) {
  return blocks_along(size.width) * blocks_along(size.height);
}
int chunk_count(int blocks) {
  return (blocks - 1) / static_cast<int>(kChunkBlocks) + 1;
}
int chunks_at_once(int chunks) {
  return std::min(chunks, static_cast<int>(kMostChunks));
}
PlaneSize size_of(const vulkan::DevicePlane& plane) {
  return {plane.layout.width, plane.layout.height};
}

const vulkan::Pipeline& terms_pipeline(vulkan::Context& context, const Operand& a, const Operand& b) {
  HWY_DASSERT(a.plane.layout.width == b.plane.layout.width && a.plane.layout.height == b.plane.layout.height);
  HWY_DASSERT(0 <= a.shift && a.shift <= 4 && 0 <= b.shift && b.shift <= 4);
  return context.pipeline(shaders::kPsnrHvsTerms,
                          {a.plane.layout.sample_bytes, b.plane.layout.sample_bytes, a.shift, b.shift});
}

const vulkan::Buffer& weight_table(vulkan::Context& context, const Weights& weights) {
  WeightTable table{};
  std::copy_n(weights.contrast, kBlockSamples, table.contrast);
  std::copy_n(weights.masking, kBlockSamples, table.masking);
  return context.table(std::array{table});
}

}  // namespace

ErrorSumPass::ErrorSumPass(vulkan::Context& context, const Operand& a, const Operand& b,
                           const Weights& weights)
    : a_(a.plane),
      b_(b.plane),
      blocks_across_(blocks_along(a_.layout.width)),
      blocks_(block_count(size_of(a_))),
      chunks_(chunk_count(blocks_)),
      chunks_each_(chunks_at_once(chunks_)),
      terms_pipeline_(terms_pipeline(context, a, b)),
      steps_pipeline_(context.pipeline(shaders::kPsnrHvsChunkSteps)),
      sum_pipeline_(context.pipeline(shaders::kPsnrHvsAddChunks)),
      weights_(weight_table(context, weights)),
      terms_(context.device(), vulkan::Memory::kDevice, chunks_each_ * kChunkBytes),
      chunk_sums_(context.device(), vulkan::Memory::kDevice,
                  chunks_each_ * static_cast<int64_t>(sizeof(float))),
      steps_(context.device(), vulkan::Memory::kDevice,
             chunks_each_ * static_cast<int64_t>(sizeof(ChunkStep))),
      total_(context.device(), vulkan::Memory::kDevice, sizeof(float)),
      readback_(context.device(), vulkan::Memory::kReadback, sizeof(float)) {}

int ErrorSumPass::chunks_of(int slice) const {
  return std::min(chunks_each_, chunks_ - slice * chunks_each_);
}

void ErrorSumPass::record_terms(vulkan::Recorder& recorder, int slice) const {
  const TermsPush push{
      .stride_a = a_.stride(),
      .stride_b = b_.stride(),
      .blocks_across = static_cast<uint>(blocks_across_),
      .blocks = static_cast<uint>(blocks_),
      .first_block = static_cast<uint>(slice * chunks_each_) * kChunkBlocks,
      .block_variance = kBlockVariance,
      .quarter_variance = kQuarterVariance,
  };
  recorder.pass(terms_pipeline_, {&a_.buffer, &b_.buffer, &weights_, &terms_, &chunk_sums_})
      .run(push, {static_cast<uint32_t>(chunks_of(slice))});
}

void ErrorSumPass::record_steps(vulkan::Recorder& recorder, int slice) const {
  if (slice == 0) recorder.fill(total_, 0);
  const SumPush push{.chunks = static_cast<uint>(chunks_of(slice))};
  recorder.pass(steps_pipeline_, {&terms_, &chunk_sums_, &total_, &steps_}).run(push, {push.chunks});
}

void ErrorSumPass::record_sum(vulkan::Recorder& recorder, int slice) const {
  const SumPush push{.chunks = static_cast<uint>(chunks_of(slice))};
  recorder.pass(sum_pipeline_, {&terms_, &chunk_sums_, &steps_, &total_}).run(push, {1});
}

void ErrorSumPass::record_readback(vulkan::Recorder& recorder) const {
  recorder.copy(total_, readback_);
}

float ErrorSumPass::error_sum() const {
  float sum = 0;
  std::memcpy(&sum, readback_.mapped(), sizeof(sum));
  return sum;
}

float with_block(float sum, const std::byte* terms, int block) {
  const auto number = static_cast<size_t>(block), chunk = number / kChunkBlocks;
  for (size_t i = 0; i < kBlockTerms; ++i) {
    float term = 0;
    const size_t at = (chunk * kBlockTerms + i) * kChunkBlocks + number % kChunkBlocks;
    std::memcpy(&term, terms + at * sizeof(term), sizeof(term));
    sum += term;
  }
  return sum;
}

void record(vulkan::Recorder& recorder, const std::vector<ErrorSumPass>& passes) {
  int slices = 0;
  for (const ErrorSumPass& pass : passes) slices = std::max(slices, pass.slices());
  for (int slice = 0; slice < slices; ++slice) {
    const auto each = [&](void (ErrorSumPass::*record_part)(vulkan::Recorder&, int) const) {
      for (const ErrorSumPass& pass : passes) {
        if (slice < pass.slices()) (pass.*record_part)(recorder, slice);
      }
    };
    recorder.begin_stage(kTermsStage);
    each(&ErrorSumPass::record_terms);
    recorder.begin_stage(kSumStage);
    each(&ErrorSumPass::record_steps);
    each(&ErrorSumPass::record_sum);
  }
  recorder.begin_stage(kReadbackStage);
  for (const ErrorSumPass& pass : passes) pass.record_readback(recorder);
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
    const vulkan::Buffer terms(context.device(), vulkan::Memory::kReadback, passes.front().terms().bytes());
    frames.run([&](vulkan::Recorder& recorder) {
      gpu::record(recorder, passes);
      recorder.copy(passes.front().terms(), terms);
    });
    const Samples a = {distorted.frame().luma(), plan.distorted_shift},
                  b = {reference.frame().luma(), plan.reference_shift};
    Bands bands(distorted.format().width);
    const int across = blocks_along(distorted.format().width),
              blocks = across * blocks_along(distorted.format().height);
    bool are_same = true;
    float sum = 0;
    for (int i = 0; i < blocks; ++i) {
      sum = gpu::with_block(sum, terms.mapped(), i);
      if (i % kStep > 0) continue;
      const int x = i % across * kBlockStep, y = i / across * kBlockStep;
      const float expected = scalar::error_sum(block_of(a, x, y), block_of(b, x, y), weights_of(0), bands);
      are_same = are_same && gpu::with_block(0, terms.mapped(), i) == expected;
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
