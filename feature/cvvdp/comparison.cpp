#include "feature/cvvdp/comparison.h"

namespace vq::cvvdp {

constexpr int kHalfTile = light::kTile / 2;

// x[-1] = x[0], x[-2] = x[1] and so on at both ends.
static int mirrored(int y, int height) { return y < 0 ? -1 - y : y < height ? y : 2 * height - 1 - y; }
// x[-1] = x[1] and so on.
static int reflected(int y, int height) { return y < 0 ? -y : y < height ? y : 2 * height - 2 - y; }

// The sum of a small plane's values.
static double total(PlaneView<const float> plane) {
  const int tiles = light::tiles_of(plane.width);
  std::vector<float> sums;
  for (int first = 0; first < plane.height; first += light::kTile) {
    Plane<float> rows(tiles * light::kTile, kHalfTile);
    for (int y = first; y < std::min(first + light::kTile, plane.height); ++y) {
      float* const to = rows.row(y % kHalfTile);
      for (int x = 0; x < plane.width; ++x) to[x] = to[x] + plane.row(y)[x];
    }
    std::array<float*, kHalfTile> all = {};
    for (int y = 0; y < kHalfTile; ++y) all[static_cast<size_t>(y)] = rows.row(y);
    sums.resize(sums.size() + static_cast<size_t>(tiles));
    light::fold_tiles(all, plane.width, sums.data() + sums.size() - tiles);
  }
  return light::total(sums);
}

static float mean_light(PlaneView<const float> light) {
  Plane<float> raised(light.width, light.height);
  for (int y = 0; y < light.height; ++y) scalar::background_row(light.row(y), light.width, raised.row(y));
  return static_cast<float>(total(raised.view()) / (static_cast<double>(light.width) * light.height));
}

Pyramid::Pyramid(const Stages& stages, const Plan& plan)
    : stages_(stages),
      plan_(plan),
      kept_(plan.levels.size()),
      scratch_(plan.levels[0].size.width + kScratch, 2) {
  for (size_t i = 0; i < kept_.size(); ++i)
    kept_[i].rows = Plane<float>(plan.levels[i].size.width, static_cast<int>(kChannels) * kRows);
  const PlaneSize size = plan.levels.back().size;
  for (Plane<float>& plane : base_) plane = Plane<float>(size.width, size.height);
}

void Pyramid::start(size_t channels) {
  channels_ = channels;
  for (Kept& kept : kept_) kept.pushed = kept.layers = 0;
}

Rows<float> Pyramid::next() {
  Rows<float> rows = {};
  for (size_t k = 0; k < channels_; ++k) rows[k] = kept_row(0, k, kept_[0].pushed);
  return rows;
}

const float* Pyramid::row(size_t level, size_t channel, int y) const {
  return kept_[level].rows.row(static_cast<int>(channel) * kRows + y % kRows);
}

// Writes the next row of the level after this.
void Pyramid::reduce(size_t level) {
  const PlaneSize size = plan_.levels[level].size;
  const int y = kept_[level + 1].pushed;
  for (size_t k = 0; k < channels_; ++k) {
    ReduceInput in{.ends_even = size.height % 2 == 0, .width = size.width};
    for (int i = 0; i < 5; ++i)
      in.rows[static_cast<size_t>(i)] = kept_row(level, k, mirrored(2 * y + i - 2, size.height));
    stages_.reduce_row(in, scratch_.row(0), kept_row(level + 1, k, y));
  }
}

const float* Pyramid::expanded(size_t level, size_t channel, int y) {
  const PlaneSize size = plan_.levels[level].size, narrow = plan_.levels[level + 1].size;
  ExpandInput in{.is_odd = y % 2 == 1, .narrow = narrow.width, .width = size.width};
  for (int i = 0; i < 3; ++i)
    in.rows[static_cast<size_t>(i)] =
        row(level + 1, channel, std::clamp(y / 2 + i - 1, 0, narrow.height - 1));
  stages_.expand_row(in, scratch_.row(0), scratch_.row(1));
  return scratch_.row(1);
}

void Pyramid::keep_base() {
  const size_t last = kept_.size() - 1;
  const int y = kept_[last].pushed - 1;
  for (size_t k = 0; k < channels_; ++k)
    std::copy_n(kept_row(last, k, y), plan_.levels[last].size.width, base_[k].row(y));
}

// A row of the level has been written.
template <typename Take>
void Pyramid::advance(size_t level, const Take& take) {
  const int y = kept_[level].pushed++;
  if (level + 1 == kept_.size()) return keep_base();
  if (y % 2 == 0 && y > 0) reduce_and_take(level, take);
}

// Rows of the layer are complete up to the one before the last row of the next level.
template <typename Take>
void Pyramid::reduce_and_take(size_t level, const Take& take) {
  reduce(level);
  advance(level + 1, take);
  Kept& kept = kept_[level];
  for (const int end = 2 * (kept_[level + 1].pushed - 1); kept.layers < end; ++kept.layers)
    take(level, kept.layers);
}

template <typename Take>
void Pyramid::finish(size_t level, const Take& take) {
  while (kept_[level + 1].pushed < height(level + 1)) reduce_and_take(level, take);
  for (int& y = kept_[level].layers; y < height(level); ++y) take(level, y);
}

ReferencePicture::ReferencePicture(const Stages& stages, const Plan& plan)
    : stages_(stages), plan_(plan), pyramid_(stages, plan), background_(plan.levels[0].size.width, 1) {
  for (size_t i = 0; i + 1 < plan.levels.size(); ++i)
    layers_.emplace_back(plan.levels[i].size.width, static_cast<int>(2 * kChannels) * kRows);
}

void ReferencePicture::push() {
  pyramid_.push([this](size_t level, int y) { take(level, y); });
}

void ReferencePicture::finish(size_t level) {
  pyramid_.finish(level, [this](size_t at, int y) { take(at, y); });
}

void ReferencePicture::take(size_t level, int y) {
  const Level& plan = plan_.levels[level];
  const int width = plan.size.width;
  const auto own = [&](size_t which) {
    return layers_[level].row(static_cast<int>(which) * kRows + y % kRows);
  };
  Rows<float> sensitivities = {};
  for (size_t k = 0; k < pyramid_.channels(); ++k) sensitivities[k] = own(kChannels + k);
  for (size_t k = 0; k < pyramid_.channels(); ++k) {
    const float* const expanded = pyramid_.expanded(level, k, y);
    if (k == kLight) {
      stages_.background_row(expanded, width, background_.row(0));
      stages_.sensitivity_rows(background_.row(0), width, plan, plan_.constants, sensitivities);
    }
    stages_.contrast_row({pyramid_.row(level, k, y), expanded, background_.row(0), plan.layer_gain},
                         sensitivities[k], width, own(k));
  }
}

DistortedPicture::DistortedPicture(const Stages& stages, const Plan& plan, const ReferencePicture& reference,
                                   bool with_differences)
    : stages_(stages),
      plan_(plan),
      reference_(reference),
      pyramid_(stages, plan),
      masked_(plan.levels.size() - 1),
      rows_(plan.levels[0].size.width, 3) {
  for (size_t i = 0; i < masked_.size(); ++i) {
    const auto [width, height] = plan.levels[i].size;
    Masked& masked = masked_[i];
    masked.blurred = Plane<float>(width, static_cast<int>(kChannels) * kBlurRows);
    masked.differences = Plane<float>(width, static_cast<int>(kChannels) * kDifferenceRows);
    for (size_t k = 0; k < kChannels; ++k) {
      masked.sums[k] = Plane<float>(width, kHalfTile);
      masked.tiles[k].reserve(counted_size<float>(static_cast<size_t>(light::tiles_of(width)) *
                                                  static_cast<size_t>(light::tiles_of(height))));
    }
    if (!with_differences) continue;
    differences_.emplace_back();
    for (Plane<float>& plane : differences_.back()) plane = Plane<float>(width, height);
  }
}

void DistortedPicture::start(size_t channels) {
  pyramid_.start(channels);
  for (Masked& masked : masked_) {
    for (std::vector<float>& tiles : masked.tiles) tiles.clear();
  }
}

void DistortedPicture::push() {
  pyramid_.push([this](size_t level, int y) { take(level, y); });
}

void DistortedPicture::finish(size_t level) {
  pyramid_.finish(level, [this](size_t at, int y) { take(at, y); });
}

void DistortedPicture::take(size_t level, int y) {
  const Level& plan = plan_.levels[level];
  const auto [width, height] = plan.size;
  float* const background = rows_.row(0);
  float* const contrast = rows_.row(1);
  float* const mutual = rows_.row(2);
  for (size_t k = 0; k < pyramid_.channels(); ++k) {
    const float* const expanded = pyramid_.expanded(level, k, y);
    if (k == kLight) stages_.background_row(expanded, width, background);
    stages_.contrast_row({pyramid_.row(level, k, y), expanded, background, plan.layer_gain},
                         reference_.sensitivity(level, k, y), width, contrast);
    float* const blurred = blurred_row(level, k, y);
    stages_.compare_rows(contrast, reference_.contrast(level, k, y), width,
                         plan.is_blurred() ? mutual : blurred, difference_row(level, k, y));
    if (plan.is_blurred()) stages_.blur_row(mutual, width, plan_.constants, blurred);
  }
  const int behind = plan.is_blurred() ? kBlurReach : 0;
  if (y >= behind) mask(level, y - behind);
  for (int rest = height - behind; y + 1 == height && rest < height; ++rest) mask(level, rest);
}

void DistortedPicture::mask(size_t level, int y) {
  const Level& plan = plan_.levels[level];
  Masked& masked = masked_[level];
  MaskInput in{.channels = pyramid_.channels(), .is_blurred = plan.is_blurred(), .width = plan.size.width};
  const int row = y % light::kTile;
  MaskOutput out{.adds = row >= kHalfTile};
  for (size_t k = 0; k < in.channels; ++k) {
    for (int i = 0; i < kBlurTaps; ++i) {
      const int at = in.is_blurred ? reflected(y + i - kBlurReach, plan.size.height) : y;
      in.mutual[k][static_cast<size_t>(i)] = blurred_row(level, k, at);
    }
    in.difference[k] = difference_row(level, k, y);
    out.sums[k] = masked.sums[k].row(row % kHalfTile);
    if (!differences_.empty()) out.differences[k] = differences_[level][k].row(y);
  }
  stages_.mask_row(in, plan_.constants, out);
  if (row + 1 == light::kTile || y + 1 == plan.size.height) fold(level, row + 1);
}

// The last tiles may have fewer rows; the others are 0.
void DistortedPicture::fold(size_t level, int used_rows) {
  const int width = plan_.levels[level].size.width, count = light::tiles_of(width);
  for (size_t k = 0; k < pyramid_.channels(); ++k) {
    Plane<float>& sums = masked_[level].sums[k];
    for (int y = used_rows; y < kHalfTile; ++y) std::fill_n(sums.row(y), count * light::kTile, 0.0F);
    std::array<float*, kHalfTile> all = {};
    for (int y = 0; y < kHalfTile; ++y) all[static_cast<size_t>(y)] = sums.row(y);
    std::vector<float>& tiles = masked_[level].tiles[k];
    tiles.resize(tiles.size() + static_cast<size_t>(count));
    light::fold_tiles(all, width, tiles.data() + tiles.size() - count);
  }
}

std::array<Plane<float>, kChannels> DistortedPicture::base_differences() const {
  std::array<PlaneView<const float>, kChannels> distorted, reference;
  for (size_t k = 0; k < pyramid_.channels(); ++k) {
    distorted[k] = pyramid_.base(k);
    reference[k] = reference_.pyramid().base(k);
  }
  return cvvdp::base_differences(plan_, pyramid_.channels(), distorted, reference);
}

std::vector<LevelSums> DistortedPicture::sums() const {
  std::vector<LevelSums> sums(masked_.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    for (size_t k = 0; k < pyramid_.channels(); ++k) sums[i][k] = light::total(masked_[i].tiles[k]);
  }
  sums.push_back(base_sums(plan_, base_differences()));
  return sums;
}

std::array<Plane<float>, kChannels> base_differences(
    const Plan& plan, size_t channels, const std::array<PlaneView<const float>, kChannels>& distorted,
    const std::array<PlaneView<const float>, kChannels>& reference) {
  const Level& level = plan.levels.back();
  const float of_distorted = mean_light(distorted[kLight]), of_reference = mean_light(reference[kLight]);
  Constants ungained = plan.constants;
  ungained.masking.gain.fill(1);
  std::array<float, kChannels> sensitivity = {};
  Rows<float> rows = {};
  for (size_t k = 0; k < channels; ++k) rows[k] = &sensitivity[k];
  scalar::sensitivity_rows(&of_reference, 1, level, ungained, rows);
  std::array<Plane<float>, kChannels> differences;
  for (size_t k = 0; k < channels; ++k) {
    differences[k] = Plane<float>(level.size.width, level.size.height);
    for (int y = 0; y < level.size.height; ++y) {
      for (int x = 0; x < level.size.width; ++x) {
        const float a = std::min(distorted[k].row(y)[x] / of_distorted, kMostContrast),
                    b = std::min(reference[k].row(y)[x] / of_reference, kMostContrast);
        differences[k].row(y)[x] = std::fabs(a - b) * sensitivity[k];
      }
    }
  }
  return differences;
}

LevelSums base_sums(const Plan& plan, const std::array<Plane<float>, kChannels>& differences) {
  LevelSums sums = {};
  for (size_t k = 0; k < differences.size(); ++k) {
    Plane<float> terms(differences[k].width(), differences[k].height());
    for (int y = 0; y < terms.height(); ++y) {
      for (int x = 0; x < terms.width(); ++x) {
        const float d = differences[k].row(y)[x];
        terms.row(y)[x] = d * (d + plan.constants.sum_offset);
      }
    }
    sums[k] = total(terms.view());
  }
  return sums;
}

// The norm of a level's channels at each sample.
static Plane<double> level_map(const Plan& plan, size_t level, bool is_still,
                               const std::array<PlaneView<const float>, kChannels>& differences) {
  const auto [width, height] = plan.levels[level].size;
  const std::array<double, kChannels> weights = map_weights(plan, level, is_still);
  const size_t channels = is_still ? kStillChannels : kChannels;
  const double factor = 1 / static_cast<double>(plan.levels[level].layer_gain);
  Plane<double> map(width, height);
  std::array<double, kChannels> values = {};
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (size_t k = 0; k < channels; ++k)
        values[k] = static_cast<double>(differences[k].row(y)[x]) * weights[k];
      map.row(y)[x] = fourth_norm(std::span(values).first(channels)) * factor;
    }
  }
  return map;
}

// As expand_row(), in double.
static double expanded_at(const double* const rows[3], bool is_odd, int x, int narrow) {
  const auto across = [&](int at) {
    const int i = std::clamp(at, 0, narrow - 1);
    return is_odd ? 0.5 * (rows[1][i] + rows[2][i]) : 0.1 * (rows[0][i] + rows[2][i]) + 0.8 * rows[1][i];
  };
  const int i = x / 2;
  return x % 2 == 1 ? 0.5 * (across(i) + across(i + 1))
                    : 0.1 * (across(i - 1) + across(i + 1)) + 0.8 * across(i);
}

static void add_expanded(const Plane<double>& coarse, Plane<double>& map) {
  for (int y = 0; y < map.height(); ++y) {
    const double* rows[3] = {};
    for (int i = 0; i < 3; ++i) rows[i] = coarse.row(std::clamp(y / 2 + i - 1, 0, coarse.height() - 1));
    for (int x = 0; x < map.width(); ++x)
      map.row(y)[x] = expanded_at(rows, y % 2 == 1, x, coarse.width()) + map.row(y)[x];
  }
}

Plane<uint16_t> difference_map(const Plan& plan, bool is_still,
                               std::span<const std::array<PlaneView<const float>, kChannels>> differences) {
  Plane<double> sum;
  for (size_t i = differences.size(); i-- > 0;) {
    Plane<double> map = level_map(plan, i, is_still, differences[i]);
    if (sum.height() > 0) add_expanded(sum, map);
    sum = std::move(map);
  }
  Plane<uint16_t> levels(sum.width(), sum.height());
  for (int y = 0; y < sum.height(); ++y) {
    for (int x = 0; x < sum.width(); ++x) {
      const double level = 10 * lost_part(sum.row(y)[x]) / kJodPerLevel;
      levels.row(y)[x] = static_cast<uint16_t>(std::min(level, 65535.0));
    }
  }
  return levels;
}

}  // namespace vq::cvvdp
