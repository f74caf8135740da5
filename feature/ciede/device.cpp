#include "feature/ciede/ciede.h"

#include "feature/device_feature.h"
#include "shaders/ciede/shared.h"
#include "shaders/ciede_add_chunks.h"
#include "shaders/ciede_chunk_steps.h"
#include "shaders/ciede_differences.h"

namespace vq::ciede {

static uint32_t sample_bytes(const vulkan::DevicePicture& picture) {
  return static_cast<uint32_t>(picture.plane(0).layout.sample_bytes);
}

static PictureLayout layout_of(const vulkan::DevicePicture& picture, const Spread& spread) {
  const vulkan::PlaneLayout& chroma = picture.plane(1).layout;
  return {.stride = picture.plane(0).stride(),
          .chroma_stride = static_cast<uint>(chroma.stride_bytes()),
          .last_column = static_cast<uint>(chroma.width - 1),
          .last_row = static_cast<uint>(chroma.height - 1),
          .shift_x = static_cast<uint>(spread.chroma.x),
          .shift_y = static_cast<uint>(spread.chroma.y),
          .depth_shift = static_cast<uint>(spread.shift)};
}

static int64_t block_count(PlaneSize size) {
  return (int64_t{size.width} * size.height - 1) / kBlockTerms + 1;
}

static std::array<uint, 2> words_of(double number) {
  const auto bits = std::bit_cast<uint64_t>(number);
  return {static_cast<uint>(bits), static_cast<uint>(bits >> 32)};
}

DifferencesPass::DifferencesPass(vulkan::Context& context, const CiedePlan& plan,
                                 const vulkan::DevicePicture& reference,
                                 const vulkan::DevicePicture& distorted)
    : plan_(plan),
      reference_(reference),
      distorted_(distorted),
      pipeline_(
          context.pipeline(shaders::kCiedeDifferences, {sample_bytes(reference), sample_bytes(distorted)})),
      sum_(context, shaders::kCiedeChunkSteps, shaders::kCiedeAddChunks,
           {kChunkBlocks, kBlockTerms, kMostChunks, sizeof(double)}, block_count(plan.videos.size)) {
  HWY_DASSERT(reference.count() == kMaxPlanes && distorted.count() == kMaxPlanes);
}

void DifferencesPass::record(vulkan::Recorder& recorder) const {
  const SampleRange range(plan_.videos.bit_depth);
  const auto [luma_low, luma_high] = words_of(range.luma_unit);
  const auto [chroma_low, chroma_high] = words_of(range.chroma_unit);
  DifferencesPush push{.width = static_cast<uint>(plan_.videos.size.width),
                       .height = static_cast<uint>(plan_.videos.size.height),
                       .first_block = 0,
                       .step = 1U << (plan_.videos.bit_depth - 8),
                       .luma_unit_low = luma_low,
                       .luma_unit_high = luma_high,
                       .chroma_unit_low = chroma_low,
                       .chroma_unit_high = chroma_high,
                       .first = layout_of(reference_, plan_.reference),
                       .second = layout_of(distorted_, plan_.distorted)};
  for (int slice = 0; slice < sum_.slices(); ++slice) {
    recorder.begin_stage(kDifferencesStage);
    push.first_block = sum_.first_block(slice);
    recorder
        .pass(pipeline_,
              {&reference_.plane(0).buffer, &reference_.plane(1).buffer, &reference_.plane(2).buffer,
               &distorted_.plane(0).buffer, &distorted_.plane(1).buffer, &distorted_.plane(2).buffer,
               &sum_.terms(), &sum_.chunk_sums()})
        .run(push, {sum_.chunks_of(slice)});
    recorder.begin_stage(kSumStage);
    sum_.record_steps(recorder, slice);
    sum_.record_sum(recorder, slice);
  }
  recorder.begin_stage(kReadbackStage);
  sum_.record_readback(recorder);
}

namespace {

// Shared by all slots: whether the device does a part, and the host's part.
struct SharedDifferences : SharedWork<CiedePlan> {
  SharedDifferences(const CiedePlan& with, const VideoFormats& of, const Execution& execution,
                    vulkan::Context& on);
  bool leaves_frames() const { return !is_on_device; }

  const bool is_on_device;
  const WholeFrames whole;  // if the device does nothing
};

// The pass of a slot; none on a device without doubles, or whose doubles differ from the CPU's.
class CiedeWork final : public DeviceWork {
 public:
  using Shared = SharedDifferences;
  CiedeWork(Shared& shared, const DeviceFrame& frame) : shared_(shared) {
    if (shared.is_on_device)
      pass_.emplace(shared.context, shared.plan, frame.needed_reference(), frame.distorted);
  }

  void record(vulkan::Recorder& recorder) override {
    if (pass_) pass_->record(recorder);
  }
  FrameResult finish(const FramePair& frames) override {
    if (!pass_) return take(frames)->finish();
    return {.values = {ciede::score(shared_.plan, pass_->sum().sum<double>())}};
  }
  std::unique_ptr<HostFinish> take(const FramePair& frames) override {
    return pass_ ? nullptr : shared_.whole.finish_of(frames);
  }

  // See has_same_doubles().
  static void check(vulkan::Context&, const CiedePlan&, const VideoFormats&) {}
  static int64_t host_bytes(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
    return feature_info().memory(set, formats, execution).fixed;
  }

 private:
  Shared& shared_;
  std::optional<DifferencesPass> pass_;
};

Plane<float> expected_differences(const CiedePlan& plan, const CheckPicture& reference,
                                  const CheckPicture& distorted) {
  const auto [width, height] = plan.videos.size;
  Plane<float> out(width, height), first(width, 3), second(width, 3);
  SpreadRows rows(width);
  const auto colours = [&](const CheckPicture& picture, const Spread& spread, int y, Plane<float>& lab) {
    rows.fill(picture.frame(), spread, y);
    scalar::colours(rows.row(plan.videos.bit_depth), {lab.row(0), lab.row(1), lab.row(2)});
    return LabRow<const float>{lab.row(0), lab.row(1), lab.row(2)};
  };
  for (int y = 0; y < height; ++y) {
    scalar::differences(colours(reference, plan.reference, y, first),
                        colours(distorted, plan.distorted, y, second), width, out.row(y));
  }
  return out;
}

// Whether small pictures of the videos' depths have the same differences on the device and on the CPU. Vulkan
// does not promise how doubles are rounded, so that a device where this fails is no worse than one without.
bool has_same_doubles(vulkan::Context& context, const VideoFormats& formats) {
  if (context.device() == nullptr) return true;  // memory is counted
  if (!context.device()->info().has_doubles) return false;
  const CheckFrames frames(context, formats, {.planes = kMaxPlanes, .reference = true});
  const CheckPicture &reference = frames.reference(), &distorted = frames.distorted();
  const CiedePlan plan = Ciede::make_plan({}, frames.formats());
  const DifferencesPass pass(context, plan, *frames.on_device().reference, frames.on_device().distorted);
  const OrderedSum& ordered = pass.sum();
  const vulkan::Buffer terms(context.device(), vulkan::Memory::kReadback, ordered.terms().bytes());
  frames.run([&](vulkan::Recorder& recorder) {
    pass.record(recorder);
    recorder.copy(ordered.terms(), terms);
  });
  const Plane<float> expected = expected_differences(plan, reference, distorted);
  const auto [width, height] = plan.videos.size;
  bool are_same = true;
  double sum = 0;
  for (int i = 0; i < width * height; ++i) {
    const float difference = expected.row(i / width)[i % width];
    are_same = are_same && ordered.term(terms, i / int{kBlockTerms}, i % int{kBlockTerms}) == difference;
    sum += difference;
  }
  return are_same && ordered.sum<double>() == sum;
}

SharedDifferences::SharedDifferences(const CiedePlan& with, const VideoFormats& of,
                                     const Execution& execution, vulkan::Context& on)
    : SharedWork(with, of, execution, on),
      is_on_device(has_same_doubles(on, of)),
      whole(feature_info().make(OptionSet(feature_info().options), of, execution), times) {}

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Ciede, CiedeWork, shaders::kCiedeDifferences, shaders::kCiedeChunkSteps,
                    shaders::kCiedeAddChunks>({.needs_doubles = true});

}  // namespace vq::ciede
