#include "feature/cambi/cambi.h"

namespace vq::cambi {
namespace {

struct Extent {
  int width = 0, height = 0, num_contrasts = 1;
};

Extent largest(const CambiPlans& plans) {
  const CambiPlan& a = plans.distorted;
  const CambiPlan& b = plans.source ? *plans.source : a;
  return {std::max(a.width, b.width), std::max(a.height, b.height),
          std::max(a.num_contrasts, b.num_contrasts)};
}

// Pools the tiles of a scale, and draws its heatmap if there is one.
class ScaleSink final : public CValueSink {
 public:
  ScaleSink(const Stages& stages, Workspace& workspace)
      : stages_(stages), pooling_(workspace.pooling), clock_(workspace.clock) {}

  void draw(double factor, PlaneView<uint16_t> heatmap) {
    factor_ = factor;
    heatmap_ = heatmap;
  }

  void tile(int x, int y, CValuesIn values) override {
    const StageTimer pooling(clock_, kPooling);
    stages_.pool(values, pooling_);
    if (heatmap_.data == nullptr) return;
    const StageTimer heatmap(clock_, kHeatmap);
    stages_.heatmap(values, factor_, {heatmap_.row(y) + x, values.width, values.height, heatmap_.stride});
  }

 private:
  const Stages& stages_;
  Pooling& pooling_;
  StageClock* const clock_;
  double factor_ = 0;
  PlaneView<uint16_t> heatmap_;
};

// Pools the middle columns of a band.
class BandSink final : public CValueSink {
 public:
  BandSink(const Stages& stages, Pooling& pooling, Strip middle)
      : stages_(stages), pooling_(pooling), middle_(middle) {}

  void tile(int x, int, CValuesIn values) override {
    const int first = std::max(middle_.x - x, 0), end = std::min(middle_.x + middle_.width - x, values.width);
    if (first < end) stages_.pool({values.data + first, end - first, values.height, values.stride}, pooling_);
  }

 private:
  const Stages& stages_;
  Pooling& pooling_;
  const Strip middle_;
};

// Shows the pooling a few upright bands of the picture, with what their windows reach, if that is much less
// work than the whole picture. Upright, since skies and floors make pictures differ more from top to bottom.
void sample_bands(ImageIn image, MaskIn mask, const CambiPlan& plan, const Stages& stages,
                  Workspace& workspace) {
  constexpr int kBands = 3, kBandColumns = 64, kWorthwhile = 2;
  const int columns = kBandColumns + 2 * plan.half_window;
  if (kWorthwhile * kBands * columns > image.width) return;
  workspace.pooling.begin_sample(static_cast<double>(kBands * kBandColumns) / image.width);
  BandSink sink(stages, workspace.pooling, {plan.half_window, kBandColumns});
  for (int band = 0; band < kBands; ++band) {
    const int x = (2 * band + 1) * image.width / (2 * kBands) - columns / 2;
    stages.c_values({image.data + x, columns, image.height, image.stride},
                    {mask.data + x, columns, mask.height, mask.stride}, plan, workspace.scratch, sink);
  }
  workspace.pooling.end_sample();
}

bool finish_pass(Workspace& workspace) {
  const StageTimer timer(workspace.clock, kPooling);
  return workspace.pooling.finish();
}

}  // namespace

Workspace::Workspace(const CambiPlans& plans, WorkspaceUse use)
    : scratch(largest(plans).width, largest(plans).num_contrasts),
      pooling(static_cast<int64_t>(largest(plans).width) * largest(plans).height) {
  if (use == WorkspaceUse::kScalesOnly) return;
  image = Plane<uint16_t>(largest(plans).width, largest(plans).height);
  mask = Plane<uint8_t>(image.width(), image.height());
}

HeatmapPlanes make_heatmap_planes(const CambiPlan& plan) {
  HeatmapPlanes planes;
  for (const ScalePlan& scale : plan.scales) planes.emplace_back(scale.width, scale.height);
  return planes;
}

void throw_excess(const SampleView& luma, int depth) {
  throw luma_excess(luma, depth)
      .value_or(
          Error(ErrorKind::kInternal, "preprocessing refused a picture without a sample above its maximum"));
}

ExactSum score_scale(ImageIn image, MaskIn mask, int k, const CambiPlan& plan, const Stages& stages,
                     Workspace& workspace, HeatmapPlanes& heatmaps) {
  const StageTimer timer(workspace.clock, kCValues);
  ScaleSink sink(stages, workspace);
  if (!heatmaps.empty()) sink.draw(plan.heatmap_factor, heatmaps[static_cast<size_t>(k)].view());
  workspace.pooling.start(plan.is_source ? kScales + k : k, plan.scales[static_cast<size_t>(k)].topk_count);
  do {
    if (workspace.pooling.wants_sample()) sample_bands(image, mask, plan, stages, workspace);
    stages.c_values(image, mask, plan, workspace.scratch, sink);
  } while (!finish_pass(workspace));
  return workspace.pooling.sum();
}

ScaleSums score_picture(const SampleView& luma, const CambiPlan& plan, const Stages& stages,
                        Workspace& workspace, HeatmapPlanes& heatmaps) {
  Image image = workspace.image.view(plan.width, plan.height);
  Mask mask = workspace.mask.view(plan.width, plan.height);
  StageClock* const clock = workspace.clock;
  {
    const StageTimer timer(clock, kPrepare);
    if (!stages.prepare(luma, plan, workspace.scratch, image, mask)) throw_excess(luma, plan.input_depth);
  }
  ScaleSums sums{};
  for (int k = 0; k < kScales; ++k) {
    const ScalePlan& scale = plan.scales[static_cast<size_t>(k)];
    if (k > 0 || plan.halve_first) {
      const Image smaller{image.data, scale.width, scale.height, image.stride};
      const Mask smaller_mask{mask.data, scale.width, scale.height, mask.stride};
      {
        const StageTimer timer(clock, kDecimate);
        stages.decimate_image(image, smaller);
        stages.decimate_mask(mask, smaller_mask);
      }
      image = smaller;
      mask = smaller_mask;
      const StageTimer timer(clock, kModeFilter);
      stages.mode_filter(image, workspace.scratch);
    }
    sums[static_cast<size_t>(k)] = score_scale(image, mask, k, plan, stages, workspace, heatmaps);
  }
  return sums;
}

constexpr int kFineDepth = 10;
// Share of the source's frames from which on the source should be mended first.
constexpr double kMuchOfSource = 0.25;

constexpr Remedy kScoreTheSource = {
    "Score the source as well",
    "With the option full_ref the reference is scored as well, which shows what the encode added. Bands that "
    "the source has already stay, whatever the encoder does."};
constexpr Remedy kScoreTheReference = {
    "Look for banding in the reference as well",
    "With the option full_ref the scores show what the encode added. Bands that the reference has already "
    "stay, whatever the encoder does."};
constexpr Remedy kDebandTheSource = {"Deband the source",
                                     "Where the source bands as well, encoding cannot mend that. Get a "
                                     "better master, or filter the source before encoding: "
                                     "deband or gradfun in FFmpeg, neo_f3kdb in VapourSynth, with 10 bits or "
                                     "more behind the filter. They take fine texture "
                                     "for bands, too: look at faces and grain afterwards."};
constexpr Remedy kTenBits = {
    "Encode with 10 bits",
    "Finer steps, often at no higher bit rate, and worth it for 8-bit sources too: x265 and SVT-AV1 take "
    "yuv420p10le. Nearly "
    "all devices that play HEVC or AV1 play 10 bits; of H.264 with 10 bits most hardware plays nothing."};
constexpr Remedy kSpendBits = {"Spend more bits on dark, flat areas",
                               "aq-mode=3 of x264 and x265 favours dark scenes; SVT-AV1 has a variance "
                               "boost. At the same CRF the file grows, at the same "
                               "bit rate other areas pay. A lower CRF for the segments that band, as zones, "
                               "costs less than one for all."};
constexpr Remedy kDither = {"Dither where bit depth is reduced",
                            "Rounding 10 bits to 8 alone creates bands. Enable dithering in the filter that "
                            "reduces the depth: dither=error_diffusion in FFmpeg's zscale, sws_dither=ed in "
                            "its scale. Low bit rates smooth the dither away again."};
constexpr Remedy kGrain = {"Keep grain, or add some",
                           "Noise hides bands. tune=grain of x264 and x265 keeps it, at a cost in bit rate. "
                           "Film grain synthesis of AV1 adds it after decoding at almost no cost, if the "
                           "player applies it; scores of frames without grain do not reflect it."};

std::vector<Remedy> remedies(const ScoredVideo& video) {
  std::vector<Remedy> all;
  const double of_source = video.reference_noteworthy.value_or(0);
  if (!video.reference_noteworthy) all.push_back(video.has_reference ? kScoreTheReference : kScoreTheSource);
  if (of_source >= kMuchOfSource) all.push_back(kDebandTheSource);
  const bool is_fine = video.bit_depth >= kFineDepth;
  if (!is_fine) all.push_back(kTenBits);
  all.push_back(kSpendBits);
  if (!is_fine) all.push_back(kDither);
  all.push_back(kGrain);
  if (of_source > 0 && of_source < kMuchOfSource) all.push_back(kDebandTheSource);
  return all;
}

namespace {

// Only where the second begins is published. The next two divide what is left of the usual scale into three
// equal parts.
constexpr Grade kGrades[] = {
    {0, "barely visible"}, {5, "slightly annoying"}, {11, "annoying"}, {17, "very annoying"}};

// Sources: 5 is where banding starts to be slightly annoying (Tandon et al., PCS 2021); 24 is the worst that
// its authors observed.
constexpr MetricInfo metric(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .subject = "banding",
          .better = Better::kLower,
          .flawless = 0,
          .noteworthy = 5,
          .noteworthy_meaning = "slightly annoying",
          .grades = kGrades,
          .limit_mark = "_cmxv_",
          .usual_top = 24,
          .explanation = explanation};
}
constexpr MetricInfo of_reference(MetricInfo info) {
  info.reference_of = "cambi";
  return info;
}
constexpr MetricInfo beyond_reference(MetricInfo info) {
  info.excess_of = "cambi";
  return info;
}
constexpr MetricInfo kMetrics[] = {
    with_full_name(
        metric(
            "cambi", "CAMBI",
            "How visible the steps are that smooth areas such as skies and shadows break into: 0 for none, "
            "from 5 on slightly annoying, 24 the worst that its authors observed."),
        "Cambi_feature_cambi_score"),
    of_reference(metric("cambi_source", "CAMBI of the reference",
                        "The same of the reference: banding that was there before the video was encoded.")),
    beyond_reference(
        metric("cambi_full_reference", "CAMBI beyond the reference",
               "By how much the video bands more than its reference; 0 where it bands no more."))};

// Video of fewer bits is filtered for dither.
constexpr int kDitheredBelow = 10;

class CambiHost final : public HostFeature {
 public:
  CambiHost(const CambiPlans& plans, const Execution& execution)
      : run_(plans, execution, WorkspaceUse::kPictures) {}
  static std::unique_ptr<Workspace> make_workspace(const CambiPlans& plans) {
    return std::make_unique<Workspace>(plans, WorkspaceUse::kPictures);
  }

  FrameResult score(const FramePair& frames) override {
    const Borrowed workspace(run_);
    return score_frame(run_, frames, [&](const Frame& frame, bool is_source, HeatmapPlanes& heatmaps) {
      const CambiPlan& plan = is_source ? *run_.plans.source : run_.plans.distorted;
      return frame_score(plan, score_picture(frame.luma(), plan, run_.stages, *workspace, heatmaps));
    });
  }

  std::vector<StageTotal> stage_times() const override { return run_.times.totals(); }

 private:
  CambiRun run_;
};

// Options that the reference implementation accepts and that change nothing.
std::vector<std::string> advice(const OptionSet& set, const VideoFormats& formats) {
  std::vector<std::string> lines;
  const auto ignored = [&](const std::string& what, const std::string& why) {
    lines.push_back(what + " has no effect: " + why);
  };
  const CambiOptions options = options_of<Cambi>(set);
  if ((options.enc_width == 0) != (options.enc_height == 0)) {
    ignored(options.enc_width != 0 ? "enc_width" : "enc_height",
            "enc_width and enc_height count only together");
  } else if (options.enc_width > formats.distorted.width || options.enc_height > formats.distorted.height) {
    ignored(words("enc_width={}, enc_height={}", options.enc_width, options.enc_height),
            "the encode size exceeds the video's " + size_text(formats.distorted.size()));
  }
  if ((options.src_width == 0) != (options.src_height == 0)) {
    ignored(options.src_width != 0 ? "src_width" : "src_height",
            "src_width and src_height count only together");
  } else if (options.src_width != 0 && !options.full_ref) {
    ignored("src_width, src_height", "they count only with full_ref");
  }
  if (!set.is_default("topk") && !set.is_default("cambi_topk")) ignored("cambi_topk", "topk is given");
  if (!set.is_default("eotf") && !set.is_default("cambi_eotf")) ignored("eotf", "cambi_eotf is given");
  return lines;
}

std::vector<HeatmapInfo> heatmaps(const OptionSet& set, const VideoFormats& formats) {
  const CambiPlans plans = plan_of<Cambi>(set, formats);
  std::vector<HeatmapInfo> infos;
  for (int k = 0; k < kScales; ++k) {
    const ScalePlan& scale = plans.distorted.scales[static_cast<size_t>(k)];
    const double side = 2.0 * plans.distorted.half_window + 1.0;
    infos.push_back({.scale = k,
                     .width = scale.width,
                     .height = scale.height,
                     .score_weight = scale.weight / (plans.distorted.heatmap_factor * side * side)});
  }
  return infos;
}

}  // namespace

std::unique_ptr<HostFeature> make_host_feature(const CambiPlans& plans, const Execution& execution) {
  return std::make_unique<CambiHost>(plans, execution);
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Cambi, CambiHost>(
      {.name = "cambi",
       .summary = "banding: the Contrast-Aware Multiscale Banding Index, 0 (none) to 24 (worst seen)",
       .publication =
           {.citation =
                "P. Tandon, M. Afonso, J. Sole, L. Krasula: CAMBI: Contrast-aware Multiscale Banding Index. "
                "Picture Coding Symposium, 2021",
            .doi = "10.1109/PCS50896.2021.9477464"},
       .metrics = kMetrics,
       .resolve = resolve,
       .depth_matters_below = kDitheredBelow,
       .remedies = remedies,
       .advice = advice,
       .heatmap_option = "heatmaps_path",
       .heatmaps = heatmaps});
  return kInfo;
}

std::vector<std::string> Cambi::metric_names(const OptionSet& set) {
  std::vector<std::string> names = {set.metric_name("cambi")};
  if (set.get_bool("full_ref")) names.insert(names.end(), {"cambi_source", "cambi_full_reference"});
  return names;
}

namespace {

const char* eotf_of(Transfer transfer) {
  return transfer == Transfer::kPq ? "pq" : transfer == Transfer::kHlg ? "hlg" : "bt1886";
}

const char* range_of(Range range) { return range == Range::kFull ? "full" : "limited"; }

bool says_transfer(const VideoFormat& video) {
  return video.transfer == Transfer::kBt1886 || video.transfer == Transfer::kPq ||
         video.transfer == Transfer::kHlg;
}

// One of the two options, and what the video says of it.
struct Setting {
  std::string_view option;
  std::string of_video;
  bool is_tagged = false;
};

// Says how it came about.
std::string settle(const Setting& setting, OptionSet& options) {
  const bool automatic = options.get_text(setting.option) == "auto";
  if (automatic) options.resolve(setting.option, setting.of_video);
  const char* const origin = !automatic ? "as asked" : setting.is_tagged ? "from the stream" : "assumed";
  return std::string(setting.option) + "=" + options.get_text(setting.option) + " (" + origin + ")";
}

void warn_of_contradiction(const VideoFormat& video, const OptionSet& options, Resolution& resolution) {
  const std::string name = shown_path(video.name);
  const std::string &eotf = options.get_text("eotf"), &range = options.get_text("range");
  if (says_transfer(video) && eotf != eotf_of(video.transfer)) {
    resolution.warnings.push_back(
        {words("{} is tagged {}, but eotf is {}.", name, to_string(video.transfer), eotf)});
  }
  if (video.range != Range::kUnspecified && range != range_of(video.range)) {
    resolution.warnings.push_back(
        {words("{} is tagged {} range, but range is {}.", name, to_string(video.range), range)});
  }
}

void warn_of_difference(const VideoFormats& formats, Resolution& resolution) {
  const VideoFormat &video = formats.distorted, &reference = *formats.reference;
  const auto differs = [&](const std::string& what, const std::string& one, const std::string& other) {
    if (one == other) return;
    resolution.warnings.push_back(
        {words("{} is {} and {} is {}; the {} of the first is used for both.", shown_path(video.name), one,
               shown_path(reference.name), other, what)});
  };
  differs("transfer function", eotf_of(video.transfer), eotf_of(reference.transfer));
  differs("range", std::string(range_of(video.range)) + " range",
          std::string(range_of(reference.range)) + " range");
}

// Warnings for options that are used exactly as given.
Resolution exact_warnings(const OptionSet& options, const VideoFormats& formats, AskedBy asked_by) {
  Resolution resolution;
  const std::string &eotf = options.get_text("eotf"), &range = options.get_text("range");
  const bool any_reference = formats.reference && options.get_bool("full_ref");
  for (const VideoFormat* video : {&formats.distorted, any_reference ? &*formats.reference : nullptr}) {
    if (video == nullptr) continue;
    const std::string name = shown_path(video->name);
    if (video->range == Range::kFull && range != "full") {
      resolution.warnings.push_back({name + " is full range; CAMBI's thresholds assume limited range."});
    }
    // A model cannot be told otherwise, and that it is not for such pictures is said once, of all its
    // features.
    if (asked_by != AskedBy::kModel && says_transfer(*video) && eotf != eotf_of(video->transfer)) {
      resolution.warnings.push_back(
          {words("{} is tagged {}, but CAMBI takes it as {}.", name, to_string(video->transfer), eotf),
           "eotf"});
    }
  }
  return resolution;
}

}  // namespace

Resolution resolve(OptionSet& options, const VideoFormats& formats, AskedBy asked_by) {
  const bool any_auto = options.get_text("eotf") == "auto" || options.get_text("range") == "auto";
  if (asked_by != AskedBy::kProgram && !any_auto) return exact_warnings(options, formats, asked_by);
  const VideoFormat& video = formats.distorted;
  Resolution resolution;
  const bool range_was_auto = options.get_text("range") == "auto";
  resolution.notes.push_back(settle({"eotf", eotf_of(video.transfer), says_transfer(video)}, options));
  const std::string range =
      settle({"range", range_of(video.range), video.range != Range::kUnspecified}, options);
  // Limited range is what everybody expects.
  if (options.get_text("range") == "full" || !range_was_auto) resolution.notes.push_back(range);
  warn_of_contradiction(video, options, resolution);
  if (formats.reference && options.get_bool("full_ref")) warn_of_difference(formats, resolution);
  return resolution;
}

}  // namespace vq::cambi
