#include "feature/butteraugli/butteraugli.h"

namespace vq::butteraugli {
namespace {

constexpr MetricInfo score_of(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .subject = "distortion",
          .better = Better::kLower,
          .flawless = 0,
          .usual_top = 10,
          .explanation = explanation};
}
constexpr MetricInfo kMetrics[] = {
    score_of("butteraugli", "Butteraugli",
             "The largest visible difference from the reference anywhere in the picture: 0 for identical "
             "pictures, about 1 where it can just be noticed when both are flipped."),
    score_of("butteraugli_3norm", "Butteraugli's 3-norm",
             "The mean of three norms of the visible differences, as libjxl's program prints it: 0 for "
             "identical pictures."),
    score_of("butteraugli_norm3", "Butteraugli's plain 3-norm",
             "The cube root of the mean cube of the visible differences: 0 for identical pictures."),
    score_of("butteraugli_norm2", "Butteraugli's plain 2-norm",
             "The root of the mean square of the visible differences: 0 for identical pictures.")};

constexpr int kTileRows = static_cast<int>(kTile);

// The light of a picture, for both scales.
struct PictureLight {
  PictureLight(const light::Stages& stages, const light::Conversion& conversion)
      : whole(stages, conversion), half(stages, conversion) {}

  PictureSources start(const Frame& frame) {
    whole.start(frame);
    half.start(frame);
    return {source_of(whole), source_of(half)};
  }
  static LightSource source_of(light::LightRows& rows) {
    return [&rows](int y, const Rows3<float>& out) { rows.row(y, {out[0], out[1], out[2]}); };
  }

  light::LightRows whole, half;
};

// The reference is this many rows ahead of the pictures that are compared with it in turn, so that each finds
// its own rows still in the cache for a while.
constexpr int kStripRows = 2 * kTileRows;

// A picture that is compared, and what is found of it.
struct Compared {
  Compared(const ButteraugliPlan& plan, const MapSetting& setting, const light::Stages& stages,
           ScaledBands& reference)
      : light(stages, plan.distorted),
        map(setting, reference),
        tiles(counted_size<TileSums>(static_cast<size_t>(tiles_across(plan.size.width)) *
                                     static_cast<size_t>(tiles_across(plan.size.height)))) {}

  PictureLight light;
  DifferenceMap map;
  std::vector<TileSums> tiles;
};

struct Workspace {
  Workspace(const ButteraugliPlan& plan, const MapSetting& setting, const light::Stages& stages, int behind)
      : light(stages, plan.reference), reference(plan.scales, setting.stages, plan.intensity, behind) {}

  PictureLight light;
  ScaledBands reference;
  std::vector<std::unique_ptr<Compared>> pictures;  // as many as were ever compared at once
};

class ButteraugliHost final : public HostFeature {
 public:
  ButteraugliHost(const ButteraugliPlan& plan, const Execution& execution)
      : plan_(plan),
        stages_(Stages::of(execution)),
        light_(light::Stages::of(execution)),
        draws_(execution.heatmaps),
        behind_(rows_behind(execution)),
        workspaces_([this] { return make_workspace(); }) {}

  FrameResult score(const FramePair& frames) override {
    const FramePair* const one = &frames;
    return std::move(score_together({&one, 1}).front());
  }

  std::vector<FrameResult> score_together(std::span<const FramePair* const> pairs) override {
    std::vector<FrameResult> results(pairs.size());
    for (FrameResult& result : results) {
      result.values = values_of({});
      if (draws_) result.heatmaps.emplace_back(plan_.size.width, plan_.size.height);
    }
    if (plan_.scales.empty()) return results;
    const auto workspace = workspaces_.take();
    std::vector<std::unique_ptr<Compared>>& pictures = workspace->pictures;
    while (pictures.size() < pairs.size()) pictures.push_back(make_compared(*workspace));
    workspace->reference.start(workspace->light.start(pairs.front()->reference.value()));
    for (size_t i = 0; i < pairs.size(); ++i)
      pictures[i]->map.start(pictures[i]->light.start(pairs[i]->distorted));
    for (int first = 0; first < plan_.size.height; first += kStripRows) {
      const int end = std::min(first + kStripRows, plan_.size.height);
      for (size_t i = 0; i < pairs.size(); ++i) {
        for (int y = first; y < end; y += kTileRows) compare_tiles(y, *pictures[i], results[i]);
      }
    }
    for (size_t i = 0; i < pairs.size(); ++i)
      results[i].values = values_of(figures_of(pictures[i]->tiles, plan_.size));
    return results;
  }

  // Bytes of the work memory for one picture.
  int64_t workspace_bytes() const {
    if (plan_.scales.empty()) return 0;
    return counted_bytes([this] {
      auto workspace = make_workspace();
      workspace->pictures.push_back(make_compared(*workspace));
      return workspace;
    });
  }

  // How many rows further those below may have read the reference.
  static int rows_behind(const Execution& execution) { return execution.group != nullptr ? kStripRows : 0; }

 private:
  MapSetting setting() const { return {plan_.scales, plan_.weights, stages_, plan_.intensity}; }
  std::unique_ptr<Workspace> make_workspace() const {
    return std::make_unique<Workspace>(plan_, setting(), light_, behind_);
  }
  std::unique_ptr<Compared> make_compared(Workspace& workspace) const {
    return std::make_unique<Compared>(plan_, setting(), light_, workspace.reference);
  }

  // The tiles that begin in row y.
  void compare_tiles(int y, Compared& picture, FrameResult& result) const {
    const auto across = static_cast<size_t>(tiles_across(plan_.size.width));
    const int count = std::min(kTileRows, plan_.size.height - y);
    std::array<const float*, kTile> rows{};
    for (int k = 0; k < count; ++k) {
      const float* const row = picture.map.row(y + k);
      rows[static_cast<size_t>(k)] = row;
      if (draws_) draw_heatmap_row(row, plan_.size.width, result.heatmaps.front().row(y + k));
    }
    sum_tiles(std::span(rows).first(static_cast<size_t>(count)), plan_.size.width,
              std::span(picture.tiles).subspan(static_cast<size_t>(y / kTileRows) * across, across));
  }

  const ButteraugliPlan plan_;
  const Stages stages_;
  const light::Stages light_;
  const bool draws_;
  const int behind_;
  WorkspacePool<Workspace> workspaces_;
};

// Light that is 1 in PQ and in HLG, on the display that its system gamma is for.
constexpr std::string_view kPqIntensity = "100", kHlgIntensity = "1000";

constexpr size_t kSamples = size_t{kTile} * kTile;
constexpr uint32_t kMantissaBits = 23, kLargestExponent = 254;
constexpr int kExponentOf1 = 127;

uint32_t exponent_of(float x) { return std::bit_cast<uint32_t>(x) >> kMantissaBits; }

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

// The intensity of PQ and HLG video, unless one was given.
Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  Resolution resolution;
  if (!formats.reference) return resolution;
  const ButteraugliOptions options = options_of<Butteraugli>(set);
  resolution.notes = light::notes_on(options, *formats.reference);
  for (std::string& note : light::notes_on(options, formats.distorted)) {
    if (!contains(resolution.notes, note)) resolution.notes.push_back(std::move(note));
  }
  if (set.is_set(kIntensityOption)) return resolution;
  const light::Curve curve = light::reading_of(options, *formats.reference).curve;
  if (curve != light::Curve::kPq && curve != light::Curve::kHlg) return resolution;
  const std::string_view intensity = curve == light::Curve::kPq ? kPqIntensity : kHlgIntensity;
  set.resolve(kIntensityOption, intensity);
  resolution.notes.push_back(words("{}={} ({})", kIntensityOption, intensity, light::to_string(curve)));
  return resolution;
}

std::vector<HeatmapInfo> heatmaps(const OptionSet& set, const VideoFormats& formats) {
  const PlaneSize size = plan_of<Butteraugli>(set, formats).size;
  return {{.scale = 0, .width = size.width, .height = size.height, .score_weight = 1.0 / kHeatmapSteps}};
}

FeatureMemory memory(const OptionSet& set, const VideoFormats& formats, const Execution& execution) {
  const ButteraugliHost host(plan_of<Butteraugli>(set, formats), execution);
  return {.fixed = thread_count(execution) * host.workspace_bytes()};
}

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Butteraugli, ButteraugliHost>({
      .name = "butteraugli",
      .summary = "visible differences of colours and detail from the reference, the largest and norms",
      .publication = {.citation =
                          "Alakuijala, Obryk, Stoliarchuk, Szabadka, Vandevenne, Wassenberg: Guetzli: "
                          "Perceptually Guided JPEG Encoder, arXiv, 2017",
                      .doi = "10.48550/arXiv.1703.04421"},
      .metrics = kMetrics,
      .resolve = resolve,
      .reading =
          [](const OptionSet& set, const VideoFormat& video) {
            return light::in_words(light::reading_of(options_of<Butteraugli>(set), video), video);
          },
      .heatmap_option = kHeatmapOption,
      .heatmaps = heatmaps,
      .shares_reference = true,
      .memory = memory,
  });
  return kInfo;
}

std::unique_ptr<HostFeature> make_host_feature(const ButteraugliPlan& plan, const Execution& execution) {
  return std::make_unique<ButteraugliHost>(plan, execution);
}

ButteraugliPlan Butteraugli::make_plan(const Options& options, const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos("butteraugli", formats);
  const auto conversion_of = [&](const VideoFormat& video) {
    if (video.chroma == Chroma::kOther) require_chroma("butteraugli", formats);
    return light::make_conversion(light::reading_of(options, video), video);
  };
  return {.options = options,
          .size = videos.size,
          .intensity = static_cast<float>(options.intensity),
          .weights = make_weights(options.asymmetry),
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
