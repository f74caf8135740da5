#include "feature/light/rows.h"

#include <algorithm>

#include "feature/simd_targets.h"

namespace vq::light {
namespace {

constexpr int kNoRow = -1;

// Of the most columns of chroma that a picture of this width has, in all samplings.
int scratch_width(int width) {
  return width + 2 * kMargin;
}

}  // namespace

SampleRow row_of(const SampleView& plane, int y) {
  if (plane.is_u8()) return {plane.u8.row(y), nullptr, plane.u8.width};
  return {nullptr, plane.u16.row(y), plane.u16.width};
}

Stages stages_for(const Execution& execution) {
  return {host_stage(execution, scalar::spread_chroma, simd::spread_chroma_for),
          host_stage(execution, scalar::blend_rows, simd::blend_rows_for),
          host_stage(execution, scalar::to_light, simd::to_light_for)};
}

LightRows::LightRows(const Stages& stages, const Conversion& conversion)
    : stages_(stages),
      conversion_(conversion),
      blended_(conversion.size.width, 2),
      scratch_(scratch_width(conversion.size.width), 1) {
  for (Plane<float>& plane : spread_) plane = Plane<float>(conversion.size.width, Axis::kTaps);
}

int64_t LightRows::bytes(const VideoFormat& video) {
  const int64_t row =
      (int64_t{video.width} + 2 * kMargin) * int64_t{sizeof(float)} + 2 * int64_t{kRowGuardBytes};
  return (2 * Axis::kTaps + 3) * row;
}

void LightRows::start(const Frame& frame) {
  frame_ = &frame;
  for (auto& rows : spread_rows_) rows.fill(kNoRow);
}

// Row `row` of a chroma plane at all columns; those beyond an edge are that of the edge.
const float* LightRows::chroma_row(size_t plane, int row) {
  const SampleView& view = frame_->planes[plane + 1];
  row = std::clamp(row, 0, view.height() - 1);
  const int slot = row % Axis::kTaps;
  float* const out = spread_[plane].row(slot);
  int& has = spread_rows_[plane][static_cast<size_t>(slot)];
  if (has != row) {
    float* const scratch = scratch_.row(0) + kMargin;
    stages_.spread_chroma(row_of(view, row), {conversion_.chroma, &conversion_.columns, scratch},
                          conversion_.size.width, out);
    has = row;
  }
  return out;
}

const float* LightRows::chroma_at(size_t plane, int y) {
  const Axis& axis = conversion_.rows;
  const int phase = y & (axis.phases() - 1);
  const auto p = static_cast<size_t>(phase);
  const int first = (y >> axis.shift) + axis.first[p];
  if (axis.is_plain(phase)) return chroma_row(plane, first + 1);
  const float* rows[Axis::kTaps];
  for (int i = 0; i < Axis::kTaps; ++i) rows[i] = chroma_row(plane, first + i);
  float* const out = blended_.row(static_cast<int>(plane));
  stages_.blend_rows(rows, axis.taps[p], conversion_.size.width, out);
  return out;
}

void LightRows::row(int y, RgbRow<float> out) {
  const SampleRow luma = row_of(frame_->luma(), y);
  if (conversion_.has_chroma) {
    const float* const cb = chroma_at(0, y);
    stages_.to_light(luma, cb, chroma_at(1, y), conversion_, out);
  } else {
    // Never written: zeros.
    stages_.to_light(luma, blended_.row(0), blended_.row(1), conversion_, out);
  }
}

void fill_light(LightRows& rows, const Frame& frame, const std::array<PlaneView<float>, 3>& rgb) {
  rows.start(frame);
  for (int y = 0; y < rgb[0].height; ++y) rows.row(y, {rgb[0].row(y), rgb[1].row(y), rgb[2].row(y)});
}

}  // namespace vq::light
