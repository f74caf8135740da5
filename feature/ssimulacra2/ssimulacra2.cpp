#include "feature/ssimulacra2/ssimulacra2.h"

namespace vq::ssimulacra2 {
namespace {

// The comparison of a picture with its reference at one scale, as rows of the picture come.

// A picture of light at one scale, as rows come: it keeps the latest rows of X, Y and B, also blurred along
// rows, and halves rows for the next scale.

// For one thread, one picture after another.
class PictureScale {
 public:
  // Keeps `rows` rows. The scale outlives this. Throws std::bad_alloc.
  PictureScale(const Stages& stages, const ScalePlan& scale, bool is_last, int rows);

  // Before the first row of a picture.
  void start() { pushed_ = 0; }
  // The next row, with guards. It stays as it is until the row after the next is pushed. Returns the row of
  // the next scale that is complete with it, valid until two more are; none if there is none, or no next
  // scale.
  std::optional<LightRow> push(const LightRow& row);
  // After the last row: the row of the next scale that only half a pair of rows is there for.
  std::optional<LightRow> finish();

  int pushed() const { return pushed_; }
  // Need: the scale needs the channel; the row is one of the latest.
  const float* xyb(size_t channel, int y) const { return channels_[channel].xyb.row(y % rows_); }
  const float* blurred(size_t channel, int y) const { return channels_[channel].blurred.row(y % rows_); }

 private:
  struct Channel {
    Plane<float> xyb, blurred;  // empty if the channel is not needed
  };

  LightRow halved(const LightRow& upper, const LightRow& lower);

  const Stages stages_;
  const ScalePlan& scale_;
  const int rows_;
  std::array<Channel, kChannels> channels_;
  Plane<float> halved_;  // two rows of each component, in turn; empty for the last scale
  int pushed_ = 0;
  LightRow before_ = {};  // the row before
};

// For one thread, one pair after another.
class ScaleComparison {
 public:
  // `reference` has the reference at this scale. It and the scale outlive this. `with_local`: keep
  // CompareOutput::local of all samples. Throws std::bad_alloc.
  ScaleComparison(const Stages& stages, const ScalePlan& scale, const PictureScale& reference, bool is_last,
                  bool with_local);

  // Before the first row of a picture.
  void start();
  // As those of PictureScale, for rows of the distorted picture. Need: the reference has been pushed at least
  // as many rows, and keeps kWindow of them up to this one.
  std::optional<LightRow> push(const LightRow& row);
  std::optional<LightRow> finish();

  // Valid after finish().
  ScaleTotals totals() const;
  PlaneView<const float> local() const { return local_.view(); }

 private:
  // Quantities of both pictures together that are blurred.
  enum Mixed { kMixedSquares, kMixedDifference, kMixed };
  // Memory of a channel that is needed.
  struct Channel {
    float* mixed_row(int which, int y) { return mixed.row(y % kWindow * kMixed + which); }

    Plane<float> mixed;                           // of the last kWindow rows
    std::array<Plane<float>, kSums> sums;         // kTile / 2 rows; empty for those that are not needed
    std::array<std::vector<float>, kSums> tiles;  // of all tiles so far
  };

  void compare(int y);
  void compare_channel(size_t channel, int y);
  void fold(Channel& channel, int used_rows);

  const Stages stages_;
  const ScalePlan& scale_;
  const PictureScale& reference_;
  PictureScale distorted_;
  std::array<Channel, kChannels> channels_;
  Plane<float> scratch_;  // for BlurScratch
  Plane<float> zeros_;    // a row outside the picture
  Plane<float> local_;
};

constexpr int kHalfTile = kTile / 2;

ScaleComparison::ScaleComparison(const Stages& stages, const ScalePlan& scale, const PictureScale& reference,
                                 bool is_last, bool with_local)
    : stages_(stages),
      scale_(scale),
      reference_(reference),
      distorted_(stages, scale, is_last, kWindow),
      scratch_(scale.size.width + kMargin, 2),
      zeros_(scale.size.width, 1) {
  const auto [width, height] = scale.size;
  for (size_t i = 0; i < kChannels; ++i) {
    if (!scale.needs(i)) continue;
    channels_[i].mixed = Plane<float>(width, kWindow * kMixed);
    for (size_t k = 0; k < kSums; ++k) {
      if (scale.weights[i][k] <= 0) continue;
      channels_[i].sums[k] = Plane<float>(width, kHalfTile);
      channels_[i].tiles[k].reserve(
          counted_size<float>(static_cast<size_t>(tiles_of(width)) * static_cast<size_t>(tiles_of(height))));
    }
  }
  if (with_local) local_ = Plane<float>(width, height);
}

void ScaleComparison::start() {
  distorted_.start();
  for (Channel& channel : channels_) {
    for (std::vector<float>& tiles : channel.tiles) tiles.clear();
  }
}

std::optional<LightRow> ScaleComparison::push(const LightRow& row) {
  const int y = distorted_.pushed();
  const std::optional<LightRow> halved = distorted_.push(row);
  HWY_DASSERT(reference_.pushed() > y);
  for (size_t i = 0; i < kChannels; ++i) {
    if (!scale_.needs(i)) continue;
    stages_.blur_mixed(
        reference_.xyb(i, y), distorted_.xyb(i, y), scale_.size.width, {scratch_.row(0), scratch_.row(1)},
        {channels_[i].mixed_row(kMixedSquares, y), channels_[i].mixed_row(kMixedDifference, y)});
  }
  if (y >= kReach) compare(y - kReach);
  return halved;
}

std::optional<LightRow> ScaleComparison::finish() {
  const int height = scale_.size.height;
  HWY_DASSERT(distorted_.pushed() == height);
  for (int y = std::max(height - kReach, 0); y < height; ++y) compare(y);
  return distorted_.finish();
}

void ScaleComparison::compare(int y) {
  if (local_.height() > 0) std::fill_n(local_.row(y), scale_.size.width, 0.0F);
  for (size_t channel = 0; channel < kChannels; ++channel) {
    if (!scale_.needs(channel)) continue;
    compare_channel(channel, y);
    const int used = y % kTile + 1;
    if (used == kTile || y + 1 == scale_.size.height) fold(channels_[channel], used);
  }
}

void ScaleComparison::compare_channel(size_t channel, int y) {
  Channel& kept = channels_[channel];
  CompareInput in = {
      .p = reference_.xyb(channel, y), .q = distorted_.xyb(channel, y), .width = scale_.size.width};
  const float* const outside = zeros_.row(0);
  for (int k = 0; k < kWindow; ++k) {
    const int at = y + k - kReach;
    const bool is_inside = 0 <= at && at < scale_.size.height;
    in.rows[static_cast<size_t>(k)] =
        is_inside
            ? QuantityRows<const float>{reference_.blurred(channel, at), distorted_.blurred(channel, at),
                                        kept.mixed_row(kMixedSquares, at),
                                        kept.mixed_row(kMixedDifference, at)}
            : QuantityRows<const float>{outside, outside, outside, outside};
  }
  const int row = y % kTile;
  CompareOutput out = {.adds = row >= kHalfTile};
  for (size_t i = 0; i < kSums; ++i) {
    if (kept.sums[i].height() > 0) out.sums[i] = kept.sums[i].row(row % kHalfTile);
  }
  if (local_.height() > 0) {
    out.local = local_.row(y);
    out.weights = local_weights(scale_, channel);
  }
  stages_.compare_row(in, out);
}

// The last tiles may have fewer rows; the others are 0.
void ScaleComparison::fold(Channel& channel, int used_rows) {
  const int width = scale_.size.width, count = tiles_of(width);
  for (size_t i = 0; i < kSums; ++i) {
    Plane<float>& sums = channel.sums[i];
    if (sums.height() == 0) continue;
    for (int y = used_rows; y < kHalfTile; ++y) std::fill_n(sums.row(y), count * kTile, 0.0F);
    std::array<float*, kHalfTile> all = {};
    for (int y = 0; y < kHalfTile; ++y) all[static_cast<size_t>(y)] = sums.row(y);
    std::vector<float>& tiles = channel.tiles[i];
    tiles.resize(tiles.size() + static_cast<size_t>(count));
    fold_tiles(all, width, tiles.data() + tiles.size() - count);
  }
}

ScaleTotals ScaleComparison::totals() const {
  ScaleTotals totals = {};
  for (size_t channel = 0; channel < kChannels; ++channel) {
    for (size_t i = 0; i < kSums; ++i) totals[channel][i] = total(channels_[channel].tiles[i]);
  }
  return totals;
}

constexpr int kComponents = 3;

PictureScale::PictureScale(const Stages& stages, const ScalePlan& scale, bool is_last, int rows)
    : stages_(stages), scale_(scale), rows_(rows) {
  const int width = scale.size.width;
  for (size_t i = 0; i < kChannels; ++i) {
    if (scale.needs(i)) channels_[i] = {Plane<float>(width, rows), Plane<float>(width, rows)};
  }
  if (!is_last) halved_ = Plane<float>((width + 1) / 2, 2 * kComponents);
}

// Rows end with zeros on either side, which vectors may have written over.
std::optional<LightRow> PictureScale::push(const LightRow& row) {
  const int y = pushed_++, width = scale_.size.width;
  XybRow xyb = {};
  for (size_t i = 0; i < kChannels; ++i) {
    if (scale_.needs(i)) xyb[i] = channels_[i].xyb.row(y % rows_);
  }
  stages_.to_xyb(row, width, xyb);
  for (size_t i = 0; i < kChannels; ++i) {
    if (xyb[i] == nullptr) continue;
    std::fill(xyb[i] - kMargin, xyb[i], 0.0F);
    std::fill(xyb[i] + width, xyb[i] + width + kMargin, 0.0F);
    stages_.blur_row(xyb[i], width, channels_[i].blurred.row(y % rows_));
  }
  const LightRow upper = before_;
  before_ = row;
  if (halved_.height() == 0 || y % 2 == 0) return std::nullopt;
  return halved(upper, row);
}

std::optional<LightRow> PictureScale::finish() {
  if (halved_.height() == 0 || pushed_ % 2 == 0) return std::nullopt;
  return halved(before_, before_);
}

LightRow PictureScale::halved(const LightRow& upper, const LightRow& lower) {
  const int width = scale_.size.width, first = (pushed_ - 1) / 2 % 2 * kComponents;
  float* const out[kComponents] = {halved_.row(first), halved_.row(first + 1), halved_.row(first + 2)};
  stages_.halve_rows(upper.r, lower.r, width, out[0]);
  stages_.halve_rows(upper.g, lower.g, width, out[1]);
  stages_.halve_rows(upper.b, lower.b, width, out[2]);
  return {out[0], out[1], out[2]};
}

// As its author reads scores.
constexpr Grade kGrades[] = {{100, "visually lossless"},
                             {90, "high quality"},
                             {70, "medium quality"},
                             {50, "low quality"},
                             {30, "very low quality"}};

constexpr MetricInfo kMetrics[] = {
    {.name = kFeatureName,
     .title = "SSIMULACRA 2",
     .subject = "distortion",
     .better = Better::kHigher,
     .flawless = 100,
     .noteworthy = 50,
     .noteworthy_meaning = "medium quality or less",
     .grades = kGrades,
     .usual_top = 100,
     .explanation =
         "How close the picture is to the reference for the eye: 100 for identical pictures, about 90 where "
         "no difference is seen side by side, 70 for high, 50 for medium and 30 for low quality; there are "
         "negative scores. Above 70 it is up to two points higher than what the reference implementation "
         "prints, whose rounding errors lower its scores."}};

Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  const Options options = options_of<Ssimulacra2>(set);
  const VideoFormat* const reference = formats.reference ? &*formats.reference : nullptr;
  Resolution resolution{.notes = light::notes_on(options, formats.distorted, reference), .warnings = {}};
  const light::Curve curve = light::reading_of(options, formats.distorted).curve;
  if (curve == light::Curve::kPq || curve == light::Curve::kHlg) {
    resolution.notes.push_back(std::string(kFeatureName) + " is made for standard range: its scores of " +
                               std::string(light::to_string(curve)) + " have no calibrated meaning");
  }
  return resolution;
}

std::vector<HeatmapInfo> heatmaps(const OptionSet& set, const VideoFormats& formats) {
  std::vector<HeatmapInfo> maps;
  for (const ScalePlan& scale : plan_of<Ssimulacra2>(set, formats).scales) {
    maps.push_back({.scale = static_cast<int>(maps.size()),
                    .width = scale.size.width,
                    .height = scale.size.height,
                    .score_weight = kPointsPerLevel});
  }
  return maps;
}

Plane<uint16_t> heatmap(PlaneView<const float> local, double levels_per_unit) {
  Plane<uint16_t> map(local.width, local.height);
  for (int y = 0; y < local.height; ++y) {
    for (int x = 0; x < local.width; ++x) {
      const double level = static_cast<double>(local.row(y)[x]) * levels_per_unit;
      map.row(y)[x] = static_cast<uint16_t>(std::min(level, 65535.0));
    }
  }
  return map;
}

// The reference is this many rows ahead of the pictures that are compared with it in turn, so that each finds
// its own rows still in the cache for a while.
constexpr int kStripRows = 64;

// Rows of light of one picture, two in turn.
struct Picture {
  Picture(const light::Stages& stages, const light::Conversion& conversion)
      : rows(stages, conversion), light(conversion.size.width, 6) {}

  LightRow next(int y) {
    const int first = y % 2 * 3;
    const light::RgbRow<float> out = {light.row(first), light.row(first + 1), light.row(first + 2)};
    rows.row(y, out);
    return {out.r, out.g, out.b};
  }

  light::LightRows rows;
  Plane<float> light;
};

// A picture at all scales, the finest first.
template <typename Scale>
struct ScaledPicture {
  ScaledPicture(const light::Stages& stages, const light::Conversion& conversion)
      : picture(stages, conversion) {}

  void start(const Frame& frame) {
    picture.rows.start(frame);
    for (const auto& scale : scales) scale->start();
  }
  void push(int first, int end) {
    for (int y = first; y < end; ++y) pass(picture.next(y), 0);
  }
  void finish() {
    for (size_t k = 0; k < scales.size(); ++k) pass(scales[k]->finish(), k + 1);
  }
  void pass(std::optional<LightRow> row, size_t scale) {
    for (; row; ++scale) row = scales[scale]->push(*row);
  }

  Picture picture;
  std::vector<std::unique_ptr<Scale>> scales;
};
using Reference = ScaledPicture<PictureScale>;
using Distorted = ScaledPicture<ScaleComparison>;

// Rows of the reference that are kept at a scale: comparing looks kReach rows back and as many ahead, and may
// be that many rows behind.
int rows_kept(size_t scale, int behind) { return kWindow + (behind >> scale); }

struct Workspace {
  Workspace(const Plan& plan, const light::Stages& light_stages, const Stages& stages, int strip)
      : reference(light_stages, plan.reference) {
    for (size_t k = 0; k < plan.scales.size(); ++k) {
      reference.scales.push_back(std::make_unique<PictureScale>(
          stages, plan.scales[k], k + 1 == plan.scales.size(), rows_kept(k, strip)));
    }
  }

  Reference reference;
  std::vector<std::unique_ptr<Distorted>> distorted;  // as many as were ever compared at once
};

class Host final : public HostFeature {
 public:
  Host(const Plan& plan, const Execution& execution)
      : plan_(plan),
        stages_(Stages::of(execution)),
        light_stages_(light::Stages::of(execution)),
        with_heatmaps_(execution.heatmaps),
        strip_(execution.group != nullptr ? kStripRows : 1),
        workspaces_([this] { return make_workspace(); }) {}

  FrameResult score(const FramePair& frames) override {
    const FramePair* const one = &frames;
    return std::move(score_together({&one, 1}).front());
  }

  std::vector<FrameResult> score_together(std::span<const FramePair* const> pairs) override {
    const auto workspace = workspaces_.take();
    Reference& reference = workspace->reference;
    while (workspace->distorted.size() < pairs.size())
      workspace->distorted.push_back(make_distorted(reference));
    const std::span distorted = std::span(workspace->distorted).first(pairs.size());
    reference.start(pairs.front()->reference.value());
    for (size_t i = 0; i < pairs.size(); ++i) distorted[i]->start(pairs[i]->distorted);
    const int height = plan_.scales.front().size.height;
    for (int first = 0; first < height; first += strip_) {
      const int end = std::min(first + strip_, height);
      reference.push(first, end);
      for (const auto& picture : distorted) picture->push(first, end);
    }
    reference.finish();
    std::vector<FrameResult> results;
    for (const auto& picture : distorted) {
      picture->finish();
      results.push_back(result_of(*picture));
    }
    return results;
  }

  // Bytes of the work memory for one picture.
  int64_t workspace_bytes() const {
    return counted_bytes([this] {
      auto workspace = make_workspace();
      workspace->distorted.push_back(make_distorted(workspace->reference));
      return workspace;
    });
  }

 private:
  std::unique_ptr<Workspace> make_workspace() const {
    return std::make_unique<Workspace>(plan_, light_stages_, stages_, strip_);
  }
  std::unique_ptr<Distorted> make_distorted(const Reference& reference) const {
    auto picture = std::make_unique<Distorted>(light_stages_, plan_.distorted);
    const size_t count = plan_.scales.size();
    for (size_t k = 0; k < count; ++k) {
      picture->scales.push_back(std::make_unique<ScaleComparison>(
          stages_, plan_.scales[k], *reference.scales[k], k + 1 == count, with_heatmaps_));
    }
    return picture;
  }

  FrameResult result_of(const Distorted& picture) const {
    std::vector<ScaleTotals> totals;
    std::vector<PlaneView<const float>> local;
    for (const auto& scale : picture.scales) {
      totals.push_back(scale->totals());
      if (with_heatmaps_) local.push_back(scale->local());
    }
    return frame_result(plan_, totals, local);
  }

  const Plan plan_;
  const Stages stages_;
  const light::Stages light_stages_;
  const bool with_heatmaps_;
  const int strip_;
  WorkspacePool<Workspace> workspaces_;
};

FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  const Host host(plan_of<Ssimulacra2>(set, formats), execution);
  return {.fixed = thread_count(execution) * host.workspace_bytes()};
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Ssimulacra2, Host>({
      .name = kFeatureName,
      .summary = "SSIMULACRA 2: perceptual similarity to the reference at six scales, in XYB",
      .publication = {.citation = "Sneyers: SSIMULACRA 2, Cloudinary, version 2.1, 2023"},
      .metrics = kMetrics,
      .resolve = resolve,
      .reading =
          [](const OptionSet& set, const VideoFormat& video) {
            return light::in_words(light::reading_of(options_of<Ssimulacra2>(set), video), video);
          },
      .heatmap_option = "heatmaps_path",
      .heatmaps = heatmaps,
      .shares_reference = true,
      .memory = memory,
  });
  return kInfo;
}

FrameResult frame_result(const Plan& plan, std::span<const ScaleTotals> totals,
                         std::span<const PlaneView<const float>> local) {
  const double norms = weighted_norms(plan, totals), score = score_of(norms);
  FrameResult result{.values = {score}};
  const double levels_per_unit = norms > 0 ? (100 - score) / norms / kPointsPerLevel : 0;
  for (const PlaneView<const float>& each : local) result.heatmaps.push_back(heatmap(each, levels_per_unit));
  return result;
}

}  // namespace vq::ssimulacra2
