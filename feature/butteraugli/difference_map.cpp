#include "feature/butteraugli/difference_map.h"

#include <algorithm>
#include <utility>

namespace vq::butteraugli {
ScaledBands::ScaledBands(const std::vector<ScalePlan>& scales, const Stages& stages, float intensity,
                         int behind)
    : scales_(scales), stages_(stages), whole_(scales.front(), stages, intensity, behind) {
  if (scales.size() < 2) return;
  half_.emplace(scales[1], stages, intensity, behind / 2);
  for (size_t i = 0; i < 6; ++i) two_rows_.emplace_back(scales[0].size.width, 1);
}

int64_t ScaledBands::bytes(PlaneSize size, int behind) {
  return PictureBands::bytes(size.width, behind) +
         PictureBands::bytes(butteraugli::halved(size.width), behind / 2) + RowRing::bytes(size.width, 6);
}

void ScaledBands::start(const PictureSources& sources) {
  whole_.start(sources.whole);
  if (half_) half_->start(halved(sources.half));
}

void ScaledBands::read_row(const LightSource& source, int y, std::span<RowRing> rows) const {
  source(y, {rows[0].row(0), rows[1].row(0), rows[2].row(0)});
  const int width = scales_[0].size.width;
  for (RowRing& each : rows) each.row(0)[width] = each.row(0)[width - 1];
}

LightSource ScaledBands::halved(const LightSource& source) {
  const std::span<RowRing> upper = std::span(two_rows_).first(3), lower = std::span(two_rows_).last(3);
  return [this, source, upper, lower](int y, const Rows3<float>& out) {
    const bool has_lower = 2 * y + 1 < scales_[0].size.height;
    read_row(source, 2 * y, upper);
    if (has_lower) read_row(source, 2 * y + 1, lower);
    for (size_t i = 0; i < out.size(); ++i) {
      stages_.halve(upper[i].row(0), (has_lower ? lower : upper)[i].row(0), scales_[1].size.width, out[i]);
    }
  };
}

ScaleMap::ScaleMap(const ScalePlan& plan, const MapSetting& setting, PictureBands& reference,
                   PictureBands& distorted)
    : plan_(plan),
      weights_(setting.weights),
      stages_(setting.stages),
      reference_(reference),
      distorted_(distorted),
      zeros_(plan.size.width, 1),
      mask_(plan.size.width, 1),
      map_(plan.size.width, static_cast<int>(kTile)),
      lines_{RowRing(plan.size.width, 1), RowRing(plan.size.width, 1)} {
  for (size_t i = 0; i < 2 * kLineBands; ++i) line_differences_.emplace_back(plan.size.width, kLineRows);
}

int64_t ScaleMap::bytes(int width) {
  return RowRing::bytes(width, 2 * kLineBands * kLineRows + 4 + static_cast<int>(kTile));
}

void ScaleMap::start() {
  line_differences_.front().restart();
  map_.restart();
}

float* ScaleMap::row(int y) {
  map_.make_until(y, [&](int row) {
    make_row(row);
    return 1;
  });
  return map_.row(y);
}

void ScaleMap::make_line_differences(int y) {
  line_differences_.front().make_until(std::min(y, plan_.size.height - 1), [&](int row) {
    reference_.make_bands(row);
    distorted_.make_bands(row);
    const BandRows<const float> a = reference_.bands(row), b = distorted_.bands(row);
    for (size_t i = 0; i < 2; ++i) {
      const std::array<RowPair, kLineBands> bands = {
          {{a.finest[i], b.finest[i]}, {a.high[i], b.high[i]}, {a.middle[i], b.middle[i]}}};
      for (size_t band = 0; band < kLineBands; ++band) {
        RowRing& out = line_differences_[2 * band + i];
        stages_.line_differences(bands[band], weights_.lines[band][i], plan_.size.width, out.row(row));
        out.end_row(row);
      }
    }
    return 1;
  });
}

void ScaleMap::add_lines(int y) {
  for (size_t i = 0; i < 2; ++i) {
    float* const sum = lines_[i].row(0);
    std::fill_n(sum, plan_.size.width, 0.0F);
    for (size_t band = 0; band < kLineBands; ++band) {
      std::array<const float*, kLineRows> rows{};
      for (int k = 0; k < kLineRows; ++k) {
        const int at = y + k - kLineReach;
        rows[static_cast<size_t>(k)] =
            0 <= at && at < plan_.size.height ? line_differences_[2 * band + i].row(at) : zeros_.row(0);
      }
      stages_.add_lines(rows.data(), weights_.lines[band][i].is_long, plan_.size.width, sum);
    }
  }
}

void ScaleMap::make_row(int y) {
  reference_.make_activity(y + kErosionReach);
  distorted_.make_activity(y + kErosionReach);
  make_line_differences(y + kLineReach);
  add_lines(y);
  stages_.erode({reference_.activity(y - kErosionReach), reference_.activity(y),
                 reference_.activity(y + kErosionReach)},
                plan_.size.width, mask_.row(0));
  stages_.map_row({.reference = reference_.bands(y),
                   .distorted = distorted_.bands(y),
                   .reference_activity = reference_.activity(y),
                   .distorted_activity = distorted_.activity(y),
                   .mask = mask_.row(0),
                   .lines = {lines_[0].row(0), lines_[1].row(0)}},
                  weights_.squares, plan_.size.width, map_.row(y));
}

DifferenceMap::DifferenceMap(const MapSetting& setting, ScaledBands& reference)
    : setting_(setting),
      distorted_(setting.scales, setting.stages, setting.intensity),
      whole_(setting.scales.front(), setting, reference.whole(), distorted_.whole()) {
  if (setting.scales.size() > 1)
    half_.emplace(setting.scales[1], setting, reference.half(), distorted_.half());
}

int64_t DifferenceMap::bytes(PlaneSize size) {
  return ScaledBands::bytes(size) + ScaleMap::bytes(size.width) +
         ScaleMap::bytes(butteraugli::halved(size.width));
}

void DifferenceMap::start(const PictureSources& distorted) {
  distorted_.start(distorted);
  whole_.start();
  if (half_) half_->start();
}

const float* DifferenceMap::row(int y) {
  float* const map = whole_.row(y);
  if (half_) setting_.stages.add_half(half_->row(y / 2), setting_.scales[0].size.width, map);
  return map;
}

}  // namespace vq::butteraugli
