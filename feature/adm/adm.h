// ADM as libvmaf's feature of that name: its options, the names of what it reports, what comparing two videos
// needs, and what becomes of the sums over a frame.
//
// Rounding: figures equal libvmaf's plain C code to the last digit. Sums are exact integers; from there on
// the order of operations and whether each is of floats or doubles are the reference's.
#pragma once

#include "feature/metric_type.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::adm {

// Models of how sensitive eyes are to contrast. The last two are tables for a few viewing distances.
struct CsfMode {
  enum : int { kWatson, kBarten, kBlend, kOtherBlend };
};

struct AdmOptions {
  double gain_limit = 100;    // 1: enhanced detail counts no more than preserved detail
  double view_distance = 3;   // in picture heights
  int display_height = 1080;  // in lines
  int csf_mode = CsfMode::kWatson;
  double csf_scale = 1, csf_diagonal_scale = 1;  // kBarten alone
  double noise_weight = 0.03125;
  double dlm_weight = 0.5;
  double min_val = 0;
  bool skip_scale0 = false;
  bool skip_aim = false;
  bool debug = false;
};

inline constexpr int kScales = 4;
// Orientations of detail: horizontal edges, vertical edges, and diagonals.
inline constexpr size_t kBands = 3;
// One of each, in this order: vertically high, horizontally high, both.
template <typename T>
using PerBand = std::array<T, kBands>;

// Throws Error{kUsage} if the metric is not defined for this viewing distance.
void check_viewing(const AdmOptions& options);

// Sensitivity at a scale, 0 the finest. Bit by bit those of the reference, provided that the C library rounds
// pow(), exp() and log10() as it should. Needs: check_viewing() does not throw.
PerBand<float> sensitivities(const AdmOptions& options, int scale);

// The same as integers: 21 bits after the point at scale 0 (diagonal: 23), in 16 bits; else 32 bits after the
// point. Those that are too large wrap, as in the reference.
PerBand<uint32_t> sensitivity_factors(const AdmOptions& options, int scale);

// Whether sensitivities wrap at a scale that counts, or overflow in later operations, so that scores are
// meaningless.
bool sensitivity_overflows(const AdmOptions& options);

// The shortest side for which the reference has figures.
inline constexpr int kLeastSide = 33;

// Rows or columns from `first` to before `end`.
struct Span {
  int first = 0, end = 0;
  int size() const { return end - first; }
  bool contains(int i) const { return first <= i && i < end; }
};

// Right shifts with rounding to the nearest.
struct WaveletShifts {
  int vertical = 0, horizontal = 0;
};

// Sums of |o|^3 as ((o^2 + square_bias) >> square) * |o| rounded and shifted by `cube`; sums of a row rounded
// and shifted by `row`; the sum of these is `scale` bits after the point.
struct ReferenceShifts {
  uint64_t square_bias = 0;
  int square = 0, cube = 0, row = 0, scale = 0;
};

// Sums of x^3, with x = |signal| - (threshold << threshold_shift) if that is positive: (x^2 rounded and
// shifted by `square`) * x, rounded and shifted by `cube`; rows and scale as above.
struct MaskedShifts {
  int threshold = 0, square = 0, cube = 0, row = 0, scale = 0;
};

// One scale. Coefficients of the finest are of 16 bits, those of the others of 32, and their arithmetic
// differs by more than the shifts.
struct ScalePlan {
  bool is_finest = false;
  int width = 0, height = 0;              // of its bands
  int input_width = 0, input_height = 0;  // of the input
  Span rows, columns;                     // that count
  Span masking_rows, masking_columns;     // those and their neighbours
  WaveletShifts wavelet = {};
  double gain_limit = 100;
  PerBand<float> sensitivity = {};
  PerBand<uint32_t> factors = {};
  ReferenceShifts reference = {};
  PerBand<MaskedShifts> masked = {};

  int64_t area() const { return int64_t{rows.size()} * columns.size(); }
};

struct AdmPlan {
  AdmOptions options;
  VideoFormats formats;
  ComparedVideos videos;
  std::array<ScalePlan, kScales> scales;
};

// Throws Error: kUsage without a reference and for a viewing distance that is not defined, kMismatch for
// videos of different sizes or with sides below kLeastSide.
AdmPlan make_plan(const AdmOptions& options, const VideoFormats& formats);

// Names, aliases, defaults and ranges of the options are the reference implementation's (libvmaf 3.2).
struct Adm {
  using Options = AdmOptions;
  static constexpr auto kOptions = option_table<Options>(
      {{&Options::debug, "debug -", "also report the numerators and denominators of the scores"},
       {&Options::csf_scale, "adm_csf_scale scf", 0, 50,
        "factor of the sensitivity to horizontal and vertical detail, with adm_csf_mode=1 alone"},
       {&Options::csf_diagonal_scale, "adm_csf_diag_scale scfd", 0, 50,
        "factor of the sensitivity to diagonal detail, with adm_csf_mode=1 alone"},
       {&Options::dlm_weight, "adm_dlm_weight dlmw", 0, 1, "share of adm2 in adm3; the rest is that of aim"},
       {&Options::gain_limit, "adm_enhn_gain_limit egl", 1, 100,
        "maximum factor by which enhanced detail counts; 1: no credit for enhancement"},
       {&Options::view_distance, "adm_norm_view_dist nvd", 0.75, 24, "viewing distance in picture heights"},
       {&Options::display_height, "adm_ref_display_height rdh", 1, 4320, "lines of the display"},
       {&Options::csf_mode, "adm_csf_mode csf", 0, 3,
        "contrast sensitivity: 0 Watson, 1 Barten, 2 and 3 blends of both, for a few viewing distances"},
       {&Options::noise_weight, "adm_noise_weight nw", 0, 1500,
        "constant added to numerators and denominators"},
       {&Options::skip_aim, "adm_skip_aim -", "do not compute aim, which is 0 then"},
       {&Options::skip_scale0, "adm_skip_scale0 ssz", "leave the finest scale out"},
       {&Options::min_val, "adm_min_val min", 0, 1, "lower limit of adm3"}});
  using Plan = AdmPlan;
  static Plan make_plan(const Options& options, const VideoFormats& formats) {
    return adm::make_plan(options, formats);
  }
  // The scores and those of all scales; under `debug` also their numerators and denominators.
  static std::vector<std::string> names(const Options& options);
  static BoundedLuma bounded_luma(const Options&) { return BoundedLuma::kBoth; }
};

// The same for one scale of a picture of that size.
ScalePlan make_scale_plan(const AdmOptions& options, int scale, PlaneSize picture);

// Sums of one scale over the counted area; each row is rounded before it is added. All wrap at 64 bits.
struct ScaleSums {
  PerBand<uint64_t> reference = {};  // its detail
  PerBand<int64_t> restored = {};    // detail preserved in the distorted video, masked by added detail
  PerBand<int64_t> added = {};       // the other way round; not used with skip_aim
};
using FrameSums = std::array<ScaleSums, kScales>;

// One row more.
void add_reference_row(const ScalePlan& plan, const PerBand<uint64_t>& row, PerBand<uint64_t>& sums);
void add_masked_row(const ScalePlan& plan, const PerBand<int64_t>& row, PerBand<int64_t>& sums);

// In the order of Adm::names(). Sums of the finest scale are not used with skip_scale0.
std::vector<double> frame_scores(const AdmPlan& plan, const FrameSums& sums);

// The cube root in sensitivities and scores: x to the power of the float nearest to 1/3, bit-identical to
// powf() of glibc 2.28 and later and of musl, whatever C library this runs on. It is not always the float
// nearest to the true power. 0 gives 0; negative numbers and NaN give NaN.
float cube_root(float x);

}  // namespace vq::adm

// The stages of ADM, a row of bands at a time. All are exact: every implementation gives the same integers.
// They never throw and never allocate.
//
// Rows of a Workspace: they begin at a multiple of 64 bytes, with kRowGuardBytes before, and behind the last
// column at least kRowSlack elements that a stage may read and overwrite.

namespace vq::adm {

// In elements: two of the longest vectors of 32-bit lanes.
inline constexpr int kRowSlack = 32;

// A row of the four bands: low-pass (a), and detail. Detail is computed for the requested columns; none if
// the span is empty.
struct BandRow {
  int32_t* a = nullptr;
  PerBand<int32_t*> detail = {};
  Span columns = {};
};

// Rows that have been filtered vertically, of the width of the input.
template <typename T>
struct FilteredRows {
  T *low = nullptr, *high = nullptr;
};

// Bands of detail of a row, to be read.
using DetailRow = PerBand<const int32_t*>;

// A part of the distorted picture's detail in one row: restored detail of the reference, or added detail.
// decouple() leaves coefficients in `signal`; weigh() replaces them by weighted ones and sums what they mask:
// `side` as neighbours, `centre` as the centre. All over ScalePlan::masking_columns.
struct PartRow {
  PerBand<int32_t*> signal = {};
  int32_t *side = nullptr, *centre = nullptr;
};

// Rows that mask a row: the three rows of `side` around it, and its own `centre`.
struct MaskerRows {
  const int32_t *above = nullptr, *here = nullptr, *below = nullptr;
  const int32_t* centre = nullptr;
};

// Which input row or column the i-th is: mirrored on the first, and after the last. Needs: -1 <= i <= size +
// 1, size >= 3.
constexpr int mirrored(int i, int size) {
  if (i < 0) return -i;
  return i < size ? i : 2 * size - 1 - i;
}

// Whether (oh, ov) and (th, tv) point less than a degree apart, or one is zero: the reference's arithmetic,
// with the sums rounded to floats and their product to double.
bool is_aligned(PerBand<int32_t> reference, PerBand<int32_t> distorted);

namespace scalar {
// Row `row` of the finest scale's bands, of 16 bits, from a picture of ScalePlan::input_width x input_height
// samples of wavelet.vertical bits. Scratch: `rows`, of as many columns.
void fine_wavelet(const Samples& picture, int row, const ScalePlan& plan,
                  const FilteredRows<int16_t>& scratch, const BandRow& out);

// A row of a coarser scale's bands from four rows of band a of the next finer one, mirrored if need be.
void coarse_wavelet(const std::array<const int32_t*, 4>& in, const ScalePlan& plan,
                    const FilteredRows<int32_t>& scratch, const BandRow& out);

// Separates the distorted row's detail. Where a vector (h, v) points less than a degree away from the
// reference's, restored detail may be stronger than the reference's, up to ScalePlan::gain_limit. Range:
// |coefficient| <= 22930 at the finest scale, below 1.5e9 at the others.
void decouple(const DetailRow& reference, const DetailRow& distorted, const ScalePlan& plan,
              const PartRow& restored, const PartRow& added);
inline constexpr auto &fine_decouple = decouple, &coarse_decouple = decouple;  // one contract, two ranges

// Weighs a part's detail by ScalePlan::factors. At the finest scale `side` and `centre` are computed from
// numbers that wrap at 16 bits. If the first or last column is one of the band's, `side` is extended by a
// column: with the second, and with the last.
void fine_weigh(const ScalePlan& plan, const PartRow& part);
void coarse_weigh(const ScalePlan& plan, const PartRow& part);

// The cubes of a reference's row over ScalePlan::columns, see ReferenceShifts.
PerBand<uint64_t> reference_cubes(const DetailRow& reference, const ScalePlan& plan);

// The cubes of what exceeds a row's threshold, see MaskedShifts: the sum of `side` of the eight neighbours
// and of its own `centre`. Squares wrap at 32 bits once they are shifted, sums at 64.
PerBand<int64_t> masked_cubes(const DetailRow& signal, const MaskerRows& masker, const ScalePlan& plan);
}  // namespace scalar
VQ_STAGES(fine_wavelet, coarse_wavelet, fine_decouple, coarse_decouple, fine_weigh, coarse_weigh,
          reference_cubes, masked_cubes);

}  // namespace vq::adm

// The wavelet of all scales: two filters of four taps. Output row or column k is centred on the second tap,
// at input 2k.

namespace vq::adm {

using Taps = std::array<int32_t, 4>;
// Daubechies' four-tap wavelet, 15 fractional bits. The taps of the high filter sum to 0.
inline constexpr Taps kLowTaps = {15826, 27411, 7345, -4240}, kHighTaps = {-4240, -7345, 27411, -15826};

constexpr int64_t half_unit(int shift) { return shift > 0 ? int64_t{1} << (shift - 1) : 0; }

// Continues a row by the columns that its ends need, -1 to width + 1.
template <typename T>
void extend_row(T* row, int width) {
  for (const int x : {-1, width, width + 1}) row[x] = row[mirrored(x, width)];
}

namespace scalar {

// Columns of a band from a row that extend_row() has continued.
template <typename T>
void filter_horizontally(const T* row, const Taps& taps, int shift, Span columns, int32_t* out) {
  for (int k = columns.first; k < columns.end; ++k) {
    int64_t sum = half_unit(shift);
    for (int i = 0; i < 4; ++i) sum += int64_t{taps[static_cast<size_t>(i)]} * row[2 * k - 1 + i];
    out[k] = static_cast<T>(sum >> shift);
  }
}

// All bands of a row, from rows that are filtered vertically.
template <typename T>
void filter_rows_horizontally(const FilteredRows<T>& rows, const ScalePlan& plan, const BandRow& out) {
  extend_row(rows.low, plan.input_width);
  const int shift = plan.wavelet.horizontal;
  if (out.a != nullptr) filter_horizontally(rows.low, kLowTaps, shift, {0, plan.width}, out.a);
  if (out.columns.size() == 0) return;
  extend_row(rows.high, plan.input_width);
  filter_horizontally(rows.high, kLowTaps, shift, out.columns, out.detail[0]);
  filter_horizontally(rows.low, kHighTaps, shift, out.columns, out.detail[1]);
  filter_horizontally(rows.high, kHighTaps, shift, out.columns, out.detail[2]);
}

}  // namespace scalar

const FeatureInfo& feature_info();

// The device does all that is done for samples and rows, the host adds up a few hundred sums and makes scores
// of them.
extern const DeviceSupport kDeviceSupport;

// The order of ADM's stages over a frame. Rows of all scales are made as soon as there are enough of the next
// finer one, so that no scale is ever in memory as a whole.

// The rows of one scale that are in use. Throws std::bad_alloc.
class ScaleRows {
 public:
  explicit ScaleRows(const ScalePlan& plan);

  enum Video { kReference, kDistorted };
  enum Part { kRestored, kAdded };

  // Row `i` of band a of the next finer scale; the last four are kept. Not of the finest.
  int32_t* input(Video video, int i) { return inputs_.row(video * kInputs + i % kInputs); }
  // The last row of detail.
  PerBand<int32_t*> detail(Video video);
  // Row `i` of a part; the last three are kept.
  PartRow part(Part part, int i);
  // For one use at a time.
  FilteredRows<int16_t> filtered_fine() { return {filtered_fine_.row(0), filtered_fine_.row(1)}; }
  FilteredRows<int32_t> filtered_coarse() { return {filtered_coarse_.row(0), filtered_coarse_.row(1)}; }

 private:
  static constexpr int kInputs = 4, kParts = 3, kPartRows = static_cast<int>(kBands) + 2;

  Plane<int32_t> inputs_, details_, parts_;
  Plane<int16_t> filtered_fine_;
  Plane<int32_t> filtered_coarse_;
};

// Scratch memory for one frame at a time.
struct Workspace {
  explicit Workspace(const AdmPlan& plan);

  std::vector<ScaleRows> scales;
};

// Sums over a frame. Needs: pictures and a workspace that fit the plan.
FrameSums sum_frame(const Samples& reference, const Samples& distorted, const AdmPlan& plan,
                    const Stages& stages, Workspace& workspace);

}  // namespace vq::adm

namespace vq::adm::gpu {

// The layout of buffers is in shaders/adm/shared.h.

// Whether the scale is summed.
bool is_summed(const AdmPlan& plan, int scale);

// Bytes of a scale's buffers. Detail and sums that are not needed still have one word.
int64_t band_bytes(const ScalePlan& plan);
int64_t detail_bytes(const ScalePlan& plan, bool is_summed);
int64_t sum_bytes(const ScalePlan& plan, bool is_summed);
// One word for each work group of the finest scale's wavelet.
int64_t flag_bytes(const AdmPlan& plan);

// The word of a coefficient in a scale's detail. At the finest scale both videos share it, the distorted one
// in its upper half, and `is_distorted` has no effect. Needs: masking row and column.
struct DetailPlace {
  bool is_distorted = false;
  size_t band = 0;
  int row = 0, column = 0;
};
int64_t detail_word(const ScalePlan& plan, const DetailPlace& place);

// fine_decouple and fine_weigh, or coarse_decouple and coarse_weigh, then reference_cubes and masked_cubes:
// the sums of a scale's rows, each in as many parts as there are strips of columns.
class CubesPass {
 public:
  CubesPass(vulkan::Context& context, const AdmPlan& plan, int scale);
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& detail, const vulkan::Buffer& sums) const;

 private:
  const ScalePlan& plan_;
  const vulkan::Pipeline& pipeline_;
};

// From sums of rows to sums of dozens of them, which the host adds up.
class AddRowsPass {
 public:
  AddRowsPass(vulkan::Context& context, const AdmPlan& plan);
  int64_t result_bytes() const;
  void record(vulkan::Recorder& recorder, const std::array<vulkan::Buffer, kScales>& sums,
              const vulkan::Buffer& flags, const vulkan::Buffer& results) const;

  // From result_bytes() that the pass has written.
  FrameSums sums(const std::byte* results) const;
  // Whether a sample of either video is beyond its depth.
  bool has_samples_beyond(const std::byte* results) const;

 private:
  const AdmPlan& plan_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace vq::adm::gpu
