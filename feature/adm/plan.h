// ADM as libvmaf's feature of that name: its options, the names of what it reports, what comparing two videos
// needs, and what becomes of the sums over a frame.
//
// Rounding: figures equal libvmaf's plain C code to the last digit. Sums are exact integers; from there on
// the order of operations and whether each is of floats or doubles are the reference's.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.h"
#include "feature/compared_videos.h"
#include "feature/feature.h"

namespace vq::adm {

// Models of how sensitive eyes are to contrast. The last two are tables for a few viewing distances.
enum class CsfMode { kWatson, kBarten, kBlend, kOtherBlend };

// Ranges and defaults are those of option_specs().
struct AdmOptions {
  double gain_limit = 100;    // 1: enhanced detail counts no more than preserved detail
  double view_distance = 3;   // in picture heights
  int display_height = 1080;  // in lines
  CsfMode csf_mode = CsfMode::kWatson;
  double csf_scale = 1, csf_diagonal_scale = 1;  // kBarten alone
  double noise_weight = 0.03125;
  double dlm_weight = 0.5;
  double min_val = 0;
  bool skip_scale0 = false;
  bool skip_aim = false;
  bool debug = false;
};

std::span<const OptionSpec> option_specs();
AdmOptions to_options(const OptionSet& set);

// What is reported of a frame, in order, with the options that such names carry.
std::vector<std::string> metric_names(const OptionSet& set);

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
  ComparedVideos videos;
  std::array<ScalePlan, kScales> scales;
};

// Throws Error: kUsage without a reference and for a viewing distance that is not defined, kMismatch for
// videos of different sizes or with sides below kLeastSide.
AdmPlan make_plan(const AdmOptions& options, const VideoFormats& formats);

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

// For metric_names(). Sums of the finest scale are not used with skip_scale0.
std::vector<double> frame_scores(const AdmPlan& plan, const FrameSums& sums);

// The cube root in sensitivities and scores: x to the power of the float nearest to 1/3, bit-identical to
// powf() of glibc 2.28 and later and of musl, whatever C library this runs on. It is not always the float
// nearest to the true power. 0 gives 0; negative numbers and NaN give NaN.
float cube_root(float x);

}  // namespace vq::adm
