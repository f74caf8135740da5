#include "feature/vif/vif.h"

#include "feature/device_feature.h"
#include "shaders/vif/shared.h"
#include "shaders/vif_decimate.h"
#include "shaders/vif_pair.h"
#include "shaders/vif_statistics.h"

namespace vq::vif::gpu {

constexpr uint32_t kGroupSamples = kTileWidth * kTileRows;
static_assert(uint64_t{kGroupSamples} * 0xFFFF <= UINT32_MAX, "sums of a group fit its words");
static_assert(kFilters[0].radius <= static_cast<int>(kShortSide), "longer axes are reflected once");

// The bits that no sample of that depth has, in a word with one sample.
static uint32_t bits_beyond(int bit_depth) { return 0xFFFFU & ~((1U << bit_depth) - 1); }

static FixedPoint fixed_point(double number) {
  const double whole = std::floor(number);
  const auto fraction = static_cast<uint64_t>(std::ldexp(number - whole, 64));
  return {.whole = static_cast<uint>(whole),
          .upper = static_cast<uint>(fraction >> 32),
          .lower = static_cast<uint>(fraction)};
}

static const vulkan::Pipeline& pair_pipeline(vulkan::Context& context, const Operand& r, const Operand& d) {
  const vulkan::PlaneLayout &of_r = r.plane.layout, &of_d = d.plane.layout;
  HWY_DASSERT(of_r.size() == of_d.size());
  return context.pipeline(shaders::kVifPair, {of_r.sample_bytes, of_d.sample_bytes, r.shift, d.shift,
                                              bits_beyond(r.bit_depth), bits_beyond(d.bit_depth)});
}

static uint32_t has_short_side(PlaneSize size) {
  return std::min(size.width, size.height) <= static_cast<int>(kShortSide) ? 1 : 0;
}

static const vulkan::Pipeline& statistics_pipeline(vulkan::Context& context, const Scale& scale,
                                                   PlaneSize size) {
  const bool are_bytes = scale.index == 0 && scale.bit_depth == 8;
  return context.pipeline(shaders::kVifStatistics, {scale.index, has_short_side(size), are_bytes});
}

static vulkan::Groups tiles_of(PlaneSize size) { return vulkan::groups_for(size, kTileWidth, kTileRows); }

static const vulkan::Buffer& log_entries(vulkan::Context& context) {
  return context.table(std::span(LogTable::get().entries(), LogTable::kBlocks));
}

int64_t PicturePair::pitch() const {
  return (int64_t{size.width} + kPitchUnit - 1) / kPitchUnit * kPitchUnit;
}

int64_t PicturePair::bytes(PlaneSize size) {
  return PicturePair{.size = size, .buffer = {}}.pitch() * size.height * 4;
}

namespace {

// Combines two planes.
class PairPass {
 public:
  PairPass(vulkan::Context& context, const Operand& reference, const Operand& distorted)
      : reference_(reference.plane),
        distorted_(distorted.plane),
        pipeline_(pair_pipeline(context, reference, distorted)) {}

  // Writes the pictures, and a word to `beyond`: whether there are samples beyond the depth of their plane.
  void record(vulkan::Recorder& recorder, const PicturePair& out, const vulkan::Buffer& beyond) const {
    const PairPush push{.width = static_cast<uint>(out.size.width),
                        .height = static_cast<uint>(out.size.height),
                        .reference_stride = reference_.stride(),
                        .distorted_stride = distorted_.stride(),
                        .pitch = static_cast<uint>(out.pitch())};
    recorder.fill(beyond, 0);
    recorder.pass(pipeline_, {&reference_.buffer, &distorted_.buffer, &out.buffer, &beyond})
        .run(push, vulkan::groups_for(out.size, kVector * kPairGroupX, kPairGroupY));
  }

 private:
  const vulkan::DevicePlane &reference_, &distorted_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace

DecimatePass::DecimatePass(vulkan::Context& context, const Scale& scale, PlaneSize size)
    : scale_(scale),
      pipeline_(context.pipeline(shaders::kVifDecimate, {scale.index, has_short_side(size)})) {}

void DecimatePass::record(vulkan::Recorder& recorder, const PicturePair& in, const PicturePair& out) const {
  const int radius = kFilters[static_cast<size_t>(scale_.index) + 1].radius;
  const DecimatePush push{.width = static_cast<uint>(in.size.width),
                          .height = static_cast<uint>(in.size.height),
                          .in_pitch = static_cast<uint>(in.pitch()),
                          .out_pitch = static_cast<uint>(out.pitch()),
                          .out_width = static_cast<uint>(out.size.width),
                          .out_height = static_cast<uint>(out.size.height),
                          .shift = static_cast<uint>(sample_shift(scale_))};
  recorder.pass(pipeline_, {&in.buffer, &out.buffer})
      .run(push, vulkan::groups_for(out.size, kColumns / 2 - radius, kTileRows));
}

StatisticsPass::StatisticsPass(vulkan::Context& context, const Scale& scale, PlaneSize size,
                               double gain_limit)
    : scale_(scale),
      gain_limit_(gain_limit),
      size_(size),
      pipeline_(statistics_pipeline(context, scale, size)),
      log_entries_(log_entries(context)) {}

int64_t StatisticsPass::sum_bytes(PlaneSize size) { return tiles_of(size).count() * kSums * 4; }

void StatisticsPass::record(vulkan::Recorder& recorder, const PicturePair& pictures,
                            const vulkan::Buffer& sums) const {
  HWY_DASSERT(pictures.size == size_ && sum_bytes(size_) <= sums.bytes());
  const StatisticsPush push{.width = static_cast<uint>(pictures.size.width),
                            .height = static_cast<uint>(pictures.size.height),
                            .pitch = static_cast<uint>(pictures.pitch()),
                            .sample_shift = static_cast<uint>(sample_shift(scale_)),
                            .product_shift = static_cast<uint>(product_shift(scale_)),
                            .limit = fixed_point(gain_limit_),
                            .limit_squared = fixed_point(gain_limit_ * gain_limit_)};
  recorder.pass(pipeline_, {&pictures.buffer, &log_entries_, &sums}).run(push, tiles_of(size_));
}

ScaleSums StatisticsPass::sums(const std::byte* written) const {
  std::array<uint64_t, kSums> totals = {};
  for (int64_t place = 0; place < sum_bytes(size_); place += int64_t{kSums} * 4) {
    std::array<uint32_t, kSums> own;
    std::memcpy(own.data(), written + place, sizeof(own));
    for (size_t i = 0; i < kSums; ++i) totals[i] += own[i];
  }
  return {
      .num_log = static_cast<int64_t>(totals[kNumLog]),
      .den_log = static_cast<int64_t>(totals[kDenLog]),
      .flat = static_cast<int64_t>(totals[kFlat]),
      .flat_variance = static_cast<int64_t>(totals[kFlatVarianceLow] + (totals[kFlatVarianceHigh] << 16))};
}

}  // namespace vq::vif::gpu

namespace vq::vif {
namespace {

// A scale that is scored: its pass, and where its sums go.
struct ScoredScale {
  int index;
  gpu::StatisticsPass pass;
  vulkan::Buffer sums;
  int64_t readback_offset;
};

class VifWork final : public DeviceWork {
 public:
  VifWork(const VifPlan& plan, vulkan::Context& context, const DeviceFrame& frame)
      : plan_(plan), pair_(make_pair_pass(plan, context, frame)) {
    const auto device_buffer = [&](int64_t bytes) {
      return vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    };
    for (const PlaneSize& size : plan.sizes)
      pictures_.push_back({size, device_buffer(gpu::PicturePair::bytes(size))});
    for (int k = 0; k + 1 < kScales; ++k) {
      decimate_.emplace_back(context, Scale{.index = k, .bit_depth = plan.bit_depth},
                             plan.sizes[static_cast<size_t>(k)]);
    }
    beyond_ = device_buffer(kBeyondBytes);
    int64_t offset = kBeyondBytes;
    for (int k = plan.first_scale; k < kScales; ++k) {
      const PlaneSize size = plan.sizes[static_cast<size_t>(k)];
      const int64_t bytes = gpu::StatisticsPass::sum_bytes(size);
      scored_.push_back(
          {.index = k,
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
    for (size_t k = 0; k < decimate_.size(); ++k)
      decimate_[k].record(recorder, pictures_[k], pictures_[k + 1]);
    recorder.begin_stage("statistics");
    for (const ScoredScale& scale : scored_) {
      scale.pass.record(recorder, pictures_[static_cast<size_t>(scale.index)], scale.sums);
    }
    recorder.begin_stage("readback");
    std::vector<vulkan::Copy> copies = {{.from = &beyond_, .to = &readback_, .bytes = kBeyondBytes}};
    for (const ScoredScale& scale : scored_) {
      copies.push_back({.from = &scale.sums,
                        .to = &readback_,
                        .to_offset = scale.readback_offset,
                        .bytes = scale.sums.bytes()});
    }
    recorder.copy(copies);
  }

  FrameResult finish(const FramePair& frames) override {
    if (readback_.mapped()[0] != std::byte{0}) {
      const VideoFormats& formats = plan_.formats;
      refuse_luma(
          {{frames.distorted, formats.distorted}, {frames.reference.value(), formats.reference.value()}});
    }
    return result();
  }

  FrameResult result() const {
    std::array<Information, kScales> scales;
    for (const ScoredScale& scale : scored_) {
      const ScaleSums sums = scale.pass.sums(readback_.mapped() + scale.readback_offset);
      scales[static_cast<size_t>(scale.index)] = information_of(sums);
    }
    return frame_result(plan_, scales);
  }

  // With the information of each scale.
  static void for_check(OptionSet& set) { set.resolve("debug", "true"); }

 private:
  static constexpr int64_t kBeyondBytes = 4;

  static gpu::PairPass make_pair_pass(const VifPlan& plan, vulkan::Context& context,
                                      const DeviceFrame& frame) {
    const VideoFormats& formats = plan.formats;
    return {
        context,
        Operand{frame.needed_reference().plane(0), plan.reference_shift, formats.reference.value().bit_depth},
        Operand{frame.distorted.plane(0), plan.distorted_shift, formats.distorted.bit_depth}};
  }

  const VifPlan& plan_;
  const gpu::PairPass pair_;
  std::vector<gpu::PicturePair> pictures_;
  std::vector<gpu::DecimatePass> decimate_;
  std::vector<ScoredScale> scored_;
  vulkan::Buffer beyond_, readback_;
};

}  // namespace

const DeviceSupport kDeviceSupport = describe_device<feature_info, Vif, VifWork, shaders::kVifPair,
                                                     shaders::kVifDecimate, shaders::kVifStatistics>();

}  // namespace vq::vif
