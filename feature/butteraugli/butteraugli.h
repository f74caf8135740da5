// Butteraugli: options, metric names, and what is constant over two videos.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/frame.h"
#include "feature/butteraugli/stages.h"
#include "feature/device_feature.h"
#include "feature/light/device.h"
#include "feature/light/light.h"
#include "shaders/butteraugli/constants.h"
#include "vulkan/context.h"

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
       {&Options::asymmetry,
        {.name = "asymmetry",
         .min = 0.1,
         .max = 10,
         .help = "how much more artefacts count than lost detail; 1: the same"}},
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

// Butteraugli on the CPU.

std::unique_ptr<HostFeature> make_host_feature(const ButteraugliPlan& plan, const Execution& execution);

}  // namespace vq::butteraugli

namespace vq::butteraugli::gpu {

// Butteraugli's map as passes on a Vulkan device. The contracts are those of feature/butteraugli/stages.h and
// butteraugli.h; the shaders are in shaders/butteraugli.

// Buffers of one picture, at one scale after the other: see shaders/butteraugli/shared.h.
struct PictureBuffers {
  PictureBuffers(const std::shared_ptr<vulkan::Device>& device, PlaneSize size);

  vulkan::Buffer light, half_light, picture, low, middle, across;
};

// The passes of one scale. Plan, weights and context outlive this.
class ScalePasses {
 public:
  // Throws Error{kBackend}.
  ScalePasses(vulkan::Context& context, const ScalePlan& plan, const Weights& weights, float intensity);

  // A picture's buffers, and which of them has its light at this scale.
  struct Picture {
    const PictureBuffers& buffers;
    const vulkan::Buffer& light;
  };
  // Makes the bands of pictures from their light, whose buffers they use as well. The pictures go through
  // each pass side by side, as none needs the other.
  void record_bands(vulkan::Recorder& recorder, std::span<const Picture> pictures) const;

  // Inputs and outputs of a comparison.
  struct Comparison {
    Picture reference, distorted;
    const vulkan::Buffer* half_map = nullptr;  // null: there is no half scale to add
    const vulkan::Buffer& results;
    bool writes_map = false;                // at the beginning of the results
    std::optional<int64_t> first_sum = {};  // of the results, in floats; none: tiles are not summed up
  };
  void record_comparison(vulkan::Recorder& recorder, const Comparison& comparison) const;

  const light::gpu::LightLayout& layout() const { return layout_; }

 private:
  void record_rows(vulkan::Recorder& recorder, FilterName filter, const vulkan::Buffer& in,
                   const vulkan::Buffer& across, std::array<uint32_t, 2> planes) const;
  void record_columns(vulkan::Recorder& recorder, const vulkan::Shader& shader, FilterName filter,
                      std::vector<const vulkan::Buffer*> buffers) const;

  vulkan::Context& context_;
  const ScalePlan& plan_;
  const Weights& weights_;
  const float intensity_;
  const light::gpu::LightLayout layout_;
  std::array<const vulkan::Buffer*, kFilters> tables_ = {};
};

// All passes behind light. Needs: a plan with a scale.
class MapPasses {
 public:
  // The plan and the context outlive this. Throws Error{kBackend}.
  MapPasses(vulkan::Context& context, const ButteraugliPlan& plan, bool keeps_map);

  // Where the light of both pictures goes first.
  const vulkan::Buffer& reference_light() const { return reference_.light; }
  const vulkan::Buffer& distorted_light() const { return distorted_.light; }

  void record_halves(vulkan::Recorder& recorder) const;
  void record_bands(vulkan::Recorder& recorder) const;
  void record_readback(vulkan::Recorder& recorder) const;

  // Valid after what was recorded has run. The map is empty unless it is kept.
  std::vector<TileSums> tiles() const;
  PlaneView<const float> map() const;

 private:
  int64_t map_bytes() const { return map_floats_ * static_cast<int64_t>(sizeof(float)); }

  vulkan::Context& context_;
  PictureBuffers reference_, distorted_;
  ScalePasses whole_;
  std::optional<ScalePasses> half_;
  const int64_t map_floats_;  // of the map, in front of the tiles' sums; 0: it is not kept
  vulkan::Buffer half_map_, results_, readback_;
};

}  // namespace vq::butteraugli::gpu
