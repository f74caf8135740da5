// CAMBI, the Contrast-Aware Multiscale Banding Index (Tandon et al., PCS 2021): its options, and the plan
// that holds every number derived from them. Backends receive the plan and derive nothing themselves.
#pragma once

#include "core/platform.h"
#include "feature/metric_type.h"

namespace vq::cambi {

// Which luma level differences the eye can see, from the display's transfer function.

// 10-bit luma levels of black and of nominal white.
struct LumaRange {
  int foot = 64;
  int head = 940;
};
inline constexpr LumaRange kFullRange = {0, 1023};

// Luminance of luma levels on a display, for grey. Sources: ITU-R BT.1886 with Lw = 300 and Lb = 0.01 cd/m2;
// SMPTE ST 2084; HLG of ARIB STD-B67 and ITU-R BT.2100-2, table 5, on a display of Lw = 1000 and Lb = 0
// cd/m2, for which the system gamma is 1.2.
class Luminance {
 public:
  // eotf: "bt1886", "pq" or "hlg". Throws Error{kInternal} for any other.
  Luminance(std::string_view eotf, LumaRange range);

  const LumaRange& range() const { return range_; }
  // In cd/m2; levels outside the range count as its ends.
  double at(int level) const;

 private:
  double (*eotf_)(double signal);
  LumaRange range_;
};

// The last level whose difference to the level `contrast` above it is visible, that is, exceeds `threshold`
// times its luminance; 0 if none is, 1023 if the last pairs of the range are visible too. Visibility ends
// once with rising level, so a bisection finds it. Under HLG a contrast can become visible again towards
// white, up to white itself: that counts as visible throughout.
int last_visible_level(const Luminance& luminance, int contrast, double threshold);

// The first level at least `nits` bright; 0 if black is, the head if no level is.
int first_level_of(const Luminance& luminance, double nits);

inline constexpr int kScales = 5;
inline constexpr int kMaxLogContrast = 5;
inline constexpr int kMaxContrasts = 1 << kMaxLogContrast;
inline constexpr int kMaxWindow = 255;       // counts of a window must fit 16 bits
inline constexpr int kMinSide = 216;         // of the longer side of a picture
inline constexpr int kMaxLevel = 1024;       // of the 10-bit picture: rounding deeper samples can reach it
inline constexpr int kMaskBox = 7;           // side of the spatial mask's box
inline constexpr int kSumFractionBits = 24;  // every c-value is a multiple of 2^-24

struct CambiOptions {
  double max_val = 1000;
  int enc_width = 0, enc_height = 0, enc_bitdepth = 0;
  int src_width = 0, src_height = 0;
  int window_size = 65;
  double topk = 0.6, cambi_topk = 0.6;
  double tvi_threshold = 0.019;
  double vis_lum_threshold = 0;  // cd/m2
  int max_log_contrast = 2;
  std::string_view eotf = "bt1886", cambi_eotf = "bt1886";
  std::string_view range = "limited";
  int high_res_speedup = 0;
  bool full_ref = false;

  // Each of two options for the same wins over the other unless left at its default. Where nothing is known
  // of the video, "auto" is BT.1886 and limited range.
  double pooled_share() const { return topk == CambiOptions().topk ? cambi_topk : topk; }
  std::string_view transfer_function() const;
  LumaRange luma_range() const { return range == "full" ? kFullRange : LumaRange(); }
};

// A luma level difference d that is looked for, with the levels at which it counts.
struct Contrast {
  int weight = 0;
  int first_level = 0;  // levels first_level..last_level qualify; none if first_level > last_level
  int last_level = -1;
};

struct ScalePlan {
  int width = 0, height = 0;
  int64_t topk_count = 0;  // K, how many of the largest c-values are averaged; 1..width*height
  double weight = 0;       // in the frame's score
};

// Every number that scoring one video needs; constant over the video.
struct CambiPlan {
  bool is_source = false;  // of the reference, which full_ref compares with
  // The input's luma plane.
  int input_width = 0, input_height = 0, input_depth = 8;
  // The encode size, and for each of its columns and rows the input's that nearest-neighbour scaling reads.
  int width = 0, height = 0;
  std::vector<int32_t> source_columns, source_rows;  // empty if the size does not change
  bool anti_dither = false;
  int mask_threshold = 0;  // a sample is masked if the box sum is greater
  bool halve_first = false;
  std::array<ScalePlan, kScales> scales;
  int window = 0;       // W, odd, at most kMaxWindow; the same at all scales
  int half_window = 0;  // W >> 1
  int num_contrasts = 0;
  std::array<Contrast, kMaxContrasts> contrasts;  // [d - 1]
  std::vector<float> reciprocals;                 // make_reciprocals(window)
  double heatmap_factor = 0;  // a c-value times this is a heatmap sample before saturation

  bool resizes() const { return !source_columns.empty(); }
};

// The plans of the two roles. Throws Error{kMismatch} for sizes that CAMBI cannot take and for windows over
// kMaxWindow.
struct CambiPlans {
  CambiPlan distorted;
  std::optional<CambiPlan> source = {};  // with full_ref
  CambiOptions options = {};
  std::string name = {}, source_name = {};  // of the videos, for messages
};
CambiPlans make_plans(const CambiOptions& options, const VideoFormats& formats);

// Names, aliases, defaults and ranges of the reference implementation (libvmaf 3.2), and what only this
// program's own flags can set.
struct Cambi {
  using Options = CambiOptions;
  static constexpr std::string_view kEotfs[] = {"bt1886", "pq"}, kOwnEotfs[] = {"hlg", "auto"},
                                    kRanges[] = {"limited", "full"}, kOwnRanges[] = {"auto"};
  static constexpr int kSpeedups[] = {0, 1080, 1440, 2160};
  static constexpr auto kOptions = option_table<Options>(
      {{&Options::max_val, "cambi_max_val cmxv", 0, 1000, "every reported score is clipped to it"},
       {&Options::enc_width,
        {.name = "enc_width",
         .alias = "encw",
         .min = 180,
         .max = 7680,
         .role = OptionRole::kEncodedWidth,
         .help = "width at which the video was encoded; 0: the input's"}},
       {&Options::enc_height,
        {.name = "enc_height",
         .alias = "ench",
         .min = 150,
         .max = 7680,
         .role = OptionRole::kEncodedHeight,
         .help = "height at which the video was encoded; 0: the input's"}},
       {&Options::enc_bitdepth,
        {.name = "enc_bitdepth",
         .alias = "encbd",
         .min = 6,
         .max = 16,
         .role = OptionRole::kEncodedDepth,
         .help = "bit depth at which the video was encoded; 0: the input's"}},
       {&Options::src_width, "src_width srcw", 320, 7680,
        "width at which the reference is scored, with full_ref; 0: its own"},
       {&Options::src_height, "src_height srch", 200, 4320,
        "height at which the reference is scored, with full_ref; 0: its own"},
       {&Options::window_size, "window_size ws", 15, 127,
        "side of the window at 4K, in samples; 65 is about one degree of the field of view"},
       {&Options::topk, "topk", 0.0001, 1, "share of the samples that is pooled"},
       {&Options::cambi_topk, "cambi_topk ctpk", 0.0001, 1,
        "the same; used when topk is left at its default"},
       {&Options::tvi_threshold, "tvi_threshold tvit", 0.0001, 1,
        "smallest visible luminance difference, as a share of the luminance"},
       {&Options::vis_lum_threshold, "cambi_vis_lum_threshold vlt", 0, 300,
        "luminance in cd/m2 below which banding is not visible"},
       {&Options::max_log_contrast, "max_log_contrast mlc", 0, kMaxLogContrast,
        "contrasts up to 2 to this power, in 10-bit levels, are looked at"},
       {&Options::eotf,
        {.name = "eotf",
         .choices = kEotfs,
         .own_choices = kOwnEotfs,
         .own_default = "auto",
         .help = "transfer function of the display, for the visibility thresholds"}},
       {&Options::cambi_eotf, "cambi_eotf ceot", kEotfs,
        "the same; wins over eotf unless left at its default"},
       {&Options::high_res_speedup,
        {.name = "cambi_high_res_speedup",
         .alias = "hrs",
         .allowed = kSpeedups,
         .help = "halve the picture once for encodes of at least this many lines' worth of 16:9 samples; 0: "
                 "never"}},
       {&Options::full_ref,
        {.name = "full_ref",
         .in_metric_name = false,
         .role = OptionRole::kReference,
         .help = "also score the reference, and the difference"}},
       {{},
        {.name = "heatmaps_path",
         .kind = OptionKind::kPath,
         .in_metric_name = false,
         .help = "folder for the heatmaps of every scale; none: no heatmaps"}},
       {&Options::range,
        {.name = "range",
         .choices = kRanges,
         .own_choices = kOwnRanges,
         .own_default = "auto",
         .in_exact_form = false,
         .help = "luma levels of black and white, for the visibility thresholds"}}});
  using Plan = CambiPlans;
  static Plan make_plan(const Options& options, const VideoFormats& formats) {
    return make_plans(options, formats);
  }
  // `cambi...`, then with full_ref `cambi_source` and `cambi_full_reference`.
  static std::vector<std::string> metric_names(const OptionSet& set);
  static bool needs_reference(const Options& options) { return options.full_ref; }
  static ScoreEnds score_ends(const Plan& plan, size_t) { return {.low = 0, .high = plan.options.max_val}; }
};

// See FeatureInfo. Under auto, eotf and range are what the distorted video says: PQ, HLG and full range act,
// all else is BT.1886 and limited range.
Resolution resolve(OptionSet& options, const VideoFormats& formats, AskedBy asked_by);

// R(k) for k = 0..window*window: 1/k rounded to nine significant decimal digits and then to float. For 42 of
// the first 4225 k that is one unit in the last place away from 1.0f / k. R(0) is 0 and never used.
std::vector<float> make_reciprocals(int window);

// The exact sum of a scale's K largest c-values, in units of 2^-kSumFractionBits.
__extension__ using ExactSum = unsigned __int128;

// The frame's score from the sums of its five scales, not yet clipped to max_val. Range: 0 and up, finite.
double frame_score(const CambiPlan& plan, const std::array<ExactSum, kScales>& sums);

// The reported scores of a frame: the score, and with a source its score and the difference, each clipped to
// max_val.
std::vector<double> reported_scores(const CambiOptions& options, double score, std::optional<double> source);

}  // namespace vq::cambi
