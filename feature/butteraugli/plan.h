// Butteraugli: options, metric names, and what is constant over two videos.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/options.h"
#include "feature/butteraugli/norms.h"
#include "feature/butteraugli/scales.h"
#include "feature/feature.h"
#include "feature/light/conversion.h"

namespace vq::butteraugli {

inline constexpr std::string_view kFeatureName = "butteraugli";
inline constexpr std::string_view kIntensityOption = "intensity", kAsymmetryOption = "asymmetry",
                                  kHeatmapOption = "heatmaps_path";

std::span<const OptionSpec> option_specs();

// The maximum, the mean of three norms, the 3-norm and the 2-norm.
std::vector<std::string> metric_names(const OptionSet& set);

// The intensity of PQ and HLG video, unless one was given.
Resolution resolve(OptionSet& options, const VideoFormats& formats, AskedBy asked_by);

struct ButteraugliPlan {
  PlaneSize size = {};
  float intensity = 0;  // of light that is 1, in cd/m2
  Weights weights = {};
  std::vector<ScalePlan> scales = {};
  light::Conversion reference = {}, distorted = {};
};

// Throws Error: kUsage without a reference, kMismatch for videos of different sizes, with chroma that cannot
// be read, or without a way to RGB.
ButteraugliPlan make_plan(const OptionSet& set, const VideoFormats& formats);

// Samples of heat maps are the map's times this.
inline constexpr float kHeatmapSteps = 256;
// Needs: rows of `width`.
void draw_heatmap_row(const float* map, int width, uint16_t* out);

FrameValues values_of(const Figures& figures);

}  // namespace vq::butteraugli
