// ColorVideoVDP (Mantiuk, Hanji, Ashraf, Asano, Chapiro: ColorVideoVDP, ACM Transactions on Graphics 43,
// 2024), model version 0.5.6, in 32-bit floats: a clip's difference as a viewer of a display sees it, in JOD.
// Options, what is constant over two videos, the stages, and the score that is made of a frame's sums.
//
// Light of a display in an opponent space (DKL) goes through filters in time, then through a pyramid of
// contrast bands, whose differences are weighted by the eye's sensitivity and masked by each other.
#pragma once

#include <numbers>

#include "feature/light/light.h"

namespace vq::cvvdp {

// Light, red against green, violet against yellow, and change of light. A clip of one frame has no change.
enum Channel { kLight, kRedGreen, kViolet, kChange };
inline constexpr size_t kChannels = 4, kStillChannels = 3;
// Components of light, from which the channels are filtered.
inline constexpr size_t kComponents = 3;

// One row of each channel: of the picture, of a band, or filtered. The pointer of a missing channel is null.
template <typename T>
using Rows = std::array<T*, kChannels>;

// Floats: 2^x and log2 as polynomials, powers by these.

inline constexpr float kLog2[] = {1.4426950216293335F,   -0.7213473320007324F,  0.48091059923171997F,
                                  -0.36070483922958374F, 0.2879183292388916F,   -0.23892034590244293F,
                                  0.21566985547542572F,  -0.20742103457450867F, 0.12614846229553223F};
inline constexpr float kExp2[] = {1.0F,
                                  0.6931471824645996F,
                                  0.24022650718688965F,
                                  0.05550327152013779F,
                                  0.00961802527308464F,
                                  0.0013400432653725147F,
                                  0.00015469732170458883F};
inline constexpr int kLog2Terms = 9, kExp2Terms = 7;
inline constexpr int32_t kRootOfHalf = 0x3f3504f3;  // bits of it
// Added to a small float it leaves an integer: 1.5 * 2^23.
inline constexpr float kRounder = 12582912.0F;

// Needs: x > 0 and normal. With e = (bits(x) - kRootOfHalf) >> 23 and t = float(bits(x) - (e << 23)) - 1: the
// polynomial in t by Horner's rule, times t, plus e.
inline float log2_of(float x) {
  const auto bits = std::bit_cast<int32_t>(x), exponent = (bits - kRootOfHalf) >> 23;
  const float t = std::bit_cast<float>(bits - exponent * (1 << 23)) - 1.0F;
  float p = kLog2[kLog2Terms - 1];
  for (int k = kLog2Terms - 2; k >= 0; --k) p = p * t + kLog2[k];
  return p * t + static_cast<float>(exponent);
}
// Needs: |x| <= 126. With n = (x + kRounder) - kRounder and f = x - n: the polynomial in f, and n added to
// its exponent.
inline float exp2_of(float x) {
  const float n = (x + kRounder) - kRounder, f = x - n;
  float p = kExp2[kExp2Terms - 1];
  for (int k = kExp2Terms - 2; k >= 0; --k) p = p * f + kExp2[k];
  return std::bit_cast<float>(std::bit_cast<int32_t>(p) + static_cast<int32_t>(n) * (1 << 23));
}

// The e of every power and norm, (x + e)^p - e^p.
inline constexpr double kEpsilon = 1e-5;
struct Power {
  float exponent = 1;
  float at_zero = 0;  // e^p by the same functions
};

// The display, and how light of it is made of encoded R, G and B from 0 to 1.
enum class Curve { kSrgb, kPq, kHlg };
struct Display {
  std::string_view name = {};
  Curve curve = Curve::kSrgb;
  double peak = 0, contrast = 0;  // cd/m2, and its ratio to black
  double ambient = 0;             // lux
  double ppd = 0;                 // pixels of the video in a degree of the field of view
  double reflectivity = 0.005;    // the part of the ambient light that the screen reflects

  bool has_bt2020_primaries() const { return curve != Curve::kSrgb; }
  double black() const { return peak / contrast; }                                // cd/m2
  double reflected() const { return ambient * reflectivity / std::numbers::pi; }  // cd/m2
};

// Light of a component is
//   sRGB: a * scale + base, a = v > 0.04045 ? p((max(v, 0.04) + 0.055) * (1 / 1.055)) : v * (1 / 12.92), with
//         p of feature/light/light.h
//   PQ:   clamp(table(v), 0.005, peak) + base
//   HLG:  (table(v) * gain) * scale + base, gain = exp2(gamma_less_1 * log2(y)), 0 if y <=
//   light::kLeastValue,
//         y = (0.2627 R + 0.678 G) + 0.0593 B of the table's values
// A table is interpolated as there. Component k of DKL is (m[k][0] R + m[k][1] G) + m[k][2] B.
struct Conversion {
  Curve curve = Curve::kSrgb;
  float scale = 0, base = 0, peak = 0, gamma_less_1 = 0;
  float matrix[kComponents][3] = {};
  std::vector<float> table = {};  // as light::Conversion::curve
};
inline constexpr float kLeastLight = 0.005F;

// Steps of log2 of the sensitivity over log2 of the background light, and one more, equal to the last.
inline constexpr int kLuminances = 32;
using Sensitivity = std::array<float, kLuminances + 1>;

// The least background, and the largest contrast.
inline constexpr float kLeastBackground = 0.01F, kMostContrast = 1000.0F;
// Layers between the finest and the base band count twice.
inline constexpr float kLayerGain = 2.0F;

// A level of the pyramid. All but the last, the base band, are what the next level lacks of it.
struct Level {
  PlaneSize size = {};
  float layer_gain = 1;
  std::array<Sensitivity, kChannels> sensitivity = {};

  double samples() const { return static_cast<double>(size.width) * size.height; }
  // Pictures this narrow are not blurred.
  bool is_blurred() const;
};

// Masking.
inline constexpr int kBlurReach = 6, kBlurTaps = 2 * kBlurReach + 1;
struct Masking {
  std::array<float, kBlurReach + 1> blur = {};  // from the outermost to the middle
  float mutual_gain = 0;
  std::array<float, kChannels> gain = {};
  std::array<Power, kChannels> mutual = {};
  Power difference = {};
  float weights[kChannels][kChannels] = {};  // [masker][masked]
  float most = 0;
};

// The values that a stage needs beside rows, and that do not depend on the video.
struct Constants {
  Masking masking = {};
  float first_luminance = 0, luminance_steps = 0;  // x = (log2(background) - first) * steps
  float sum_offset = 0;                            // 2 e
};

// Samples before and after a row that may be written.
inline constexpr int kMargin = 16;
static_assert(kMargin * sizeof(float) == kRowGuardBytes && kBlurReach < kMargin);
// Floats that a scratch row has more than its samples.
inline constexpr int kScratch = 4 * kMargin;

// Rows of one component of the frames that a filter takes, the oldest first; and taps, from the outermost to
// the middle.
struct FilterInput {
  std::span<const float* const> frames = {};
  const float* taps = nullptr;
  const float* change = nullptr;  // taps of a second filter of the same rows; null: none
};
struct FilterOutput {
  float* row = nullptr;
  float* change = nullptr;
};

// Five rows around a row of a level, of which every second is kept.
struct ReduceInput {
  std::array<const float*, 5> rows = {};
  bool ends_even = false;
  int width = 0;  // of the rows, at least 4
};

// Three rows around a row of the next level, from the one before.
struct ExpandInput {
  std::array<const float*, 3> rows = {};
  bool is_odd = false;
  int narrow = 0, width = 0;  // of the rows, and of what is made: narrow = (width + 1) / 2
};

// A row of a layer: the row of the level, and what expanding the next level makes of it.
struct LayerRow {
  const float* row = nullptr;
  const float* expanded = nullptr;
  const float* background = nullptr;
  float gain = 1;  // Level::layer_gain
};

// Rows of what is common to both videos at a sample, blurred along rows: of the row and the kBlurReach rows
// on either side; and of their difference.
struct MaskInput {
  std::array<std::array<const float*, kBlurTaps>, kChannels> mutual = {};
  Rows<const float> difference = {};
  size_t channels = kChannels;
  bool is_blurred = true;  // false: the middle row alone, as it is
  int width = 0;
};
struct MaskOutput {
  // Rows of d (d + 2 e), to which values are written or, with `adds`, added; behind the row, up to a multiple
  // of light::kTile, they are 0 then.
  Rows<float> sums = {};
  bool adds = false;
  Rows<float> differences = {};  // rows for d itself; null: not wanted
};

namespace scalar {
// All add, subtract, multiply and divide floats in the order that is
// written here, rounded each time, and nothing is fused. Shapes: rows of `width`, with guards; scratch rows
// have room for kScratch more.

// Encoded R, G and B, limited to 0..1, to DKL: see Conversion.
void to_dkl(const light::RgbRow<const float>& rgb, int width, const Conversion& how,
            const std::array<float*, kComponents>& out);

// t_0 (x_0 + x_(n-1)), then plus t_1 (x_1 + x_(n-2)) and so on, the middle last.
void filter_row(const FilterInput& in, int width, const FilterOutput& out);

// Five rows of a level to a row of the next: (.05 (a + e) + .25 (b + d)) + .4 c across rows, then along them
// at every second sample, with the ends mirrored: x[-1] = x[0], x[-2] = x[1], x[n] = x[n - 1], x[n + 1] =
// x[n - 2]. If `ends_even` is not the parity of the width, the last sample is, for an even width, (.05
// (x[n-4] + x[n-2]) + .25 (x[n-3] + x[n-1])) + (.4 x[n-2] + .25 x[n-1]), and (.05 (x[n-3] + x[n-1]) + .25
// x[n-2]) + .4 x[n-1] for an odd one: the reference takes the height's parity for the width's.
void reduce_row(const ReduceInput& in, float* scratch, float* out);

// A row of the next level to one of this: across rows .1 (a + c) + .8 b of three for an even row, .5 (b + c)
// for an odd one; then likewise along rows, with the ends repeated.
// Shapes: out is a scratch row as well.
void expand_row(const ExpandInput& in, float* scratch, float* out);

// max(light, kLeastBackground).
void background_row(const float* light, int width, float* out);

// min((row - expanded) / background, kMostContrast) * gain * sensitivity, left to right.
void contrast_row(const LayerRow& layer, const float* sensitivity, int width, float* out);

// Sensitivity times Masking::gain of each channel that has a row. With x = clamp((log2(background) - first) *
// steps, 0, 31), i = floor(x) and t = x - i: exp2(s[i] + t * (s[i + 1] - s[i])).
void sensitivity_rows(const float* background, int width, const Level& level, const Constants& constants,
                      const Rows<float>& out);

// min(|a|, |b|), and |a - b|.
void compare_rows(const float* a, const float* b, int width, float* mutual, float* difference);

// The row along itself, its ends mirrored and not repeated: pairs from the outermost inwards, then the
// middle. Changes kBlurReach floats before and behind the row. Needs: a width above kBlurReach.
void blur_row(float* row, int width, const Constants& constants, float* out);

// The blur across rows, then of each channel k: m_k = that * mutual_gain, C_k = P(m_k, mutual[k]); M_k = C_0
// w[0][k] + C_1 w[1][k] + ..., left to right; d = P(difference, p); D_k = (most d) / (most (1 + M_k) + d).
// P(x, p) = exp2(p log2(x + e)) - p.at_zero.
void mask_row(const MaskInput& in, const Constants& constants, const MaskOutput& out);
}  // namespace scalar
VQ_STAGES(to_dkl, filter_row, reduce_row, expand_row, background_row, contrast_row, sensitivity_rows,
          compare_rows, blur_row, mask_row);

inline constexpr std::string_view kFeatureName = "cvvdp";
inline constexpr std::string_view kMetricName = "cvvdp_v0.5.6";
// The least side of a picture.
inline constexpr int kLeastSide = 8;
// The most frames a second, and the least and the most pixels a degree that options take.
inline constexpr double kHighestRate = 240, kLeastPpd = 4, kMostPpd = 400;

// The displays of ColorVideoVDP's parameters with encoded video. "auto" stands for one by the video's tags:
// standard_hdr_pq, standard_hdr_hlg, or else standard_4k.
inline constexpr std::string_view kDisplayNames[] = {
    "auto",           "standard_4k",    "standard_fhd",       "standard_hdr_pq",   "standard_hdr_hlg",
    "standard_phone", "standard_hmd",   "sdr_4k_30",          "sdr_fhd_24",        "htc_vive_pro",
    "iphone_12_pro",  "iphone_14_pro",  "iphone_14_pro_vert", "iphone_14_pro_hdr", "iphone_14_pro_hdr_vert",
    "ipad_pro_12_9",  "macbook_pro_16", "lg_oled_2017_sdr",   "lg_oled_2017_hdr",  "eizo_CG3146"};

// What filters take before the first frame: that frame again, or those after it in the opposite order, to and
// fro in a clip that is shorter than a filter.
inline constexpr std::string_view kPaddings[] = {"replicate", "symmetric"};

struct Options {
  std::string_view display = "auto";
  // 0: as the display has it; of ambient and reflectivity, which may be 0, a negative value.
  double ppd = 0, peak = 0, contrast = 0, ambient = -1, reflectivity = -1;
  double fps = 0;  // of the distorted video; 0: unknown
  std::string_view matrix = "auto", range = "auto", chroma_location = "auto", chroma = light::kBilinearWord;
  std::string_view padding = kPaddings[0];

  bool is_symmetric() const { return padding == kPaddings[1]; }
};
inline constexpr std::string_view kChromas[] = {light::kBilinearWord, light::kChromas[0], light::kChromas[1]};

// The display of the options; "auto" is standard_4k. Throws Error{kUsage} if its light is not defined.
Display display_of(const Options& options);
// How a video is read. As in the authors' program, a video whose matrix is not tagged has that of BT.709.
light::Reading reading_of(const Options& options, const VideoFormat& video);

struct Plan {
  Options options = {};
  Display display = {};
  light::Conversion distorted = {}, reference = {};  // to encoded R, G and B
  Conversion to_dkl = {};
  // Filters of an odd number of frames: of each channel the taps from the outermost to the middle.
  std::array<std::vector<float>, kChannels> filters = {};
  std::vector<Level> levels = {};  // the last is the base band
  Constants constants = {};

  size_t frames() const { return 2 * filters[0].size() - 1; }
  // The number of first frames whose filters take those after them.
  size_t opening() const { return options.is_symmetric() ? frames() : 0; }
};

// The frames that a filter takes: those of a quarter of a second.
int filter_frames(double fps);

struct Cvvdp {
  using Options = cvvdp::Options;
  static constexpr auto kOptions = option_table<Options>(
      {{&Options::display,
        {.name = "display",
         .choices = kDisplayNames,
         .help = "what the video is seen on; auto: standard_hdr_pq or standard_hdr_hlg as tagged, else "
                 "standard_4k"}},
       {&Options::ppd,
        {.name = "ppd",
         .max = kMostPpd,
         .help = "pixels in a degree of the field of view; 0: the display's"}},
       {&Options::peak, {.name = "peak", .max = 10000, .help = "light of white, in cd/m2; 0: the display's"}},
       {&Options::contrast,
        {.name = "contrast", .max = 1e9, .help = "light of white over that of black; 0: the display's"}},
       {&Options::ambient,
        {.name = "ambient",
         .min = -1,
         .max = 100000,
         .help = "light of the room, in lux; -1: the display's"}},
       {&Options::reflectivity,
        {.name = "reflectivity",
         .min = -1,
         .max = 1,
         .help = "part of that light which the screen reflects; -1: the display's"}},
       {&Options::fps,
        {.name = "fps",
         .max = kHighestRate,
         .in_metric_name = false,
         .help = "frames a second; 0: those of the distorted video"}},
       {&Options::matrix,
        {.name = "matrix",
         .choices = light::kMatrices,
         .help = "how luma and chroma are made of RGB; auto: as tagged, else bt709"}},
       {&Options::range, light::kRangeSpec},
       {&Options::chroma_location,
        {.name = "chroma_location",
         .choices = light::kLocations,
         .help = "where chroma samples lie if chroma=cubic; auto: as tagged, else left"}},
       {&Options::chroma,
        {.name = "chroma",
         .choices = kChromas,
         .help =
             "how chroma becomes as large as luma: bilinear as the authors' program, cubic, or each sample "
             "repeated"}},
       {&Options::padding,
        {.name = "padding",
         .choices = kPaddings,
         .help = "what filters in time take before the first frame: it again, or those after it, backwards"}},
       {{},
        {.name = "heatmaps_path",
         .kind = OptionKind::kPath,
         .in_metric_name = false,
         .help = "folder for the heatmaps; none: no heatmaps"}}});
  using Plan = cvvdp::Plan;
  // Throws Error: kUsage without a reference, kMismatch for videos of different sizes, of fewer than 8 rows
  // or columns, or that cannot be brought to light.
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  static std::vector<std::string> names(const Options&) { return {std::string(kMetricName)}; }
  static int planes(const Options&) { return kMaxPlanes; }
  static NeighbourCount neighbours(const Options& options) {
    // One more tells an opening's last frame from those after it.
    const int before = filter_frames(options.fps) - (options.is_symmetric() ? 0 : 1);
    return {.distorted = before, .references = before, .all_planes = true};
  }
  static bool needs_every_frame(const Options& options) { return options.is_symmetric(); }
  static std::unique_ptr<FrameSequence> make_sequence(const Options& options);
};

// The score.

// What is left of a picture's sums: of each level and channel the sum of d (d + 2 e).
using LevelSums = std::array<double, kChannels>;

// (the sum of (v + e)^4 - e^4, plus e)^(1/4) - e^(1/4).
double fourth_norm(std::span<const double> values);

// The difference of a frame, q: norms of its channels at each level. Needs: sums of all levels.
double frame_quality(const Plan& plan, std::span<const LevelSums> sums, size_t channels);
// q of a clip of one frame, of three channels, counts less.
inline constexpr double kStill = 0.577918291091919;

// 10 for 0, and less for more. The other way round: q of a score.
double jod_of(double q);
double quality_of(double jod);
// A clip's q is the root of its frames' mean square: what is averaged of a frame's score, and the score of
// the mean.
double averaged(double jod);
double score_of_mean(double mean);

FrameResult frame_result(double q);
// Has the host find what the first frame of a video counts for if it is the only one, once that is known.
void add_still(FrameResult& result, const Plan& plan, Backend backend, const FramePair& frames);

// How much the differences of a sample count for a heatmap, and what a sum of them is in one: the part that
// is lost of 10.
std::array<double, kChannels> map_weights(const Plan& plan, size_t level, bool is_still);
double lost_part(double q);

const FeatureInfo& feature_info();
std::unique_ptr<HostFeature> make_host_feature(const Plan& plan, const Execution& execution);

// The device does all but the base band and the final sums. The host scores openings, and videos of one
// frame.
inline constexpr std::string_view kFilterStage = "filter", kReduceStage = "reduce", kMaskStage = "mask";

extern const DeviceSupport kDeviceSupport;

}  // namespace vq::cvvdp
