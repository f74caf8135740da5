#include "feature/butteraugli/plan.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>

#include "feature/metric_type.h"

namespace vq::butteraugli {
namespace {

constexpr std::array<std::string_view, 4> kMetricNames = {"butteraugli", "butteraugli_3norm",
                                                          "butteraugli_norm3", "butteraugli_norm2"};
// libjxl's for pictures that are not HDR.
constexpr double kUsualIntensity = 80;
// Light that is 1 in PQ and in HLG, on the display that its system gamma is for.
constexpr std::string_view kPqIntensity = "100", kHlgIntensity = "1000";

}  // namespace

std::span<const OptionSpec> option_specs() {
  static const auto kSpecs = light::with_option_specs(std::array{
      OptionSpec{.name = kIntensityOption,
                 .kind = OptionKind::kReal,
                 .default_number = kUsualIntensity,
                 .min = 1,
                 .max = 10000,
                 .help = "brightness of white in cd/m2; left out, it is 100 for PQ and 1000 for HLG"},
      OptionSpec{.name = kAsymmetryOption,
                 .kind = OptionKind::kReal,
                 .default_number = 1,
                 .min = 0.1,
                 .max = 10,
                 .help = "how much more artefacts count than lost detail; 1: the same"},
      OptionSpec{.name = kHeatmapOption,
                 .kind = OptionKind::kPath,
                 .in_metric_name = false,
                 .help = "folder for the maps of differences; none: no maps"}});
  return kSpecs;
}

std::vector<std::string> metric_names(const OptionSet& set) {
  std::vector<std::string> names;
  for (const std::string_view name : kMetricNames) names.push_back(set.metric_name(name));
  return names;
}

Resolution resolve(OptionSet& options, const VideoFormats& formats, AskedBy) {
  Resolution resolution;
  if (!formats.reference) return resolution;
  resolution.notes = light::notes_on(options, *formats.reference);
  for (std::string& note : light::notes_on(options, formats.distorted)) {
    if (std::find(resolution.notes.begin(), resolution.notes.end(), note) == resolution.notes.end())
      resolution.notes.push_back(std::move(note));
  }
  if (options.is_set(kIntensityOption)) return resolution;
  const light::Curve curve = light::reading_of(options, *formats.reference).curve;
  if (curve != light::Curve::kPq && curve != light::Curve::kHlg) return resolution;
  const std::string_view intensity = curve == light::Curve::kPq ? kPqIntensity : kHlgIntensity;
  options.resolve(kIntensityOption, intensity);
  resolution.notes.push_back(std::string(kIntensityOption) + "=" + std::string(intensity) + " (" +
                             std::string(light::to_string(curve)) + ")");
  return resolution;
}

ButteraugliPlan make_plan(const OptionSet& set, const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos(kFeatureName, formats);
  const auto conversion_of = [&](const VideoFormat& video) {
    if (video.chroma == Chroma::kOther) require_chroma(kFeatureName, formats);
    return light::make_conversion(light::reading_of(set, video), video);
  };
  return {.size = videos.size,
          .intensity = static_cast<float>(set.get_real(kIntensityOption)),
          .weights = make_weights(set.get_real(kAsymmetryOption)),
          .scales = make_scales(videos.size),
          .reference = conversion_of(*formats.reference),
          .distorted = conversion_of(formats.distorted)};
}

void draw_heatmap_row(const float* map, int width, uint16_t* out) {
  for (int x = 0; x < width; ++x) out[x] = static_cast<uint16_t>(std::min(kHeatmapSteps * map[x], 65535.0F));
}

FrameValues values_of(const Figures& figures) {
  return {figures.maximum, figures.three_norms, figures.norm3, figures.norm2};
}

namespace {

constexpr size_t kSamples = size_t{kTile} * kTile;
constexpr uint32_t kMantissaBits = 23, kLargestExponent = 254;
constexpr int kExponentOf1 = 127;

uint32_t exponent_of(float x) {
  return std::bit_cast<uint32_t>(x) >> kMantissaBits;
}

// 2^exponent, as far as doubles reach.
double power_of_2(int exponent) {
  constexpr int kLeast = -1022, kMost = 1023;
  return std::bit_cast<double>(static_cast<uint64_t>(std::clamp(exponent, kLeast, kMost) + kMost) << 52);
}

float halved_sum(std::array<float, kSamples>& values) {
  for (size_t half = kSamples / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) values[i] = values[i] + values[i + half];
  }
  return values[0];
}

// By halves as well, which vectors can do.
float largest_of(std::array<float, kSamples> values) {
  for (size_t half = kSamples / 2; half > 0; half /= 2) {
    for (size_t i = 0; i < half; ++i) values[i] = values[i] < values[i + half] ? values[i + half] : values[i];
  }
  return values[0];
}

TileSums tile_sums(const std::array<float, kSamples>& samples) {
  TileSums sums;
  sums.maximum = largest_of(samples);
  if (sums.maximum == 0) return sums;
  const float scale = std::bit_cast<float>((kLargestExponent - exponent_of(sums.maximum)) << kMantissaBits);
  std::array<float, kSamples> squares, cubes, sixths, twelfths;
  for (size_t i = 0; i < kSamples; ++i) {
    const float scaled = samples[i] * scale, part = scaled < kLeastPart ? 0.0F : scaled;
    squares[i] = part * part;
    cubes[i] = squares[i] * part;
    sixths[i] = cubes[i] * cubes[i];
    const float sixth = sixths[i] < kLeastSixth ? 0.0F : sixths[i];
    twelfths[i] = sixth * sixth;
  }
  sums.squares = halved_sum(squares);
  sums.cubes = halved_sum(cubes);
  sums.sixths = halved_sum(sixths);
  sums.twelfths = halved_sum(twelfths);
  return sums;
}

}  // namespace

void sum_tiles(std::span<const float* const> rows, int width, std::span<TileSums> sums) {
  for (size_t tile = 0; tile < sums.size(); ++tile) {
    const int first = static_cast<int>(tile * kTile),
              count = std::min(static_cast<int>(kTile), width - first);
    std::array<float, kSamples> samples{};
    for (size_t y = 0; y < rows.size(); ++y) std::copy_n(rows[y] + first, count, samples.data() + y * kTile);
    sums[tile] = tile_sums(samples);
  }
}

double cube_root(double x) {
  if (x <= 0) return 0;
  // A first guess that is good to a tenth: the exponent divided by 3. Each step doubles the correct digits.
  constexpr uint64_t kExponentOf1Bits = std::bit_cast<uint64_t>(1.0);
  double r = std::bit_cast<double>(std::bit_cast<uint64_t>(x) / 3 + kExponentOf1Bits / 3 * 2);
  for (int i = 0; i < 6; ++i) r = r - (r - x / (r * r)) / 3;
  return r;
}

Figures figures_of(std::span<const TileSums> tiles, PlaneSize size) {
  Figures figures;
  double squares = 0, cubes = 0, sixths = 0, twelfths = 0;
  for (const TileSums& tile : tiles) {
    if (tile.maximum == 0) continue;
    figures.maximum = std::max(figures.maximum, static_cast<double>(tile.maximum));
    const int exponent = static_cast<int>(exponent_of(tile.maximum)) - kExponentOf1;
    squares += static_cast<double>(tile.squares) * power_of_2(2 * exponent);
    cubes += static_cast<double>(tile.cubes) * power_of_2(3 * exponent);
    sixths += static_cast<double>(tile.sixths) * power_of_2(6 * exponent);
    twelfths += static_cast<double>(tile.twelfths) * power_of_2(12 * exponent);
  }
  const double samples = static_cast<double>(size.width) * size.height;
  figures.norm2 = std::sqrt(squares / samples);
  figures.norm3 = cube_root(cubes / samples);
  const double norm6 = cube_root(std::sqrt(sixths / samples));
  const double norm12 = cube_root(std::sqrt(std::sqrt(twelfths / samples)));
  figures.three_norms = (figures.norm3 + norm6 + norm12) / 3;
  return figures;
}

}  // namespace vq::butteraugli
