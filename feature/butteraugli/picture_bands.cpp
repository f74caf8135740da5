#include "feature/butteraugli/picture_bands.h"

#include <limits>
#include <utility>

namespace vq::butteraugli {
namespace {

// Rows that are kept of each stage: a filter reads as many as it has taps, and bands wait for the mask, which
// is that many rows behind.
constexpr int kAroundRows = 5, kLowRows = 33, kMiddleRows = 15, kHighRows = 7, kActivityRows = 13;
constexpr int kPictureRows = 17, kLightRows = 5, kWaitingRows = 20, kErodedRows = 7;
constexpr int kAllRows = 3 * (kLightRows + kAroundRows + kPictureRows + kLowRows + 2 * kWaitingRows + kMiddleRows) +
                         2 * (2 * kWaitingRows + kHighRows) + 1 + kActivityRows + kErodedRows + 5;

}  // namespace

PictureBands::PictureBands(const ScalePlan& plan, const Stages& stages, float intensity)
    : plan_(plan),
      stages_(stages),
      intensity_(intensity),
      light_(plan.size.width, kLightRows, 3),
      light_across_(plan.size.width, kAroundRows, 3),
      picture_(plan.size.width, kPictureRows, 3),
      low_across_(plan.size.width, kLowRows, 3),
      low_(plan.size.width, kWaitingRows, 3),
      middle_(plan.size.width, kWaitingRows, 3),
      middle_across_(plan.size.width, kMiddleRows, 3),
      high_(plan.size.width, kWaitingRows, 2),
      high_across_(plan.size.width, kHighRows, 2),
      finest_(plan.size.width, kWaitingRows, 2),
      raw_activity_(plan.size.width, 1, 1),
      activity_across_(plan.size.width, kActivityRows, 1),
      activity_(plan.size.width, kErodedRows, 1),
      soft_(plan.size.width, 1, 3),
      zeros_(plan.size.width, 1, 1),
      infinite_(plan.size.width, 1, 1) {
  activity_.rings[0].fill(std::numeric_limits<float>::infinity());
  infinite_.rings[0].fill(std::numeric_limits<float>::infinity());
}

int64_t PictureBands::bytes(int width) {
  return RowRing::bytes(width, kAllRows);
}

void PictureBands::start(LightSource source) {
  source_ = std::move(source);
  for (Channels* const each : {&light_, &light_across_, &picture_, &low_across_, &low_, &middle_, &middle_across_,
                               &high_, &high_across_, &finest_, &raw_activity_, &activity_across_, &activity_}) {
    each->rings.front().restart();
  }
}

void PictureBands::filter_across(FilterName name, const Channels& in, Channels& out, int y) {
  const Filter& filter = plan_.filters[name];
  for (size_t i = 0; i < out.rings.size(); ++i) {
    stages_.filter_row(in.rings[i].row(y), plan_.size.width, filter.kernel, filter.column_factors.data(),
                       out.rings[i].row(y));
  }
}

void PictureBands::filter_down(FilterName name, const Channels& in, int y) {
  const Filter& filter = plan_.filters[name];
  const int reach = filter.kernel.reach, height = plan_.size.height;
  for (size_t i = 0; i < in.rings.size(); ++i) {
    std::array<const float*, 2 * kMostReach + 1> rows{};
    for (int k = -reach; k <= reach; ++k) {
      int at = y + k;
      if (name == kAroundFilter) at = at < 0 ? -1 - at : at < height ? at : 2 * height - 1 - at;
      rows[static_cast<size_t>(k + reach)] =
          0 <= at && at < height ? in.rings[i].row(at) : zeros_.rings[0].row(0);
    }
    stages_.filter_columns(rows.data(), plan_.size.width, filter.kernel,
                           filter.row_factors[static_cast<size_t>(y)], soft_.rings[i].row(0));
  }
}

void PictureBands::make_light_across(int y) {
  light_across_.make_until(last_of(y), [&](int row) {
    source_(row, light_.rows3(row));
    for (RowRing& ring : light_.rings) ring.mirror_row(row, plan_.filters[kAroundFilter].kernel.reach);
    filter_across(kAroundFilter, light_, light_across_, row);
  });
}

void PictureBands::make_picture(int y) {
  picture_.make_until(last_of(y), [&](int row) {
    make_light_across(row + plan_.filters[kAroundFilter].kernel.reach);
    filter_down(kAroundFilter, light_across_, row);
    stages_.opsin(std::as_const(light_).rows3(row), std::as_const(soft_).rows3(0), intensity_, plan_.size.width,
                  picture_.rows3(row));
    picture_.end_row(row);
  });
}

void PictureBands::make_low(int y) {
  low_.make_until(last_of(y), [&](int row) {
    low_across_.make_until(last_of(row + plan_.filters[kLowFilter].kernel.reach), [&](int across) {
      make_picture(across);
      filter_across(kLowFilter, picture_, low_across_, across);
    });
    filter_down(kLowFilter, low_across_, row);
    for (size_t i = 0; i < low_.rings.size(); ++i) {
      const float* const soft = soft_.rings[i].row(0);
      std::copy_n(soft, plan_.size.width, low_.rings[i].row(row));
    }
    stages_.split_low(std::as_const(picture_).rows3(row), plan_.size.width, low_.rows3(row), middle_.rows3(row));
    middle_.end_row(row);
  });
}

void PictureBands::make_middle(int y) {
  middle_.make_until(last_of(y), [&](int row) {
    middle_across_.make_until(last_of(row + plan_.filters[kMiddleFilter].kernel.reach), [&](int across) {
      make_low(across);
      filter_across(kMiddleFilter, middle_, middle_across_, across);
    });
    filter_down(kMiddleFilter, middle_across_, row);
    stages_.split_middle(std::as_const(soft_).rows3(0), plan_.size.width, middle_.rows3(row), high_.rows2(row));
    high_.end_row(row);
  });
}

void PictureBands::make_bands(int y) {
  high_.make_until(last_of(y), [&](int row) {
    high_across_.make_until(last_of(row + plan_.filters[kHighFilter].kernel.reach), [&](int across) {
      make_middle(across);
      filter_across(kHighFilter, high_, high_across_, across);
    });
    filter_down(kHighFilter, high_across_, row);
    stages_.split_high(std::as_const(soft_).rows2(0), plan_.size.width, high_.rows2(row), finest_.rows2(row));
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
    });
    filter_down(kActivityFilter, activity_across_, row);
    std::copy_n(soft_.rings[0].row(0), plan_.size.width, activity_.rings[0].row(row));
  });
}

BandRows<const float> PictureBands::bands(int y) const {
  return {.low = low_.rows3(y), .middle = middle_.rows3(y), .high = high_.rows2(y), .finest = finest_.rows2(y)};
}

const float* PictureBands::activity(int y) const {
  return 0 <= y && y < plan_.size.height ? activity_.rings[0].row(y) : infinite_.rings[0].row(0);
}

}  // namespace vq::butteraugli
