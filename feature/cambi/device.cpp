#include "feature/cambi/device.h"

#include <random>

#include "feature/cambi/cambi.h"
#include "feature/device_feature.h"
#include "shaders/cambi_decimate.h"
#include "shaders/cambi_mask.h"
#include "shaders/cambi_mode_filter.h"
#include "shaders/cambi_preprocess.h"

namespace vq::cambi::gpu {

static_assert(kRowSlack == kRowGuardBytes);
static_assert(2 * kMaskReach + 1 == kMaskBox);

// Groups of kGroupX by kGroupY invocations, each making so many samples of so many rows.
static vulkan::Groups groups_of(const vulkan::DevicePlane& out, uint samples, uint rows) {
  return vulkan::groups_for(out.layout.size(), samples * kGroupX, rows * kGroupY);
}

static const vulkan::Buffer* source_table(vulkan::Context& context, const CambiPlan& plan) {
  if (!plan.resizes()) return nullptr;
  std::vector<int32_t> entries = plan.source_columns;
  entries.insert(entries.end(), plan.source_rows.begin(), plan.source_rows.end());
  return &context.table(entries);
}

PreprocessBuffers::PreprocessBuffers(vulkan::Context& context, const CambiPlan& plan)
    : table(source_table(context, plan)), excess(context.device(), vulkan::Memory::kDevice, 4) {}

void Passes::preprocess(const vulkan::DevicePlane& luma, const CambiPlan& plan,
                        const PreprocessBuffers& buffers, const vulkan::DevicePlane& image) {
  const vulkan::Pipeline& pipeline =
      context_.pipeline(shaders::kCambiPreprocess,
                        {luma.layout.sample_bytes, plan.input_depth, plan.resizes(), plan.anti_dither});
  const PreprocessPush push{.width = image.width(),
                            .height = image.height(),
                            .in_stride = luma.stride(),
                            .out_stride = image.stride(),
                            .in_width = luma.width(),
                            .in_height = luma.height()};
  recorder_.fill(buffers.excess, 0);
  // Without resizing nothing is read of the table, but the shader must see something.
  const vulkan::Buffer& table = buffers.table != nullptr ? *buffers.table : luma.buffer;
  recorder_.pass(pipeline, {&luma.buffer, &table, &image.buffer, &buffers.excess})
      .run(push, groups_of(image, kVector, 1));
}

// spatial_mask, with the derivative in it.
void Passes::mask(const vulkan::DevicePlane& image, int threshold, const vulkan::DevicePlane& mask) {
  const MaskPush push{.width = image.width(),
                      .height = image.height(),
                      .in_stride = image.stride(),
                      .out_stride = mask.stride(),
                      .threshold = threshold};
  recorder_.pass(context_.pipeline(shaders::kCambiMask), {&image.buffer, &mask.buffer})
      .run(push, vulkan::groups_for(image.layout.size(), kMaskTileX, kMaskTileY));
}

void Passes::decimate_mask(const vulkan::DevicePlane& in, int times, const vulkan::DevicePlane& out) {
  const DecimatePush push{.width = out.width(),
                          .height = out.height(),
                          .in_stride = in.stride(),
                          .out_stride = out.stride(),
                          .shift = static_cast<uint>(times)};
  recorder_.pass(context_.pipeline(shaders::kCambiDecimate), {&in.buffer, &out.buffer})
      .run(push, groups_of(out, 4, 1));
}

void Passes::mode_filter(const vulkan::DevicePlane& in, bool halve, const vulkan::DevicePlane& out) {
  const ModeFilterPush push{
      .width = out.width(), .height = out.height(), .in_stride = in.stride(), .out_stride = out.stride()};
  recorder_.pass(context_.pipeline(shaders::kCambiModeFilter, {halve ? 2U : 1U}), {&in.buffer, &out.buffer})
      .run(push, groups_of(out, kVector, kFilterRows));
}

Picture::Picture(vulkan::Context& context, const CambiPlan& plan)
    : context_(context),
      plan_(plan),
      whole_image_(context.device(), {plan.width, plan.height, 2}),
      whole_mask_(context.device(), {plan.width, plan.height, 1}),
      preprocess_(context, plan) {
  for (size_t k = 0; k < kScales; ++k) {
    const ScalePlan& scale = plan.scales[k];
    images_[k] = vulkan::DevicePlane(context.device(), {scale.width, scale.height, 2});
    if (k > 0 || plan.halve_first)
      masks_[k] = vulkan::DevicePlane(context.device(), {scale.width, scale.height, 1});
  }
}

const vulkan::DevicePlane& Picture::mask(int scale) const {
  return scale == 0 && !plan_.halve_first ? whole_mask_ : masks_[static_cast<size_t>(scale)];
}

// The masks of all scales come from the whole one, so that they wait for nothing but it; they are made while
// the chain of filters, of which each waits for the one before, leaves the device room.
void Picture::record(vulkan::Recorder& recorder, const vulkan::DevicePlane& luma, bool decimate_masks) {
  Passes passes(recorder, context_);
  recorder.begin_stage("preprocess");
  passes.preprocess(luma, plan_, preprocess_, whole_image_);
  recorder.begin_stage("mask");
  passes.mask(whole_image_, plan_.mask_threshold, whole_mask_);
  recorder.begin_stage("mode_filter");
  passes.mode_filter(whole_image_, plan_.halve_first, images_[0]);
  if (decimate_masks) recorder.begin_stage("decimate");
  for (int k = plan_.halve_first ? 0 : 1; decimate_masks && k < kScales; ++k) {
    passes.decimate_mask(whole_mask_, plan_.halve_first ? k + 1 : k, masks_[static_cast<size_t>(k)]);
  }
  if (decimate_masks) recorder.begin_stage("mode_filter");
  for (size_t k = 1; k < kScales; ++k) passes.mode_filter(images_[k - 1], true, images_[k]);
}

// The guard behind each plane is the one before the next.
Readback::Readback(const std::shared_ptr<vulkan::Device>& device, const Picture& picture)
    : picture_(picture) {
  int64_t end = static_cast<int64_t>(kRowGuardBytes);
  const auto place = [&end](const vulkan::DevicePlane& plane) {
    const Place result{plane.layout, end};
    end += plane.layout.bytes();
    return result;
  };
  for (int k = 0; k < kScales; ++k) {
    images_[static_cast<size_t>(k)] = place(picture.image(k));
    masks_[static_cast<size_t>(k)] = place(picture.mask(k));
  }
  excess_ = end;
  buffer_ = vulkan::Buffer(device, vulkan::Memory::kReadback, end + 4);
}

void Readback::record(vulkan::Recorder& recorder) const {
  recorder.begin_stage("readback");
  std::vector<vulkan::Copy> copies = {
      {.from = &picture_.excess(), .to = &buffer_, .to_offset = excess_, .bytes = sizeof(uint32_t)}};
  const auto add = [&](const vulkan::DevicePlane& plane, const Place& place) {
    copies.push_back(
        {.from = &plane.buffer, .to = &buffer_, .to_offset = place.offset, .bytes = place.layout.bytes()});
  };
  for (int k = 0; k < kScales; ++k) {
    add(picture_.image(k), images_[static_cast<size_t>(k)]);
    add(picture_.mask(k), masks_[static_cast<size_t>(k)]);
  }
  recorder.copy(copies);
}

bool Readback::has_excess() const {
  uint32_t word = 0;
  std::memcpy(&word, buffer_.mapped() + excess_, sizeof word);
  return word != 0;
}

namespace {

// Odd sizes, larger than a work group's tile.
constexpr int kWidth = 333, kHeight = 217;
constexpr std::chrono::seconds kTimeout{60};

VideoFormat small_format(int depth) {
  VideoFormat format;
  format.width = kWidth;
  format.height = kHeight;
  format.bit_depth = depth;
  return format;
}

// A plan of that size whose per-pixel stages take the same shaders in the same modes.
CambiPlan small_stages_plan(const CambiPlan& like) {
  CambiOptions options;
  options.enc_bitdepth = like.anti_dither ? 8 : 10;
  if (like.resizes()) {
    options.enc_width = 250;
    options.enc_height = 180;
  }
  CambiPlan plan = make_plans(options, {small_format(like.input_depth), std::nullopt}).distorted;
  if (like.halve_first) {
    plan.halve_first = true;
    int width = plan.width, height = plan.height;
    for (ScalePlan& scale : plan.scales) {
      width = scale.width = (width + 1) >> 1;
      height = scale.height = (height + 1) >> 1;
    }
  }
  return plan;
}

// A plan with the shaders of c-values that `like` needs. Pooling takes all values of some scales and selects
// among those of others.
CambiPlan small_scoring_plan(const CambiPlan& like) {
  CambiPlan plan = make_plans({}, {small_format(8), std::nullopt}).distorted;
  plan.window = like.window;
  plan.half_window = like.half_window;
  plan.num_contrasts = like.num_contrasts;
  plan.contrasts = like.contrasts;
  plan.reciprocals = like.reciprocals;
  for (size_t k = 0; k < kScales; k += 2) plan.scales[k].topk_count = std::max<int64_t>(1, 1000 >> (2 * k));
  return plan;
}

// A test picture: bands `band_width` wide, of which one in `noisy` has this much noise.
struct Bands {
  int width = 37, noisy = 3, noise = 3, first_level = 60;
};

template <typename T>
Plane<T> make_picture(int depth, const Bands& bands) {
  Plane<T> picture(kWidth, kHeight);
  std::minstd_rand random(7);
  for (int y = 0; y < kHeight; ++y) {
    for (int x = 0; x < kWidth; ++x) {
      const int band = (x + 2 * y) / bands.width;
      const int noise = band % bands.noisy == 0 ? static_cast<int>(random() >> 8) % bands.noise : 0;
      const int deep = depth > 8 ? band % 2 : 0;
      picture.row(y)[x] = static_cast<T>(((bands.first_level + band + noise) << (depth - 8)) + deep);
    }
  }
  return picture;
}

// A small picture and its place on the device.
class TestFrame {
 public:
  TestFrame(const vulkan::Context& context, int depth, const Bands& bands)
      : picture_(context.device(), small_format(depth), 1) {
    if (depth == 8) {
      bytes_ = make_picture<uint8_t>(8, bands);
      frame_.luma().u8 = bytes_.view();
    } else {
      words_ = make_picture<uint16_t>(depth, bands);
      frame_.luma().u16 = words_.view();
    }
  }

  const SampleView& luma() const { return frame_.luma(); }

  // Uploads, then runs what `record` records. Throws Error{kBackend}.
  template <typename Record>
  void run(const vulkan::Context& context, Record record) {
    vulkan::Recorder recorder(context.device());
    picture_.record(recorder);
    record(recorder, picture_.plane(0));
    vulkan::CommandList list = recorder.finish();
    picture_.upload(frame_);
    list.submit();
    list.wait(kTimeout);
  }

 private:
  Plane<uint8_t> bytes_;
  Plane<uint16_t> words_;
  Frame frame_;
  vulkan::DevicePicture picture_;
};

// Whether every scale is what the CPU makes of the luma.
bool agrees_with_cpu(const SampleView& luma, const CambiPlan& plan, const Readback& readback) {
  Plane<uint16_t> image(plan.width, plan.height);
  Plane<uint8_t> flat(plan.width, plan.height), mask(plan.width, plan.height);
  Scratch scratch(plan.width, plan.num_contrasts);
  if (!scalar::preprocess(luma, plan, image.view()) || readback.has_excess()) return false;
  scalar::derivative(image.view(), flat.view());
  scalar::mask(flat.view(), plan.mask_threshold, scratch, mask.view());
  for (int k = 0; k < kScales; ++k) {
    const ScalePlan& scale = plan.scales[static_cast<size_t>(k)];
    if (k > 0 || plan.halve_first) {
      Plane<uint16_t> smaller(scale.width, scale.height);
      Plane<uint8_t> smaller_mask(scale.width, scale.height);
      scalar::decimate_image(image.view(), smaller.view());
      scalar::decimate_mask(mask.view(), smaller_mask.view());
      image = std::move(smaller);
      mask = std::move(smaller_mask);
    }
    scalar::mode_filter(image.view(), scratch);
    if (!same_samples<uint16_t>(image.view(), readback.image(k))) return false;
    if (!same_samples<uint8_t>(mask.view(), readback.mask(k))) return false;
  }
  return true;
}

}  // namespace

void check_stages(vulkan::Context& context, const CambiPlan& plan) {
  const CambiPlan small = small_stages_plan(plan);
  TestFrame frame(context, plan.input_depth, {});
  Picture picture(context, small);
  const Readback readback(context.device(), picture);
  frame.run(context, [&](vulkan::Recorder& recorder, const vulkan::DevicePlane& luma) {
    picture.record(recorder, luma);
    readback.record(recorder);
  });
  context.require_same(agrees_with_cpu(frame.luma(), small, readback), "values");
}

void check_scoring(vulkan::Context& context, const CambiPlan& plan) {
  const CambiPlan small = small_scoring_plan(plan);
  TestFrame frame(context, 8, {.width = 31, .noisy = 5, .noise = 2, .first_level = 24});
  ScoredPicture scored(context, small);
  frame.run(context, [&](vulkan::Recorder& recorder, const vulkan::DevicePlane& luma) {
    scored.record(recorder, luma);
  });
  Workspace workspace(CambiPlans{.distorted = small}, WorkspaceUse::kPictures);
  HeatmapPlanes none;
  const ScaleSums sums = score_picture(frame.luma(), small, scalar::kStages, workspace, none);
  context.require_same(sums == scored.sums(), "scores");
}

}  // namespace vq::cambi::gpu

namespace vq::cambi {
namespace {

// Shared by the work of all slots.
struct SharedRun {
  SharedRun(const CambiPlans& plans, const VideoFormats&, const Execution& execution, vulkan::Context& in)
      : run(plans, execution, WorkspaceUse::kScalesOnly), context(in) {
    if (context.device() == nullptr) return;  // memory is counted
    check(run.plans.distorted);
    if (run.plans.source) check(*run.plans.source);
  }

  std::vector<StageTotal> stage_times() const { return run.times.totals(); }
  bool is_hybrid() const { return run.execution.backend == Backend::kHybrid; }

  CambiRun run;
  vulkan::Context& context;

 private:
  void check(const CambiPlan& plan) const {
    // Side by side, as compiling takes most of the time.
    parallel_map(is_hybrid() ? 1 : 2, [&](size_t i) {
      (i == 0 ? gpu::check_stages : gpu::check_scoring)(context, plan);
      return i;
    });
  }
};

// One video's picture in a slot.
class PictureWork {
 public:
  virtual ~PictureWork() = default;
  virtual void record(vulkan::Recorder& recorder) = 0;
  // The host's part after the device's; fills `heatmaps` unless that is empty. Throws Error{kMismatch} for a
  // sample that exceeds its depth's maximum.
  virtual double score(const Frame& frame, HeatmapPlanes& heatmaps) = 0;
};

// Images and masks of all scales come back.
class HybridPicture final : public PictureWork {
 public:
  HybridPicture(SharedRun& shared, const CambiPlan& plan, const vulkan::DevicePlane& luma)
      : shared_(shared),
        plan_(plan),
        luma_(luma),
        picture_(shared.context, plan),
        readback_(shared.context.device(), picture_) {}

  void record(vulkan::Recorder& recorder) override {
    picture_.record(recorder, luma_);
    readback_.record(recorder);
  }

  double score(const Frame& frame, HeatmapPlanes& heatmaps) override {
    if (readback_.has_excess()) throw_excess(on_host(frame).luma(), plan_.input_depth);
    const Borrowed workspace(shared_.run);
    ScaleSums sums{};
    for (int k = 0; k < kScales; ++k) {
      sums[static_cast<size_t>(k)] = score_scale(readback_.image(k), readback_.mask(k), k, plan_,
                                                 shared_.run.stages, *workspace, heatmaps);
    }
    return frame_score(plan_, sums);
  }

 private:
  SharedRun& shared_;
  const CambiPlan& plan_;
  const vulkan::DevicePlane& luma_;
  gpu::Picture picture_;
  gpu::Readback readback_;
};

// Five sums come back, and c-values if they are to be drawn.
class VulkanPicture final : public PictureWork {
 public:
  VulkanPicture(SharedRun& shared, const CambiPlan& plan, const vulkan::DevicePlane& luma)
      : shared_(shared),
        luma_(luma),
        picture_(shared.context, plan, shared.run.execution.heatmaps && !plan.is_source) {}

  void record(vulkan::Recorder& recorder) override { picture_.record(recorder, luma_); }

  double score(const Frame& frame, HeatmapPlanes& heatmaps) override {
    const CambiPlan& plan = picture_.plan();
    if (picture_.has_excess()) throw_excess(on_host(frame).luma(), plan.input_depth);
    for (size_t k = 0; k < heatmaps.size(); ++k) {
      shared_.run.stages.heatmap(picture_.values(static_cast<int>(k)), plan.heatmap_factor,
                                 heatmaps[k].view());
    }
    return frame_score(plan, picture_.sums());
  }

 private:
  const SharedRun& shared_;
  const vulkan::DevicePlane& luma_;
  gpu::ScoredPicture picture_;
};

class CambiWork final : public DeviceWork {
 public:
  using Shared = SharedRun;
  CambiWork(Shared& shared, const DeviceFrame& frame) : shared_(shared) {
    distorted_ = make(shared.run.plans.distorted, frame.distorted);
    if (shared.run.plans.source) {
      source_ =
          make(*shared.run.plans.source, frame.reference != nullptr ? *frame.reference : frame.distorted);
    }
  }

  void record(vulkan::Recorder& recorder) override {
    distorted_->record(recorder);
    if (source_) source_->record(recorder);
  }

  FrameResult finish(const FramePair& frames) override {
    return score_frame(shared_.run, frames, [&](const Frame& frame, bool is_source, HeatmapPlanes& heatmaps) {
      return (is_source ? *source_ : *distorted_).score(frame, heatmaps);
    });
  }

  // What all slots share is checked, by the backend.
  static void check(vulkan::Context&, const CambiPlans&, const VideoFormats&) {}
  static int64_t host_bytes(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
    if (execution.backend != Backend::kHybrid) return 0;
    const CambiPlans plans = plan_of<Cambi>(set, formats);
    return thread_count(execution) *
           counted_bytes([&] { return std::make_unique<Workspace>(plans, WorkspaceUse::kScalesOnly); });
  }

 private:
  std::unique_ptr<PictureWork> make(const CambiPlan& plan, const vulkan::DevicePicture& picture) const {
    if (shared_.is_hybrid()) return std::make_unique<HybridPicture>(shared_, plan, picture.plane(0));
    return std::make_unique<VulkanPicture>(shared_, plan, picture.plane(0));
  }

  Shared& shared_;
  std::unique_ptr<PictureWork> distorted_, source_;
};

std::string unsupported(Backend backend, const vulkan::DeviceInfo& device) {
  const std::string reason =
      unsupported_by<shaders::kCambiPreprocess, shaders::kCambiMask, shaders::kCambiDecimate,
                     shaders::kCambiModeFilter>(backend, device);
  return reason.empty() && backend == Backend::kVulkan ? gpu::unsupported_by_scoring(device) : reason;
}

}  // namespace

const DeviceSupport kDeviceSupport =
    describe_device<feature_info, Cambi, CambiWork>({.unsupported = unsupported});

std::unique_ptr<DeviceFeature> make_device_feature(const CambiPlans& plans, const Execution& execution,
                                                   vulkan::Context& context) {
  return device_feature<CambiWork>(plans, {}, execution, context);
}

}  // namespace vq::cambi
