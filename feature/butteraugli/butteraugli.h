// Butteraugli: options, metric names, and what is constant over two videos.
#pragma once

#include "feature/butteraugli/stages.h"
#include "feature/device_feature.h"
#include "feature/light/device.h"
#include "feature/light/light.h"

namespace vq::butteraugli {

// The figures of a map: its maximum and norms.

// The maximum of a tile of the map, and the sums of the second, third, sixth and twelfth powers of its
// samples, relative to a power of 2: the largest that is not above the maximum.
struct TileSums {
  float maximum = 0, squares = 0, cubes = 0, sixths = 0, twelfths = 0;
};

constexpr int tiles_across(int side) {
  return (side + static_cast<int>(kTile) - 1) / static_cast<int>(kTile);
}

// Sums up tiles of kTile x kTile samples that lie side by side. `rows` are the tiles' rows, up to kTile. The
// 256 samples of a tile, zeros beyond the picture, are added in halves: those 128 apart, in the order of
// rows, then those 64 apart, and so on. Needs: as many sums as tiles_across(width).
void sum_tiles(std::span<const float* const> rows, int width, std::span<TileSums> sums);

struct Figures {
  double maximum = 0;
  double three_norms = 0;  // the mean of the 3-norm, the 6-norm and the 12-norm
  double norm3 = 0, norm2 = 0;
};

// The figures of a map of that size, from its tiles, row after row.
Figures figures_of(std::span<const TileSums> tiles, PlaneSize size);

// The cube root to a unit or two of the last place, with the same bits on all machines. Needs: x >= 0.
double cube_root(double x);

inline constexpr std::string_view kIntensityOption = "intensity", kHeatmapOption = "heatmaps_path";

struct ButteraugliOptions : light::LightOptions {
  double intensity = 80;  // of libjxl for pictures that are not HDR
  double asymmetry = 1;
};

struct ButteraugliPlan {
  ButteraugliOptions options = {};
  PlaneSize size = {};
  float intensity = 0;  // of light that is 1, in cd/m2
  Weights weights = {};
  std::vector<ScalePlan> scales = {};
  light::Conversion reference = {}, distorted = {};
};

struct Butteraugli {
  using Options = ButteraugliOptions;
  static constexpr auto kOptions = light::option_table<Options>(
      {{&Options::intensity,
        {.name = kIntensityOption,
         .min = 1,
         .max = 10000,
         .help = "brightness of white in cd/m2; left out, it is 100 for PQ and 1000 for HLG"}},
       {&Options::asymmetry, "asymmetry", 0.1, 10,
        "how much more artefacts count than lost detail; 1: the same"},
       {{},
        {.name = kHeatmapOption,
         .kind = OptionKind::kPath,
         .in_metric_name = false,
         .help = "folder for the maps of differences; none: no maps"}}});
  using Plan = ButteraugliPlan;
  // Throws Error: kUsage without a reference, kMismatch for videos of different sizes, with chroma that
  // cannot be read, or without a way to RGB.
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  // The maximum, the mean of three norms, the 3-norm and the 2-norm.
  static std::vector<std::string> names(const Options&) {
    return {"butteraugli", "butteraugli_3norm", "butteraugli_norm3", "butteraugli_norm2"};
  }
  static int planes(const Options&) { return kMaxPlanes; }
};

// Samples of heat maps are the map's times this.
inline constexpr float kHeatmapSteps = 256;
// Needs: rows of `width`.
void draw_heatmap_row(const float* map, int width, uint16_t* out);

FrameValues values_of(const Figures& figures);

// Names of the stages on a device.
inline constexpr std::string_view kLightStage = "light", kBandsStage = "bands", kCompareStage = "compare";

const FeatureInfo& feature_info();
extern const DeviceSupport kDeviceSupport;

// Butteraugli on the CPU: the map of differences of two pictures, a row at a time from top to bottom.

// The latest rows of a plane that is made from top to bottom.

// Rows have the margins of stages.h, zeros at first. Throws std::bad_alloc.
class RowRing {
 public:
  RowRing(int width, int rows) : width_(width), rows_(rows), plane_(width + 2 * kRowMargin, rows) {}

  void restart() { next_ = 0; }
  // Row y, or where it goes. Needs: it is one of the latest, or the next.
  float* row(int y) { return plane_.row(y % rows_) + kRowMargin; }
  const float* row(int y) const { return plane_.row(y % rows_) + kRowMargin; }
  // Calls make(row) until row y is made. It returns how many it made, from that row on.
  template <typename Make>
  void make_until(int y, const Make& make) {
    while (next_ <= y) next_ += make(next_);
  }

  // Sets the margin behind a row, in which vectors left something. The one before it is as it was made.
  void end_row(int y, float value = 0) {
    float* const behind = row(y) + width_;
    for (int i = 0; i < kRowMargin; ++i) behind[i] = value;
  }
  // Sets all rows and margins.
  void fill(float value) {
    if (plane_.view().data == nullptr) return;  // memory is counted
    for (int y = 0; y < rows_; ++y) {
      float* const first = plane_.row(y);
      for (int x = 0; x < width_ + 2 * kRowMargin; ++x) first[x] = value;
    }
  }
  // Continues the row on both sides by its mirror image, `reach` samples each.
  void mirror_row(int y, int reach) {
    float* const first = row(y);
    for (int i = 0; i < reach; ++i) {
      first[-1 - i] = first[i];
      first[width_ + i] = first[width_ - 1 - i];
    }
  }

 private:
  int width_, rows_, next_ = 0;
  Plane<float> plane_;
};

// The bands of one picture at one scale, a row at a time from top to bottom: each stage makes its rows when
// the next one needs them, and only the latest are kept.

// Writes row y of a picture's R, G and B in linear light. Rows are asked for from the first one on.
using LightSource = std::function<void(int y, const Rows3<float>& out)>;

class PictureBands {
 public:
  // Plan and stages outlive this. `behind`: for how many more rows bands and activity stay valid. Throws
  // std::bad_alloc.
  PictureBands(const ScalePlan& plan, const Stages& stages, float intensity, int behind = 0);

  void start(LightSource source);
  // Rows of the bands are valid until row y + kLineReach + 1 is made, those of activity as long as the next
  // kErosionReach are.
  void make_bands(int y);
  void make_activity(int y);
  BandRows<const float> bands(int y) const;
  // Row y of the blurred activity, infinite in its margins and beyond the picture.
  const float* activity(int y) const;

 private:
  struct Channels {
    Channels(int width, int rows, size_t count) {
      for (size_t i = 0; i < count; ++i) rings.emplace_back(width, rows);
    }
    Rows3<float> rows3(int y) { return {rings[0].row(y), rings[1].row(y), rings[2].row(y)}; }
    Rows2<float> rows2(int y) { return {rings[0].row(y), rings[1].row(y)}; }
    Rows3<const float> rows3(int y) const { return {rings[0].row(y), rings[1].row(y), rings[2].row(y)}; }
    Rows2<const float> rows2(int y) const { return {rings[0].row(y), rings[1].row(y)}; }
    void end_row(int y) {
      for (RowRing& ring : rings) ring.end_row(y);
    }
    template <typename Make>
    void make_until(int y, const Make& make) {
      rings.front().make_until(y, make);
    }
    std::vector<RowRing> rings;
  };

  int last_of(int y) const { return y < plan_.size.height ? y : plan_.size.height - 1; }
  void filter_across(FilterName name, const Channels& in, Channels& out, int y);
  void filter_down(FilterName name, const Channels& in, int y, int count, Channels& out);
  void make_light_across(int y);
  void make_picture(int y);
  void make_low(int y);
  void make_middle(int y);

  const ScalePlan& plan_;
  const Stages& stages_;
  const float intensity_;
  LightSource source_;
  // Results of each stage; filters go along rows first.
  Channels light_, light_across_, picture_, low_across_, low_, middle_, middle_across_, high_, high_across_,
      finest_, raw_activity_, activity_across_, activity_;
  Channels soft_, zeros_, infinite_;
};

// The light of a picture, of its whole size in both, once for each scale.
struct PictureSources {
  LightSource whole, half;
};

// The bands of a picture at both scales. Needs: at least one.
class ScaledBands {
 public:
  // All outlive this. `behind`: for how many more rows of the whole scale, and half as many of the other,
  // bands stay valid. Throws std::bad_alloc.
  ScaledBands(const std::vector<ScalePlan>& scales, const Stages& stages, float intensity, int behind = 0);

  void start(const PictureSources& sources);
  PictureBands& whole() { return whole_; }
  PictureBands& half() { return *half_; }  // Needs: two scales

 private:
  void read_row(const LightSource& source, int y, std::span<RowRing> rows) const;
  LightSource halved(const LightSource& source);

  const std::vector<ScalePlan>& scales_;
  const Stages& stages_;
  PictureBands whole_;
  std::optional<PictureBands> half_;
  std::vector<RowRing> two_rows_;  // of light
};

// Settings of a map, which outlive it.
struct MapSetting {
  const std::vector<ScalePlan>& scales;
  const Weights& weights;
  const Stages& stages;
  float intensity;
};

// The map of one scale.
class ScaleMap {
 public:
  // All outlive this. Throws std::bad_alloc.
  ScaleMap(const ScalePlan& plan, const MapSetting& setting, PictureBands& reference,
           PictureBands& distorted);

  // Before the first row.
  void start();
  // Row y, the one before again or the next. Valid until kTile more are made. It may be written.
  float* row(int y);

 private:
  void make_line_differences(int y);
  void make_row(int y);
  void add_lines(int y);

  const ScalePlan& plan_;
  const Weights& weights_;
  const Stages& stages_;
  PictureBands &reference_, &distorted_;
  std::vector<RowRing> line_differences_;  // by band, X's and Y's
  RowRing zeros_, mask_, map_;
  std::array<RowRing, 2> lines_;
};

// The map of a picture's differences from a reference, of both scales.
class DifferenceMap {
 public:
  // The reference outlives this, and makes its bands when this, or another map, needs them. It has been
  // started when this is. Throws std::bad_alloc.
  DifferenceMap(const MapSetting& setting, ScaledBands& reference);

  void start(const PictureSources& distorted);
  // Row y: the next one. Valid until kTile more are made. Needs: no other map has read rows of the reference
  // so far below that its `behind` does not reach this one.
  const float* row(int y);

 private:
  const MapSetting setting_;
  ScaledBands distorted_;
  ScaleMap whole_;
  std::optional<ScaleMap> half_;
};

std::unique_ptr<HostFeature> make_host_feature(const ButteraugliPlan& plan, const Execution& execution);

}  // namespace vq::butteraugli
