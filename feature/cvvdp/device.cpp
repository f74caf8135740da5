#include "feature/light/device.h"
#include "feature/cvvdp/comparison.h"
#include "feature/cvvdp/cvvdp.h"
#include "feature/device_feature.h"
#include "shaders/cvvdp/shared.h"
#include "shaders/cvvdp_contrast.h"
#include "shaders/cvvdp_filter.h"
#include "shaders/cvvdp_light.h"
#include "shaders/cvvdp_mask.h"
#include "shaders/cvvdp_reduce.h"
#include "shaders/light/shared.h"
#include "vulkan/shader.h"

namespace vq::cvvdp::gpu {

// The light of one video's frames.
class LightPass {
 public:
  // `like`: a picture of the conversion's format.
  LightPass(vulkan::Context& context, const Plan& plan, const light::Conversion& conversion,
            const vulkan::DevicePicture& like);

  // Needs: a buffer of light_bytes() or more.
  void record(vulkan::Recorder& recorder, const vulkan::DevicePicture& picture,
              const vulkan::Buffer& light) const;

 private:
  const Plan& plan_;
  const light::Conversion& conversion_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Buffer& table_;
};

// One video's frames up to the one that is scored: what filters make of their light.
class FilterPasses {
 public:
  // Pictures, the oldest first, of the conversion's format.
  FilterPasses(vulkan::Context& context, const Plan& plan, const light::Conversion& conversion,
               std::vector<const vulkan::DevicePicture*> frames);

  // Reads the light that was derived with the pictures, or makes it in two buffers. Needs: room for the
  // finest level in all three.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& level, const vulkan::Buffer& one_light,
              const vulkan::Buffer& another) const;

 private:
  const Plan& plan_;
  const std::vector<const vulkan::DevicePicture*> frames_;
  const LightPass light_;
  const vulkan::Pipeline& pipeline_;
};

// Bytes of the light of a frame.
int64_t light_bytes(const Plan& plan) {
  return int64_t{3} * int64_t{sizeof(float)} * plan.levels[0].size.width * plan.levels[0].size.height;
}

// A level of both pictures, in device memory.
class LevelPasses {
 public:
  // `with_differences`: keep those of all samples.
  LevelPasses(vulkan::Context& context, const Plan& plan, size_t level, bool with_differences);

  const vulkan::Buffer& reference() const { return reference_; }
  const vulkan::Buffer& distorted() const { return distorted_; }

  // Fills the pictures from those of the level before.
  void record_reduction(vulkan::Recorder& recorder, const LevelPasses& finer) const;
  // Contrasts, masking and sums. Needs: not the base band; buffers with room for the finest level.
  void record_masking(vulkan::Recorder& recorder, const LevelPasses& coarser, const vulkan::Buffer& mutual,
                      const vulkan::Buffer& difference) const;
  void record_readback(vulkan::Recorder& recorder) const;

  // The first two for all but the base band.
  LevelSums sums() const;
  std::array<PlaneView<const float>, kChannels> differences() const;
  // Needs: the base band.
  std::array<Plane<float>, kChannels> base_differences() const;

 private:
  bool is_base() const { return level_ + 1 == plan_.levels.size(); }
  PlaneSize size() const { return plan_.levels[level_].size; }

  vulkan::Context& context_;
  const Plan& plan_;
  const size_t level_;
  const bool with_differences_;
  const vulkan::Pipeline &reduce_, &contrast_, &mask_;  // compiled at the same time
  vulkan::Buffer reference_, distorted_;
  vulkan::Buffer sums_, differences_;
  vulkan::Buffer sums_readback_, differences_readback_, reference_readback_, distorted_readback_;
};

static_assert(kTileSide == light::kTile && kSensitivityFloats == kLuminances + 1);
static_assert(static_cast<uint>(Curve::kSrgb) == kSrgbDisplay &&
              static_cast<uint>(Curve::kPq) == kPqDisplay && static_cast<uint>(Curve::kHlg) == kHlgDisplay);
static_assert(kBlurReach + 1 == kExponentStart && gpu::kMatrixStart == light::gpu::kCurveStart);

// A buffer is never empty.
constexpr int64_t kLeastBytes = sizeof(float);
constexpr int64_t kSampleBytes = kChannels * sizeof(float);

static int64_t sample_count(PlaneSize size) { return int64_t{size.width} * size.height; }
static int64_t tile_count(PlaneSize size) {
  return int64_t{light::tiles_of(size.width)} * light::tiles_of(size.height);
}
static vulkan::Groups groups_of(PlaneSize size) { return vulkan::groups_for(size, kSamplesX, kSamplesY); }

static std::vector<uint32_t> light_constants(const Plan& plan, const light::Conversion& conversion,
                                             const vulkan::DevicePicture& picture) {
  std::vector<uint32_t> constants = light::gpu::constants_of(picture, conversion);
  constants[1] = static_cast<uint32_t>(plan.to_dkl.curve);
  return constants;
}

static std::vector<float> light_table(const Plan& plan, const light::Conversion& conversion) {
  std::vector<float> table = light::gpu::table_of(conversion);
  for (const auto& row : plan.to_dkl.matrix) table.insert(table.end(), std::begin(row), std::end(row));
  table.insert(table.end(), plan.to_dkl.table.begin(), plan.to_dkl.table.end());
  return table;
}

static std::vector<float> contrast_table(const Plan& plan, size_t level) {
  std::vector<float> table;
  for (const Sensitivity& sensitivity : plan.levels[level].sensitivity)
    table.insert(table.end(), sensitivity.begin(), sensitivity.end());
  table.insert(table.end(), plan.constants.masking.gain.begin(), plan.constants.masking.gain.end());
  return table;
}

static std::vector<float> mask_table(const Masking& masking) {
  std::vector<float> table(masking.blur.begin(), masking.blur.end());
  std::vector<Power> powers(masking.mutual.begin(), masking.mutual.end());
  powers.push_back(masking.difference);
  for (const Power& each : powers) table.push_back(each.exponent);
  for (const Power& each : powers) table.push_back(each.at_zero);
  for (const auto& masker : masking.weights) table.insert(table.end(), std::begin(masker), std::end(masker));
  return table;
}

static vulkan::Buffer device_buffer(const vulkan::Context& context, int64_t bytes) {
  return {context.device(), vulkan::Memory::kDevice, std::max(bytes, kLeastBytes)};
}
static vulkan::Buffer readback_buffer(const vulkan::Context& context, const vulkan::Buffer& of) {
  return {context.device(), vulkan::Memory::kReadback, of.bytes()};
}

// A level that was read back, channel by channel.
static std::array<Plane<float>, kChannels> planes_of(const vulkan::Buffer& readback, PlaneSize size) {
  std::array<Plane<float>, kChannels> planes;
  const auto* from = reinterpret_cast<const float*>(readback.mapped());
  for (Plane<float>& plane : planes) plane = Plane<float>(size.width, size.height);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      for (Plane<float>& plane : planes) plane.row(y)[x] = *from++;
    }
  }
  return planes;
}

static std::array<PlaneView<const float>, kChannels> views_of(
    const std::array<Plane<float>, kChannels>& planes) {
  std::array<PlaneView<const float>, kChannels> views;
  for (size_t k = 0; k < kChannels; ++k) views[k] = planes[k].view();
  return views;
}

LightPass::LightPass(vulkan::Context& context, const Plan& plan, const light::Conversion& conversion,
                     const vulkan::DevicePicture& like)
    : plan_(plan),
      conversion_(conversion),
      pipeline_(context.pipeline(shaders::kCvvdpLight, light_constants(plan, conversion, like))),
      table_(context.table(light_table(plan, conversion))) {}

// to_light and to_dkl.
void LightPass::record(vulkan::Recorder& recorder, const vulkan::DevicePicture& picture,
                       const vulkan::Buffer& light) const {
  const PlaneSize size = plan_.levels[0].size;
  const Conversion& how = plan_.to_dkl;
  const auto [planes, strides] = light::gpu::coded_planes(picture, conversion_);
  LightPush push = {};
  push.width = static_cast<uint>(size.width);
  push.height = static_cast<uint>(size.height);
  push.luma_stride = strides[0];
  push.cb_stride = strides[1];
  push.cr_stride = strides[2];
  push.scale = how.scale;
  push.base = how.base;
  push.peak = how.peak;
  push.gamma_less_1 = how.gamma_less_1;
  light::gpu::describe(conversion_, picture, push);
  recorder.pass(pipeline_, {planes[0], planes[1], planes[2], &table_, &light}).run(push, groups_of(size));
}

FilterPasses::FilterPasses(vulkan::Context& context, const Plan& plan, const light::Conversion& conversion,
                           std::vector<const vulkan::DevicePicture*> frames)
    : plan_(plan),
      frames_(std::move(frames)),
      light_(context, plan, conversion, *frames_[0]),
      pipeline_(context.pipeline(shaders::kCvvdpFilter)) {}

// filter_row, with to_light and to_dkl of light that was not derived.
void FilterPasses::record(vulkan::Recorder& recorder, const vulkan::Buffer& level,
                          const vulkan::Buffer& one_light, const vulkan::Buffer& another) const {
  const size_t last = frames_.size() - 1, half = last / 2;
  const bool is_derived =
      std::ranges::all_of(frames_, [](const auto* frame) { return frame->derived() != nullptr; });
  const auto light_of = [&](size_t frame, const vulkan::Buffer& own) {
    if (is_derived) return frames_[frame]->derived();
    light_.record(recorder, *frames_[frame], own);
    return &own;
  };
  const size_t most_pairs = is_derived ? kFilterPairs : 1;
  for (size_t next = 0; next <= half;) {
    FilterPush push = {};
    push.width = static_cast<uint>(plan_.levels[0].size.width);
    push.height = static_cast<uint>(plan_.levels[0].size.height);
    push.is_first = next == 0 ? 1 : 0;
    const auto add_taps = [&](size_t at, size_t frame) {
      for (size_t k = 0; k < kChannels; ++k) push.taps[kChannels * at + k] = plan_.filters[k][frame];
    };
    // Bindings that the pass does not read may be any.
    std::vector<const vulkan::Buffer*> buffers(2 * kFilterPairs + 1,
                                               is_derived ? frames_[half]->derived() : &one_light);
    for (; next < half && push.pairs < most_pairs; ++next, ++push.pairs) {
      buffers[2 * push.pairs] = light_of(next, one_light);
      buffers[2 * push.pairs + 1] = light_of(last - next, another);
      add_taps(push.pairs, next);
    }
    if (next == half && (is_derived || push.pairs == 0)) {
      push.has_middle = 1;
      buffers.back() = light_of(half, one_light);
      add_taps(kFilterPairs, half);
      ++next;
    }
    buffers.push_back(&level);
    recorder.pass(pipeline_, std::move(buffers)).run(push, groups_of(plan_.levels[0].size));
  }
}

LevelPasses::LevelPasses(vulkan::Context& context, const Plan& plan, size_t level, bool with_differences)
    : context_(context),
      plan_(plan),
      level_(level),
      with_differences_(with_differences),
      reduce_(context.pipeline(shaders::kCvvdpReduce)),
      contrast_(context.pipeline(shaders::kCvvdpContrast)),
      mask_(context.pipeline(shaders::kCvvdpMask,
                             {plan.levels[is_base() && level > 0 ? level - 1 : level].is_blurred() ? 1U : 0U,
                              with_differences ? 1U : 0U})),
      reference_(device_buffer(context, sample_count(size()) * kSampleBytes)),
      distorted_(device_buffer(context, sample_count(size()) * kSampleBytes)) {
  if (is_base()) {
    reference_readback_ = readback_buffer(context, reference_);
    distorted_readback_ = readback_buffer(context, distorted_);
    return;
  }
  sums_ = device_buffer(context, tile_count(size()) * kSampleBytes);
  sums_readback_ = readback_buffer(context, sums_);
  differences_ = device_buffer(context, with_differences ? sample_count(size()) * kSampleBytes : 0);
  if (with_differences) differences_readback_ = readback_buffer(context, differences_);
}

// reduce_row.
void LevelPasses::record_reduction(vulkan::Recorder& recorder, const LevelPasses& finer) const {
  const PlaneSize from = finer.size();
  const ReducePush push{.width = static_cast<uint>(from.width), .height = static_cast<uint>(from.height)};
  recorder.pass(reduce_, {&finer.reference_, &reference_}).run(push, groups_of(size()));
  recorder.pass(reduce_, {&finer.distorted_, &distorted_}).run(push, groups_of(size()));
}

// expand_row, background_row, sensitivity_rows, contrast_row, compare_rows; then blur_row and mask_row.
void LevelPasses::record_masking(vulkan::Recorder& recorder, const LevelPasses& coarser,
                                 const vulkan::Buffer& mutual, const vulkan::Buffer& difference) const {
  const Level& level = plan_.levels[level_];
  const Constants& constants = plan_.constants;
  const auto [width, height] = level.size;
  recorder
      .pass(contrast_, {&reference_, &coarser.reference_, &distorted_, &coarser.distorted_,
                        &context_.table(contrast_table(plan_, level_)), &mutual, &difference})
      .run(ContrastPush{.width = static_cast<uint>(width),
                        .height = static_cast<uint>(height),
                        .layer_gain = level.layer_gain,
                        .first_luminance = constants.first_luminance,
                        .luminance_steps = constants.luminance_steps},
           groups_of(level.size));
  const auto columns = static_cast<uint>(light::tiles_of(width)),
             rows = static_cast<uint>(light::tiles_of(height));
  recorder
      .pass(mask_,
            {&mutual, &difference, &context_.table(mask_table(constants.masking)), &sums_, &differences_})
      .run(MaskPush{.width = static_cast<uint>(width),
                    .height = static_cast<uint>(height),
                    .tile_columns = columns,
                    .tiles = columns * rows,
                    .plane = static_cast<uint>(sample_count(level.size)),
                    .mutual_gain = constants.masking.mutual_gain,
                    .most = constants.masking.most,
                    .sum_offset = constants.sum_offset},
           {columns, rows});
}

void LevelPasses::record_readback(vulkan::Recorder& recorder) const {
  if (is_base()) {
    recorder.copy(reference_, reference_readback_);
    recorder.copy(distorted_, distorted_readback_);
    return;
  }
  recorder.copy(sums_, sums_readback_);
  if (with_differences_) recorder.copy(differences_, differences_readback_);
}

LevelSums LevelPasses::sums() const {
  LevelSums sums = {};
  const auto tiles = static_cast<size_t>(tile_count(size()));
  const auto* const from = reinterpret_cast<const float*>(sums_readback_.mapped());
  for (size_t k = 0; k < kChannels; ++k) sums[k] = light::total({from + k * tiles, tiles});
  return sums;
}

std::array<PlaneView<const float>, kChannels> LevelPasses::differences() const {
  std::array<PlaneView<const float>, kChannels> views;
  const auto* const from = reinterpret_cast<const float*>(differences_readback_.mapped());
  const auto [width, height] = size();
  for (size_t k = 0; k < kChannels; ++k)
    views[k] = {from + static_cast<ptrdiff_t>(k) * sample_count(size()), width, height, width};
  return views;
}

std::array<Plane<float>, kChannels> LevelPasses::base_differences() const {
  const auto distorted = planes_of(distorted_readback_, size()),
             reference = planes_of(reference_readback_, size());
  return cvvdp::base_differences(plan_, kChannels, views_of(distorted), views_of(reference));
}

}  // namespace vq::cvvdp::gpu

namespace vq::cvvdp {
namespace {

// What all slots share.
struct SharedLight : SharedWork<Plan> {
  SharedLight(const Plan& with, const VideoFormats& of, const Execution& execution, vulkan::Context& on)
      : SharedWork(with, of, execution, on),
        with_heatmaps(execution.heatmaps),
        whole(make_host_feature(with, execution), times) {}
  int64_t derived_bytes() const { return gpu::light_bytes(plan); }
  void record_derived(vulkan::Recorder& recorder, const vulkan::DevicePicture& picture,
                      bool is_reference) const {
    recorder.begin_stage(kFilterStage);
    gpu::LightPass(context, plan, is_reference ? plan.reference : plan.distorted, picture)
        .record(recorder, picture, *picture.derived());
  }

  const bool with_heatmaps;
  const WholeFrames whole;  // of openings
};

// The passes of a slot.
class Passes {
 public:
  Passes(const Plan& plan, vulkan::Context& context, const DeviceFrame& frame, bool with_heatmaps)
      : plan_(plan),
        with_heatmaps_(with_heatmaps),
        reference_(context, plan, plan.reference,
                   oldest_first(frame.needed_reference(), frame.references_before)),
        distorted_(context, plan, plan.distorted, oldest_first(frame.distorted, frame.distorted_before)) {
    const PlaneSize size = plan.levels[0].size;
    const int64_t bytes = int64_t{size.width} * size.height * int64_t{kChannels * sizeof(float)};
    mutual_ = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    difference_ = vulkan::Buffer(context.device(), vulkan::Memory::kDevice, bytes);
    for (size_t i = 0; i < plan.levels.size(); ++i) levels_.emplace_back(context, plan, i, with_heatmaps);
  }

  void record(vulkan::Recorder& recorder) const {
    recorder.begin_stage(kFilterStage);
    reference_.record(recorder, levels_[0].reference(), mutual_, difference_);
    distorted_.record(recorder, levels_[0].distorted(), mutual_, difference_);
    recorder.begin_stage(kReduceStage);
    for (size_t i = 1; i < levels_.size(); ++i) levels_[i].record_reduction(recorder, levels_[i - 1]);
    recorder.begin_stage(kMaskStage);
    for (size_t i = 0; i + 1 < levels_.size(); ++i)
      levels_[i].record_masking(recorder, levels_[i + 1], mutual_, difference_);
    recorder.begin_stage(kReadbackStage);
    for (const gpu::LevelPasses& level : levels_) level.record_readback(recorder);
  }

  FrameResult result() const {
    std::vector<LevelSums> sums;
    std::vector<std::array<PlaneView<const float>, kChannels>> differences;
    for (size_t i = 0; i + 1 < levels_.size(); ++i) {
      sums.push_back(levels_[i].sums());
      if (with_heatmaps_) differences.push_back(levels_[i].differences());
    }
    const std::array<Plane<float>, kChannels> base = levels_.back().base_differences();
    sums.push_back(base_sums(plan_, base));
    FrameResult result = frame_result(frame_quality(plan_, sums, kChannels));
    if (!with_heatmaps_) return result;
    differences.emplace_back();
    for (size_t k = 0; k < kChannels; ++k) differences.back()[k] = base[k].view();
    result.heatmaps.push_back(difference_map(plan_, false, differences));
    return result;
  }

 private:
  // As many as the filters take.
  std::vector<const vulkan::DevicePicture*> oldest_first(
      const vulkan::DevicePicture& own, const std::vector<const vulkan::DevicePicture*>& before) const {
    std::vector<const vulkan::DevicePicture*> frames(
        before.begin(), before.begin() + static_cast<ptrdiff_t>(plan_.frames() - 1));
    std::reverse(frames.begin(), frames.end());
    frames.push_back(&own);
    return frames;
  }

  const Plan& plan_;
  const bool with_heatmaps_;
  const gpu::FilterPasses reference_, distorted_;
  vulkan::Buffer mutual_, difference_;
  std::vector<gpu::LevelPasses> levels_;
};

class Work final : public DeviceWork {
 public:
  using Shared = SharedLight;
  Work(Shared& shared, const DeviceFrame& frame)
      : shared_(shared), passes_(shared.plan, shared.context, frame, shared.with_heatmaps) {}
  void record(vulkan::Recorder& recorder) override { passes_.record(recorder); }
  FrameResult finish(const FramePair& frames) override {
    FrameResult result = passes_.result();
    if (frames.references_before.empty()) add_still(result, shared_.plan, Backend::kCpu, frames);
    return result;
  }
  std::unique_ptr<HostFinish> take(const FramePair& frames) override {
    return frames.references_before.size() < shared_.plan.opening() ? shared_.whole.finish_of(frames)
                                                                    : nullptr;
  }

  // The start-up check: a second frame of small pictures of the videos' formats, on the device and on the
  // CPU.
  static void check(vulkan::Context& context, const Plan& of_run, const VideoFormats& formats) {
    Options options = of_run.options;
    options.padding = kPaddings[0];
    CheckPicture distorted(context, formats.distorted, kMaxPlanes, 1),
        reference(context, formats.reference.value(), kMaxPlanes, 2),
        distorted_before(context, formats.distorted, kMaxPlanes, 3),
        reference_before(context, formats.reference.value(), kMaxPlanes, 4);
    const Plan plan = Cvvdp::make_plan(options, {distorted.format(), reference.format()});
    using Before = std::vector<const vulkan::DevicePicture*>;
    const size_t before = plan.frames() - 1;
    const Passes passes(plan, context,
                        {.distorted = distorted.on_device(),
                         .reference = &reference.on_device(),
                         .distorted_before = Before(before, &distorted_before.on_device()),
                         .references_before = Before(before, &reference_before.on_device())},
                        false);
    run_once(context, std::array{&distorted, &reference, &distorted_before, &reference_before},
             [&](vulkan::Recorder& recorder) { passes.record(recorder); });
    FramePair pair{.distorted = distorted.frame(), .reference = reference.frame()};
    pair.distorted_before = {distorted_before.frame()};
    pair.references_before = {reference_before.frame()};
    const auto host = make_host_feature(plan, {.backend = Backend::kScalar});
    context.require_same(passes.result().values == host->score(pair).values, "scores");
  }
  // The host may score a frame.
  static int64_t host_bytes(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
    return feature_info().memory(set, formats, {.heatmaps = execution.heatmaps}).fixed;
  }

 private:
  Shared& shared_;
  const Passes passes_;
};

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Cvvdp, Work, shaders::kCvvdpLight, shaders::kCvvdpFilter,
                    shaders::kCvvdpReduce, shaders::kCvvdpContrast, shaders::kCvvdpMask>();

}  // namespace vq::cvvdp
