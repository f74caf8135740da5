// What comparing two videos by ADM needs, and what becomes of the sums over a frame.
#pragma once

#include <array>
#include <cstdint>

#include "feature/adm/csf.h"
#include "feature/compared_videos.h"
#include "feature/feature.h"

namespace vq::adm {

// The shortest side for which the reference has figures.
inline constexpr int kLeastSide = 33;

// Rows or columns from `first` to before `end`.
struct Span {
  int first = 0, end = 0;
  int size() const { return end - first; }
  bool contains(int i) const { return first <= i && i < end; }
};

// Shifts right, each with half of what it cuts off added before.
struct WaveletShifts {
  int vertical = 0, horizontal = 0;
};

// Sums of |o|^3 as ((o^2 + square_bias) >> square) * |o| rounded and shifted by `cube`; sums of a row rounded and shifted by
// `row`; the sum of these is `scale` bits after the point.
struct ReferenceShifts {
  uint64_t square_bias = 0;
  int square = 0, cube = 0, row = 0, scale = 0;
};

// Sums of x^3, with x = |signal| - (threshold << threshold_shift) where that is positive, as (x^2 rounded and shifted by
// `square`) * x rounded and shifted by `cube`; rows and scale as above.
struct MaskedShifts {
  int threshold = 0, square = 0, cube = 0, row = 0, scale = 0;
};

// One scale. Coefficients of the finest are of 16 bits, those of the others of 32, and their arithmetic differs by more than
// the shifts.
struct ScalePlan {
  bool is_finest = false;
  int width = 0, height = 0;              // of its bands
  int input_width = 0, input_height = 0;  // of what they are made from
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

// Throws Error: kUsage without a reference and for a viewing distance that is not defined, kMismatch for videos of different
// sizes or with sides below kLeastSide.
AdmPlan make_plan(const AdmOptions& options, const InputFormats& formats);

// The same for one scale of a picture of that size.
ScalePlan make_scale_plan(const AdmOptions& options, int scale, PlaneSize picture);

}  // namespace vq::adm
