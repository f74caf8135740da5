// Light: pictures of any video as linear R, G and B with the primaries of BT.709, 1.0 being SDR white. What
// metrics that model vision start from. Options say how a video is read if its tags do not.
#pragma once

#include "core/frame.h"
#include "core/plane.h"
#include "feature/metric_type.h"
#include "feature/simd_targets.h"

namespace vq::light {

// The options that every metric on light has: bases of its own. "auto" follows each video's tags.
struct LightOptions {
  std::string_view matrix = "auto", transfer = "auto", primaries = "auto", range = "auto",
                   chroma_location = "auto", chroma = "cubic";
};
inline constexpr std::string_view kMatrices[] = {"auto", "bt601", "bt709", "bt2020", "rgb"},
                                  kTransfers[] = {"auto", "bt1886", "srgb", "linear", "pq", "hlg"},
                                  kPrimaries[] = {"auto", "bt709", "bt2020"},
                                  kRanges[] = {"auto", "limited", "full"},
                                  kLocations[] = {"auto", "left",       "center", "topleft",
                                                  "top",  "bottomleft", "bottom"},
                                  kChromas[] = {"cubic", "repeat"};
// As well for metrics whose authors have it so, see ChromaFilter.
inline constexpr std::string_view kBilinearWord = "bilinear";

// For metrics of luma alone, see LumaReading.
inline constexpr std::string_view kLumaTransfers[] = {"auto", "bt1886", "pq", "hlg"};
inline constexpr OptionSpec kRangeSpec = {
    .name = "range",
    .choices = kRanges,
    .help = "range of code values; auto: as tagged, else limited, full for RGB"};

// The rows of light in a metric's table of options.
template <typename Options>
constexpr std::array<MemberOption<Options>, 6> option_rows() {
  return {{{&Options::matrix, "matrix", kMatrices,
            "how luma and chroma are made of RGB; auto: as tagged, else bt709 for HD and bt601 below"},
           {&Options::transfer, "transfer", kTransfers,
            "transfer function of the display; auto: as tagged, else bt1886"},
           {&Options::primaries, "primaries", kPrimaries,
            "colours of R, G and B; auto: as tagged, else those of the matrix"},
           {&Options::range, kRangeSpec},
           {&Options::chroma_location, "chroma_location", kLocations,
            "where chroma samples lie; auto: as tagged, else left"},
           {&Options::chroma, "chroma", kChromas,
            "how chroma becomes as large as luma: cubic, or each sample repeated"}}};
}

// The table of a metric's options: those of light, then its own.
template <typename Options, size_t count>
constexpr auto option_table(const MemberOption<Options> (&own)[count]) {
  constexpr auto kRows = option_rows<Options>();
  MemberOption<Options> all[kRows.size() + count];
  std::copy(kRows.begin(), kRows.end(), all);
  std::copy(own, own + count, all + kRows.size());
  return vq::option_table<Options>(all);
}
// The table of a metric whose light stays in the primaries of the video: all but `primaries`.
template <typename Options>
constexpr auto native_option_table() {
  constexpr auto kRows = option_rows<Options>();
  MemberOption<Options> all[kRows.size() - 1];
  std::copy_if(kRows.begin(), kRows.end(), all, [](const auto& row) { return row.spec.name != "primaries"; });
  return vq::option_table<Options>(all);
}

// How chroma becomes as large as luma: by Catmull-Rom where its samples lie, each sample repeated, or
// linearly between samples that lie in the centre, whatever the tags say. For the last luma is limited to its
// nominal range before, and chroma to +-0.5.
enum class ChromaFilter { kCubic, kRepeat, kBilinear };
std::string_view to_string(ChromaFilter filter);  // "cubic", "repeat", "bilinear"

enum class Curve { kBt1886, kSrgb, kLinear, kPq, kHlg };
std::string_view to_string(Curve curve);  // "bt1886", "srgb", "linear", "pq", "hlg"

// How one video is read: nothing is left open.
struct Reading {
  Matrix matrix = Matrix::kBt709;  // kBt601, kBt709, kBt2020 or kRgb
  Curve curve = Curve::kBt1886;
  bool has_bt2020_primaries = false;
  bool is_full_range = false;
  ChromaLocation location = ChromaLocation::kLeft;
  ChromaFilter chroma = ChromaFilter::kCubic;

  bool operator==(const Reading&) const = default;
};

// The reading by the options and, if they are "auto", by the video's tags. Untagged video is limited range
// with chroma to the left, has the matrix that matrix_of() assumes, BT.1886's curve, and BT.709's primaries,
// or BT.2020's if the matrix is. Throws Error{kMismatch} for a matrix from which RGB cannot be had or an
// option that contradicts RGB video.
Reading reading_of(const LightOptions& options, const VideoFormat& video);

// How metrics read luma that need no colours. Every curve but those of PQ and HLG counts as BT.1886's.
struct LumaReading {
  bool is_full_range = false;
  Curve curve = Curve::kBt1886;
  int black = 0, span = 0;  // code values: black, and from there to white
};
// By the options `range` and `transfer` and, if they are "auto", by the video's tags.
LumaReading luma_reading_of(std::string_view range, std::string_view transfer, const VideoFormat& video);

// A reading in words, for reports: {"matrix", "bt709"}, {"transfer", "bt1886"}, {"primaries", "bt709"},
// {"range", "limited"}, {"chroma_location", "left"}, {"chroma", "cubic"}; the last two only if chroma is
// subsampled.
std::vector<std::pair<std::string, std::string>> in_words(const Reading& reading, const VideoFormat& video);

// Notes for FeatureInfo::resolve: what was assumed of the distorted video if tags are missing or cannot be
// followed, and in what the reference, if there is one, is read in another way.
std::vector<std::string> notes_on(const LightOptions& options, const VideoFormat& distorted,
                                  const VideoFormat* reference = nullptr);

// The numbers by which a video's samples become light: made once in double, rounded to float.

// Interpolation of chroma along one axis. Sample n = m * 2^shift + phase of the picture is the sum, left to
// right, of taps[phase] times the four chroma samples from m + first[phase] on; those beyond an edge repeat
// it.
struct Axis {
  static constexpr int kTaps = 4, kMaxPhases = 4;
  using Taps = std::array<float, kTaps>;

  int shift = 0;  // 0..2
  std::array<int, kMaxPhases> first = {};
  std::array<Taps, kMaxPhases> taps = {};

  int phases() const { return 1 << shift; }
  // Whether samples of the phase are chroma samples as they are: taps 0, 1, 0, 0.
  bool is_plain(int phase) const { return taps[static_cast<size_t>(phase)][1] == 1.0F; }
  bool operator==(const Axis&) const = default;
};

// (sample - offset) * factor, then from `least` to `most`.
struct Scale {
  float offset = 0, factor = 1;
  float least = -std::numeric_limits<float>::max(), most = std::numeric_limits<float>::max();
  bool operator==(const Scale&) const = default;
};

// PQ and HLG: linear interpolation in a table over code values from 0 to 1; values outside count as 0 and 1.
inline constexpr int kCurveSteps = 4096;

// Values up to here, in magnitude, are without light: on devices nothing smaller than normal floats occurs.
inline constexpr float kLeastValue = 0x1p-24F;
// x^2.4 by Newton's method for x^(-1/5): the bits of the start, from which bits(x) / 5 is taken.
inline constexpr unsigned kRootStart = 0x4C2C0000;
// sRGB. Quotients are rounded to float.
inline constexpr float kSrgbLimit = 0.04045F, kSrgbOffset = 0.055F,
                       kSrgbFactor = static_cast<float>(1 / 1.055),
                       kSrgbSlope = static_cast<float>(1 / 12.92);
// ITU-R BT.2087, from BT.2020's primaries to BT.709's.
inline constexpr float kBt2020ToBt709[3][3] = {{1.660491F, -0.587641F, -0.072850F},
                                               {-0.124550F, 1.132900F, -0.008349F},
                                               {-0.018151F, -0.100579F, 1.118730F}};
// Weights of BT.2020's luminance, for HLG.
inline constexpr float kLuminance[3] = {0.2627F, 0.678F, 0.0593F};

// HLG's system gamma is 1.2.
struct Conversion {
  Reading reading = {};
  PlaneSize size = {};
  bool has_chroma = true;  // else Cb and Cr are 0
  Axis columns = {}, rows = {};
  Scale luma = {}, chroma = {};
  // R = Y + red_of_cr Cr, B = Y + blue_of_cb Cb, G = (Y - kr R - kb B) * one_over_kg.
  float red_of_cr = 0, blue_of_cb = 0, kr = 0, kb = 0, one_over_kg = 0;
  std::vector<float> curve = {};  // kCurveSteps + 1 values and one more, equal to the last; empty: no table
  bool operator==(const Conversion&) const = default;
};

// In double. SMPTE ST 2084 both ways, 1.0 of light being 100 cd/m2.
double light_of_pq(double value);
double pq_of_light(double light);
// The scene's light from 0 to 1 of HLG, ITU-R BT.2100's inverse OETF.
double hlg_light(double value);

Conversion make_conversion(const Reading& reading, const VideoFormat& video);

// The stages of light, a row at a time. Every implementation gives the same bits: floats are added,
// subtracted and multiplied in the order given here, rounded each time, and nothing is fused. No value is
// subnormal. Stages never throw and never allocate.

// One row of a plane, without guards: nothing beyond it is read.
struct SampleRow {
  const uint8_t* u8 = nullptr;  // null: samples are words
  const uint16_t* u16 = nullptr;
  int width = 0;
};
SampleRow row_of(const SampleView& plane, int y);

// Floats that may be written around the samples of a row.
inline constexpr int kMargin = 16;

// How a chroma row is brought to the columns of the picture. Scratch: floats for its samples, with kMargin
// more before and after.
struct ChromaRow {
  Scale scale;
  const Axis* axis = nullptr;
  float* scratch = nullptr;
};

template <typename T>
struct RgbRow {
  T* r = nullptr;
  T* g = nullptr;
  T* b = nullptr;
};

namespace scalar {
// A chroma row at the columns of the picture: samples scaled, then interpolated. Shapes: in of any width of 1
// or more; out of `width`, with guards.
void spread_chroma(const SampleRow& in, const ChromaRow& how, int width, float* out);

// taps[0] rows[0] + taps[1] rows[1] + ..., left to right. Shapes: rows of `width`, with guards.
void blend_rows(const float* const rows[Axis::kTaps], const Axis::Taps& taps, int width, float* out);

// Luma and chroma, or G, B and R, to light. With v the non-linear component and a its magnitude, light is 0
// if a <= kLeastValue, and otherwise
//   BT.1886: sign(v) p(a), with p(x) = x^2.4, see below
//   sRGB:    sign(v) (a > kSrgbLimit ? p((a + kSrgbOffset) * kSrgbFactor) : a * kSrgbSlope)
//   linear:  v
//   PQ, HLG: with t = clamp(v, 0, 1) * 4096 and i = trunc(t): curve[i] + (t - i) * (curve[i + 1] - curve[i])
// HLG's three components are then multiplied by q(L), L = (0.2627 R + 0.678 G) + 0.0593 B, with q(x) = x^0.2,
// 0 for x <= kLeastValue. Last come the primaries: (a R + b G) + c B.
//
// Powers: r is the float of bits kRootStart - ((bits(x) >> 15) * 52429 >> 3), unsigned; twice, for q three
// times, r = r * (1.2 - (0.2 x) * ((r^2 * r^2) * r)). Then q = x * (r^2 * r^2); and p = x^2 * s + x^2 * c,
// with s = (x * r) * r^2, which is nearly x^0.4, and c = (0.2 * (r^4 * r^4)) * (x^2 - (s^2 * s^2) * s). p is
// within 3e-7 of the power, q within 8e-7, relative, for x up to 20.
//
// Shapes: rows of the picture's width; all but luma with guards. cb and cr: in and out may be the same.
void to_light(const SampleRow& luma, const float* cb, const float* cr, const Conversion& conversion,
              RgbRow<float> out);
}  // namespace scalar
VQ_STAGES(spread_chroma, blend_rows, to_light);

// Pictures as rows of light, on the host.

// Makes the light of one picture after another, row by row. For one thread.
class LightRows {
 public:
  // The conversion outlives this. Throws std::bad_alloc.
  LightRows(const Stages& stages, const Conversion& conversion);

  // The frame's samples are read until the next call. Needs: the format that the conversion was made for.
  void start(const Frame& frame);
  // Row y of the light. Chroma rows in use are kept, so ascending y is fastest. Needs: start(); 0 <= y <
  // height; rows of the picture's width, with guards.
  void row(int y, RgbRow<float> out);

 private:
  const float* chroma_row(size_t plane, int row);
  const float* chroma_at(size_t plane, int y);

  const Stages stages_;
  const Conversion& conversion_;
  const Frame* frame_ = nullptr;
  // Chroma rows at the picture's columns, row k at k % kTaps, and which row each is.
  std::array<Plane<float>, 2> spread_;
  std::array<std::array<int, Axis::kTaps>, 2> spread_rows_ = {};
  Plane<float> blended_;  // a row of Cb, a row of Cr
  Plane<float> scratch_;
};

// A metric on the host whose threads each have a workspace that makes light: WorkspaceHost for those.
template <typename Plan, typename OwnStages, typename Workspace>
class LightHost : public PlannedHost<Plan, OwnStages> {
 public:
  LightHost(const Plan& plan, const Execution& execution)
      : PlannedHost<Plan, OwnStages>(plan, execution),
        workspaces_([this, stages = Stages::of(execution)] { return make_workspace(this->plan_, stages); }) {}
  static std::unique_ptr<Workspace> make_workspace(const Plan& plan, const Stages& stages = {}) {
    return std::make_unique<Workspace>(plan, stages);
  }

 protected:
  WorkspacePool<Workspace> workspaces_;
};

// All of a picture. Shapes: of the picture, each; planes with guards.
void fill_light(LightRows& rows, const Frame& frame, const std::array<PlaneView<float>, 3>& rgb);

// Sums of floats over a picture, in one order everywhere: tiles, then 256 tiles at a time.

// Each tile that is summed up has kTile x kTile samples.
inline constexpr int kTile = 16;
constexpr int tiles_of(int side) { return (side + kTile - 1) / kTile; }
// The sum of the values of a picture: those of its tiles, in raster order, folded 256 at a time, zeros
// behind, and then added in double.
//
// A fold adds by halves: v[i] + v[i + 128], then 64 and so on.
double total(std::span<const float> tiles);
// The sum of a tile's rows, `width` of them beside each other: values of row y and row y + 8 have been added
// to row y of `rows` already, of kTile / 2. Writes one float for each tile. Changes the rows.
void fold_tiles(std::array<float*, kTile / 2> rows, int width, float* tiles);

}  // namespace vq::light
