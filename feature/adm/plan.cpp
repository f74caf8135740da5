#include "feature/adm/plan.h"

#include <algorithm>
#include <bit>

namespace vq::adm {
namespace {

// The least e with 2^e >= n. Needs: n >= 1.
int ceil_log2(int64_t n) {
  return std::bit_width(static_cast<uint64_t>(n - 1));
}

// A tenth of the band is left out at each end, less half a sample, rounded down.
Span counted(int size) {
  const int border = std::max(0, (size - 5) / 10);
  return {border, size - border};
}

Span with_neighbours(Span span, int size) {
  return {std::max(span.first - 1, 0), std::min(span.end + 1, size)};
}

ReferenceShifts reference_shifts(const ScalePlan& plan, int scale) {
  if (scale == 0) {
    const int row = std::max(0, ceil_log2(plan.area()) - 20);
    return {.square_bias = 0, .square = 0, .cube = 0, .row = row, .scale = 18 - row};
  }
  // Adding all of what is cut off, not half of it, is the reference's rounding.
  constexpr int kSquare[kScales] = {0, 31, 30, 31}, kScale[kScales] = {0, 32, 27, 23};
  const int square = kSquare[scale];
  const int cube = ceil_log2(plan.columns.size()), row = ceil_log2(plan.rows.size());
  return {.square_bias = uint64_t{1} << square,
          .square = square,
          .cube = cube,
          .row = row,
          .scale = kScale[scale] - cube - row};
}

PerBand<MaskedShifts> masked_shifts(const ScalePlan& plan, int scale) {
  // Of the whole band, not of the part that counts.
  const int width = ceil_log2(plan.width), row = ceil_log2(plan.height);
  if (scale == 0) {
    const MaskedShifts straight = {
        .threshold = 10, .square = 29, .cube = width - 4, .row = row, .scale = 52 - (width - 4) - row};
    const MaskedShifts diagonal = {
        .threshold = 12, .square = 30, .cube = width - 3, .row = row, .scale = 57 - (width - 3) - row};
    return {straight, straight, diagonal};
  }
  constexpr int kScale[kScales] = {0, 45, 39, 36};
  const MaskedShifts all = {
      .threshold = 0, .square = 30, .cube = width, .row = row, .scale = kScale[scale] - width - row};
  return {all, all, all};
}

}  // namespace

ScalePlan make_scale_plan(const AdmOptions& options, int scale, PlaneSize picture) {
  constexpr WaveletShifts kWavelet[kScales] = {{0, 16}, {0, 15}, {16, 16}, {16, 15}};
  ScalePlan plan;
  plan.is_finest = scale == 0;
  plan.input_width = picture.width;
  plan.input_height = picture.height;
  for (int i = 0; i < scale; ++i) {
    plan.input_width = (plan.input_width + 1) / 2;
    plan.input_height = (plan.input_height + 1) / 2;
  }
  plan.width = (plan.input_width + 1) / 2;
  plan.height = (plan.input_height + 1) / 2;
  plan.rows = counted(plan.height);
  plan.columns = counted(plan.width);
  plan.masking_rows = with_neighbours(plan.rows, plan.height);
  plan.masking_columns = with_neighbours(plan.columns, plan.width);
  plan.wavelet = kWavelet[scale];
  plan.gain_limit = options.gain_limit;
  plan.sensitivity = sensitivities(options, scale);
  plan.factors = sensitivity_factors(options, scale);
  plan.reference = reference_shifts(plan, scale);
  plan.masked = masked_shifts(plan, scale);
  return plan;
}

AdmPlan make_plan(const AdmOptions& options, const InputFormats& formats) {
  AdmPlan plan;
  plan.options = options;
  plan.videos = compared_videos("adm", formats);
  require_sides("adm", formats, kLeastSide);
  check_viewing(options);
  for (int scale = 0; scale < kScales; ++scale) {
    ScalePlan& one = plan.scales[static_cast<size_t>(scale)];
    one = make_scale_plan(options, scale, plan.videos.size);
    // Its samples are of as many bits as the deeper video's.
    if (scale == 0) one.wavelet.vertical = plan.videos.bit_depth;
  }
  return plan;
}

}  // namespace vq::adm
