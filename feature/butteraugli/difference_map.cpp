#include "feature/butteraugli/butteraugli.h"

namespace vq::butteraugli {
namespace {

// Halves of Gaussians of sigma 1.2, 1.56416327805, 2.7, 3.22489901262 and 7.15593339443, cut off at 2.25
// sigma: exp(-i^2 / (2 sigma^2)). Written out, as exponentials differ between machines.
struct Gaussian {
  int reach;
  std::array<float, kMostReach + 1> half;
};
constexpr std::array<Gaussian, kFilters> kGaussians = {{
    {kAroundReach, {1.0F, 0.7066483F, 0.2493522F}},
    {kHighReach, {1.0F, 0.81516504F, 0.44155234F, 0.15893148F}},
    {kActivityReach, {1.0F, 0.9337121F, 0.7600672F, 0.5394075F, 0.3337398F, 0.18002175F, 0.08465799F}},
    {kMiddleReach,
     {1.0F, 0.9530603F, 0.82505256F, 0.64875937F, 0.46336848F, 0.30061463F, 0.17714731F, 0.09481997F}},
    {kLowReach,
     {1.0F, 0.9902833F, 0.961696F, 0.91587263F, 0.8553646F, 0.78340507F, 0.70362353F, 0.6197453F, 0.5353097F,
      0.4534358F, 0.37665647F, 0.30682728F, 0.24511023F, 0.1920206F, 0.14752074F, 0.111141756F, 0.08211459F}},
}};

// The light is mirrored at the borders.
bool is_mirrored(FilterName name) { return name == kAroundFilter; }

std::vector<float> factors_of(const Kernel& kernel, int length, bool mirrored, int padding) {
  std::vector<float> factors(static_cast<size_t>(length + padding), 1.0F);
  if (mirrored) return factors;
  for (int i = 0; i < length; ++i) {
    if (i >= kernel.reach && i + kernel.reach < length) continue;
    float sum = 0;
    for (int k = kernel.reach; k >= 0; --k) {
      const float tap = kernel.taps[static_cast<size_t>(k)];
      if (i - k >= 0) sum = sum + tap;
      if (k > 0 && i + k < length) sum = sum + tap;
    }
    factors[static_cast<size_t>(i)] = 1.0F / sum;
  }
  return factors;
}

struct BandWeights {
  double up, down, norm;
  bool is_long;
};

LineWeights line_weights(const BandWeights& band) {
  constexpr double kLongFactor = 0.39905817637, kShortFactor = 0.611612573796, kLength = 8.5;
  constexpr double kOfDifference = 0.5, kOfExcess = 0.33F;
  const double factor = (band.is_long ? kLongFactor : kShortFactor) / kLength * band.norm;
  return {.norm = static_cast<float>(band.norm),
          .up = static_cast<float>(factor * std::sqrt(kOfDifference * band.up)),
          .down = static_cast<float>(factor * std::sqrt(kOfExcess * band.down)),
          .is_long = band.is_long};
}

}  // namespace

Kernel make_kernel(FilterName name) {
  const auto& [reach, half] = kGaussians[name];
  float sum = 0;
  for (int i = reach; i > 0; --i) sum = sum + 2 * half[static_cast<size_t>(i)];
  sum = sum + half[0];
  Kernel kernel{.reach = reach};
  for (size_t i = 0; i <= static_cast<size_t>(reach); ++i) kernel.taps[i] = half[i] * (1.0F / sum);
  return kernel;
}

ScalePlan make_scale_plan(PlaneSize size) {
  ScalePlan plan{.size = size};
  for (size_t i = 0; i < kFilters; ++i) {
    const auto name = static_cast<FilterName>(i);
    const Kernel kernel = make_kernel(name);
    plan.filters[i] = {.kernel = kernel,
                       .column_factors = factors_of(kernel, size.width, is_mirrored(name), kRowMargin),
                       .row_factors = factors_of(kernel, size.height, is_mirrored(name), 0)};
  }
  return plan;
}

std::vector<ScalePlan> make_scales(PlaneSize size) {
  const int shorter = std::min(size.width, size.height);
  std::vector<ScalePlan> scales;
  if (shorter >= kLeastSide) scales.push_back(make_scale_plan(size));
  if (shorter >= kLeastHalvedSide)
    scales.push_back(make_scale_plan({halved(size.width), halved(size.height)}));
  return scales;
}

Weights make_weights(double asymmetry) {
  const double a = asymmetry, r = std::sqrt(asymmetry);
  const auto both = [](const BandWeights& x, const BandWeights& y) {
    return std::array{line_weights(x), line_weights(y)};
  };
  Weights weights;
  weights.lines[kFinestLines] =
      both({173.5 * a, 173.5 / a, 5, true}, {1.10039032555 * a, 1.10039032555 / a, 71.7800275169, true});
  weights.lines[kHighLines] = both({6923.99476109 * r, 6923.99476109 / r, 8051.15833247, false},
                                   {18.7237414387 * r, 18.7237414387 / r, 4498534.45232, false});
  weights.lines[kMiddleLines] = both({8246.75321353, 8246.75321353, 1009002.70582, false},
                                     {37.0819870399, 37.0819870399, 130262059.556, false});
  constexpr double kHalf = 0.8;
  constexpr std::array<double, 2> kHighSquares = {400, 1.50815703118};
  for (size_t i = 0; i < kHighSquares.size(); ++i) {
    weights.squares.difference[i] = static_cast<float>(kHighSquares[i] * a * kHalf);
    weights.squares.excess[i] = static_cast<float>(kHighSquares[i] / a * kHalf);
  }
  return weights;
}

ScaledBands::ScaledBands(const std::vector<ScalePlan>& scales, const Stages& stages, float intensity,
                         int behind)
    : scales_(scales), stages_(stages), whole_(scales.front(), stages, intensity, behind) {
  if (scales.size() < 2) return;
  half_.emplace(scales[1], stages, intensity, behind / 2);
  for (size_t i = 0; i < 6; ++i) two_rows_.emplace_back(scales[0].size.width, 1);
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

// Rows that are kept of each stage: a filter reads as many as it has taps, and bands wait for the mask, which
// is that many rows behind.
constexpr int kMore = kMostFiltered - 1;
constexpr int kAroundRows = 5, kLowRows = 33 + kMore, kMiddleRows = 15 + kMore, kHighRows = 7,
              kActivityRows = 13;
constexpr int kPictureRows = 17 + kMore, kLightRows = 3, kWaitingRows = 20 + 2 * kMore,
              kWaitingHighRows = 13 + kMore, kWaitingFinestRows = 10, kErodedRows = 7;

PictureBands::PictureBands(const ScalePlan& plan, const Stages& stages, float intensity, int behind)
    : plan_(plan),
      stages_(stages),
      intensity_(intensity),
      light_(plan.size.width, kLightRows, 3),
      light_across_(plan.size.width, kAroundRows, 3),
      picture_(plan.size.width, kPictureRows, 3),
      low_across_(plan.size.width, kLowRows, 3),
      low_(plan.size.width, kWaitingRows + behind, 3),
      middle_(plan.size.width, kWaitingRows + behind, 3),
      middle_across_(plan.size.width, kMiddleRows, 3),
      high_(plan.size.width, kWaitingHighRows + behind, 2),
      high_across_(plan.size.width, kHighRows, 2),
      finest_(plan.size.width, kWaitingFinestRows + behind, 2),
      raw_activity_(plan.size.width, 1, 1),
      activity_across_(plan.size.width, kActivityRows, 1),
      activity_(plan.size.width, kErodedRows + behind, 1),
      soft_(plan.size.width, kMostFiltered, 3),
      zeros_(plan.size.width, 1, 1),
      infinite_(plan.size.width, 1, 1) {
  activity_.rings[0].fill(std::numeric_limits<float>::infinity());
  infinite_.rings[0].fill(std::numeric_limits<float>::infinity());
}

void PictureBands::start(LightSource source) {
  source_ = std::move(source);
  for (Channels* const each :
       {&light_, &light_across_, &picture_, &low_across_, &low_, &middle_, &middle_across_, &high_,
        &high_across_, &finest_, &raw_activity_, &activity_across_, &activity_}) {
    each->rings.front().restart();
  }
}

void PictureBands::filter_across(FilterName name, const Channels& in, Channels& out, int y) {
  const Filter& filter = plan_.filters[name];
  for (size_t i = 0; i < out.rings.size(); ++i) {
    stages_.filter_row(in.rings[i].row(y), {filter.kernel, filter.column_factors.data(), plan_.size.width},
                       out.rings[i].row(y));
  }
}

void PictureBands::filter_down(FilterName name, const Channels& in, int y, int count, Channels& out) {
  const Filter& filter = plan_.filters[name];
  const int reach = filter.kernel.reach, height = plan_.size.height;
  for (size_t i = 0; i < in.rings.size(); ++i) {
    std::array<const float*, 2 * kMostReach + kMostFiltered> rows{};
    for (int k = 0; k < 2 * reach + count; ++k) {
      int at = y + k - reach;
      if (name == kAroundFilter) at = at < 0 ? -1 - at : at < height ? at : 2 * height - 1 - at;
      rows[static_cast<size_t>(k)] = 0 <= at && at < height ? in.rings[i].row(at) : zeros_.rings[0].row(0);
    }
    FilteredRows filtered{.count = count};
    for (int k = 0; k < count; ++k) {
      filtered.factors[static_cast<size_t>(k)] = filter.row_factors[static_cast<size_t>(y + k)];
      filtered.rows[static_cast<size_t>(k)] = out.rings[i].row(y + k);
    }
    stages_.filter_columns(rows.data(), plan_.size.width, filter.kernel, filtered);
  }
}

void PictureBands::make_light_across(int y) {
  light_across_.make_until(last_of(y), [&](int row) {
    source_(row, light_.rows3(row));
    for (RowRing& ring : light_.rings) ring.mirror_row(row, plan_.filters[kAroundFilter].kernel.reach);
    filter_across(kAroundFilter, light_, light_across_, row);
    return 1;
  });
}

void PictureBands::make_picture(int y) {
  picture_.make_until(last_of(y), [&](int row) {
    make_light_across(row + plan_.filters[kAroundFilter].kernel.reach);
    filter_down(kAroundFilter, light_across_, row, 1, soft_);
    stages_.opsin({std::as_const(light_).rows3(row), std::as_const(soft_).rows3(row), intensity_},
                  plan_.size.width, picture_.rows3(row));
    picture_.end_row(row);
    return 1;
  });
}

void PictureBands::make_low(int y) {
  low_.make_until(last_of(y), [&](int first) {
    const int count = std::min(kMostFiltered, plan_.size.height - first);
    low_across_.make_until(last_of(first + count - 1 + plan_.filters[kLowFilter].kernel.reach),
                           [&](int across) {
                             make_picture(across);
                             filter_across(kLowFilter, picture_, low_across_, across);
                             return 1;
                           });
    filter_down(kLowFilter, low_across_, first, count, low_);
    for (int row = first; row < first + count; ++row) {
      stages_.split_low(std::as_const(picture_).rows3(row), plan_.size.width, low_.rows3(row),
                        middle_.rows3(row));
      middle_.end_row(row);
    }
    return count;
  });
}

void PictureBands::make_middle(int y) {
  high_.make_until(last_of(y), [&](int first) {
    const int count = std::min(kMostFiltered, plan_.size.height - first);
    middle_across_.make_until(last_of(first + count - 1 + plan_.filters[kMiddleFilter].kernel.reach),
                              [&](int across) {
                                make_low(across);
                                filter_across(kMiddleFilter, middle_, middle_across_, across);
                                return 1;
                              });
    filter_down(kMiddleFilter, middle_across_, first, count, soft_);
    for (int row = first; row < first + count; ++row) {
      stages_.split_middle(std::as_const(soft_).rows3(row), plan_.size.width, middle_.rows3(row),
                           high_.rows2(row));
      high_.end_row(row);
    }
    return count;
  });
}

void PictureBands::make_bands(int y) {
  finest_.make_until(last_of(y), [&](int row) {
    high_across_.make_until(last_of(row + plan_.filters[kHighFilter].kernel.reach), [&](int across) {
      make_middle(across);
      filter_across(kHighFilter, high_, high_across_, across);
      return 1;
    });
    filter_down(kHighFilter, high_across_, row, 1, soft_);
    stages_.split_high(std::as_const(soft_).rows2(row), plan_.size.width, high_.rows2(row),
                       finest_.rows2(row));
    return 1;
  });
}

void PictureBands::make_activity(int y) {
  activity_.make_until(last_of(y), [&](int row) {
    activity_across_.make_until(last_of(row + plan_.filters[kActivityFilter].kernel.reach), [&](int across) {
      make_bands(across);
      stages_.activity(std::as_const(high_).rows2(across), std::as_const(finest_).rows2(across),
                       plan_.size.width, raw_activity_.rings[0].row(across));
      raw_activity_.end_row(across);
      filter_across(kActivityFilter, raw_activity_, activity_across_, across);
      return 1;
    });
    filter_down(kActivityFilter, activity_across_, row, 1, activity_);
    activity_.rings[0].end_row(row, std::numeric_limits<float>::infinity());
    return 1;
  });
}

BandRows<const float> PictureBands::bands(int y) const {
  return {
      .low = low_.rows3(y), .middle = middle_.rows3(y), .high = high_.rows2(y), .finest = finest_.rows2(y)};
}

const float* PictureBands::activity(int y) const {
  return 0 <= y && y < plan_.size.height ? activity_.rings[0].row(y) : infinite_.rings[0].row(0);
}

}  // namespace vq::butteraugli
