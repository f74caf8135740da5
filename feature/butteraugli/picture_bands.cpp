#include "feature/butteraugli/picture_bands.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace vq::butteraugli {
namespace {

// Rows that are kept of each stage: a filter reads as many as it has taps, and bands wait for the mask, which
// is that many rows behind.
constexpr int kMore = kMostFiltered - 1;
constexpr int kAroundRows = 5, kLowRows = 33 + kMore, kMiddleRows = 15 + kMore, kHighRows = 7,
              kActivityRows = 13;
constexpr int kPictureRows = 17 + kMore, kLightRows = 3, kWaitingRows = 20 + 2 * kMore,
              kWaitingHighRows = 13 + kMore, kWaitingFinestRows = 10, kErodedRows = 7;
constexpr int kAllRows = 3 * (kLightRows + kAroundRows + kPictureRows + kLowRows + 2 * kWaitingRows +
                              kMiddleRows + kMostFiltered) +
                         2 * (kWaitingHighRows + kWaitingFinestRows + kHighRows) + kActivityRows +
                         kErodedRows + 3;
constexpr int kReadRings = 3 + 3 + 2 + 2 + 1;  // of bands and activity

}  // namespace

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

int64_t PictureBands::bytes(int width, int behind) {
  return RowRing::bytes(width, kAllRows + kReadRings * behind);
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
