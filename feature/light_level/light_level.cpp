#define HWY_TARGET_INCLUDE "feature/light_level/light_level.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "core/number_text.h"
#include "feature/light_level/light_level.h"

#if HWY_ONCE
namespace vq::light_level {

void scalar::levels(light::RgbRow<const float> light, float factor, int width, uint32_t* out) {
  for (int x = 0; x < width; ++x) {
    const float most = std::max(std::max(std::max(light.r[x], light.g[x]), light.b[x]), 0.0F);
    out[x] = static_cast<uint32_t>(std::min(most * factor + 0.5F, static_cast<float>(light::kMostAmount)));
  }
}

}  // namespace vq::light_level
#endif  // HWY_ONCE

#if HWY_TARGET != HWY_SCALAR
HWY_BEFORE_NAMESPACE();
namespace vq::light_level::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Runs on into guards.
void levels(light::RgbRow<const float> light, float factor, int width, uint32_t* out) {
  const hn::ScalableTag<float> d;
  const hn::RebindToSigned<decltype(d)> s;
  const hn::RebindToUnsigned<decltype(d)> u;
  const auto scale = hn::Set(d, factor), half = hn::Set(d, 0.5F),
             top = hn::Set(d, static_cast<float>(light::kMostAmount));
  const int step = static_cast<int>(hn::Lanes(d));
  for (int x = 0; x < width; x += step) {
    const auto colours =
        hn::Max(hn::Max(hn::LoadU(d, light.r + x), hn::LoadU(d, light.g + x)), hn::LoadU(d, light.b + x));
    const auto most = hn::Max(colours, hn::Zero(d));
    const auto amount = hn::ConvertTo(s, hn::Min(hn::Add(hn::Mul(most, scale), half), top));
    hn::StoreU(hn::BitCast(u, amount), u, out + x);
  }
}

}  // namespace vq::light_level::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif  // HWY_SCALAR

#if HWY_ONCE
VQ_DISPATCH(vq::light_level, levels)

namespace vq::light_level {
namespace {

// The primaries make no difference here.
light::LightOptions reading_options(const Options& options) {
  light::LightOptions native = options;
  native.primaries = "bt709";
  return native;
}

struct Workspace {
  Workspace(const Plan& plan, const light::Stages& stages)
      : rows(stages, plan.conversion),
        light(plan.conversion.size.width, 3),
        amounts(plan.conversion.size.width, 1) {}

  light::LightRows rows;
  Plane<float> light;
  Plane<uint32_t> amounts;
};

class LightLevelHost final : public light::LightHost<Plan, Stages, Workspace> {
 public:
  using LightHost::LightHost;

  FrameResult score(const FramePair& frames) override {
    const auto workspace = workspaces_.take();
    const auto [width, height] = plan_.conversion.size;
    Plane<float>& light = workspace->light;
    uint32_t* const amounts = workspace->amounts.row(0);
    light::Amounts counted;
    workspace->rows.start(frames.distorted);
    for (int y = 0; y < height; ++y) {
      workspace->rows.row(y, {light.row(0), light.row(1), light.row(2)});
      stages_.levels({light.row(0), light.row(1), light.row(2)}, plan_.factor, width, amounts);
      counted.add({amounts, static_cast<size_t>(width)});
    }
    return frame_result(counted);
  }
};

// Neither bright nor dark pictures are better.
constexpr MetricInfo level_of(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .unit = "cd/m2",
          .subject = "light",
          .explanation = explanation,
          .decimals = 1};
}
constexpr MetricInfo percentile_of(size_t i, std::string_view title) {
  MetricInfo info = level_of(kPercentiles[i].name, title,
                             "The light that this share of the picture's pixels does not exceed.");
  info.is_detail = true;
  return info;
}
constexpr MetricInfo kMetrics[] = {
    level_of(kLargest, "brightest pixel",
             "The largest of R, G and B of all pixels, as light. The largest of a film is its MaxCLL: of the "
             "decoded picture, whose colours at sharp edges are brighter than the master's if chroma is "
             "subsampled."),
    level_of(kMean, "frame-average light",
             "The mean over all pixels of the largest of R, G and B, as light. The largest of a film is its "
             "MaxFALL."),
    percentile_of(0, "light, 50 %"),
    percentile_of(1, "light, 99 %"),
    percentile_of(2, "light, 99.9 %"),
    percentile_of(3, "light, 99.99 %")};

Resolution resolve(OptionSet& set, const VideoFormats& formats, AskedBy) {
  return {.notes = light::notes_on(reading_options(options_of<LightLevel>(set)), formats.distorted),
          .warnings = {}};
}

}  // namespace

double light_unit(light::Curve curve) { return curve == light::Curve::kHlg ? 1000 : 100; }

Plan LightLevel::make_plan(const Options& options, const VideoFormats& formats) {
  const light::Reading reading = light::reading_of(reading_options(options), formats.distorted);
  return {.conversion = light::make_conversion(reading, formats.distorted),
          .factor = static_cast<float>(light::kAmountUnit * light_unit(reading.curve))};
}

std::vector<std::string> LightLevel::names(const Options&) {
  std::vector<std::string> names = {std::string(kLargest), std::string(kMean)};
  for (const Percentile& percentile : kPercentiles) names.emplace_back(percentile.name);
  return names;
}

std::vector<std::pair<std::string, double>> LightLevel::aggregates(const Plan&,
                                                                   std::span<const double> totals) {
  std::vector<std::pair<std::string, double>> figures;
  uint64_t samples = 0;
  for (const double count : totals) samples += static_cast<uint64_t>(count);
  if (samples == 0) return figures;
  for (const auto& [name, share] : kPercentiles)
    figures.emplace_back(name, light::amount_percentile(totals, samples, share));
  return figures;
}

FrameResult frame_result(const light::Amounts& amounts) {
  FrameResult result{.values = {amounts.largest(), amounts.mean()}};
  for (const auto& [name, share] : kPercentiles) result.values.push_back(amounts.percentile(share));
  // So the percentiles of a run are those of all its samples.
  result.tallies.assign(amounts.bins.begin(), amounts.bins.end());
  return result;
}

std::vector<std::pair<std::string, double>> of_frames(std::span<const std::span<const double>> columns) {
  const auto stored = [](double level) { return std::clamp(std::floor(level + 0.5), 1.0, 65535.0); };
  const double maxcll = std::ranges::max(columns[0]), maxfall = std::ranges::max(columns[1]);
  return {{"maxcll", maxcll},
          {"maxfall", maxfall},
          {"maxcll_stored", stored(maxcll)},
          {"maxfall_stored", stored(maxfall)}};
}

std::vector<std::string> remarks_on(std::span<const std::pair<std::string, double>> figures,
                                    const StoredLight& stored, light::Curve curve) {
  const auto figure = [&](std::string_view name) {
    const auto found = std::ranges::find(figures, name, &std::pair<std::string, double>::first);
    return found == figures.end() ? 0 : found->second;
  };
  // A difference of rounding and of the last pixels is none.
  const auto exceeds = [](double level, double than) { return level > than * 1.02 + 1; };
  const auto number = [](double level) { return fixed_text(level, 0); };
  const double most = figure("light_p99_99"), maxcll = figure("maxcll"), maxfall = figure("maxfall");
  std::vector<std::string> remarks;
  const bool is_stored = stored.maxcll || stored.maxfall || stored.mastering_peak;
  if (curve != light::Curve::kPq) {
    if (is_stored)
      remarks.push_back(words("light levels are stored, but {} does without", light::to_string(curve)));
    return remarks;
  }
  if (!stored.maxcll) remarks.emplace_back("the file stores no MaxCLL and no MaxFALL");
  if (stored.maxcll == 0.0) remarks.emplace_back("the file says that its MaxCLL is unknown");
  if (stored.maxfall == 0.0) remarks.emplace_back("the file says that its MaxFALL is unknown");
  if (stored.maxcll.value_or(0) > 0) {
    if (exceeds(most, *stored.maxcll))
      remarks.push_back(words("MaxCLL is stored too low: {} cd/m2, and one pixel of 10000 has over {}",
                              number(*stored.maxcll), number(most)));
    if (maxcll < *stored.maxcll / 2)
      remarks.push_back(words("MaxCLL is stored too high: {} cd/m2, and the brightest pixel has {}",
                              number(*stored.maxcll), number(maxcll)));
  }
  if (stored.maxfall.value_or(0) > 0 &&
      (exceeds(maxfall, *stored.maxfall) || exceeds(*stored.maxfall, maxfall)))
    remarks.push_back(
        words("MaxFALL is stored as {} cd/m2 and measured as {}", number(*stored.maxfall), number(maxfall)));
  for (const auto& [name, level] :
       {std::pair{"MaxCLL", stored.maxcll}, std::pair{"MaxFALL", stored.maxfall}}) {
    if (level && stored.mastering_peak && *level > *stored.mastering_peak)
      remarks.push_back(words("{} is stored as {} cd/m2, which is over the peak of the mastering display, {}",
                              name, number(*level), number(*stored.mastering_peak)));
  }
  return remarks;
}

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<LightLevel, LightLevelHost>(
      {.name = kFeatureName,
       .summary = "light of each frame in cd/m2, from which MaxCLL and MaxFALL of the film follow",
       .publication = {.citation = "CTA-861.3: HDR Static Metadata Extensions, 2015"},
       .metrics = kMetrics,
       .of_frames = [](const OptionSet&,
                       std::span<const std::span<const double>> columns) { return of_frames(columns); },
       .remarks =
           [](const OptionSet& set, const VideoFormats& formats,
              std::span<const std::pair<std::string, double>> figures) {
             const light::LightOptions options = reading_options(options_of<LightLevel>(set));
             return remarks_on(figures, formats.distorted.stored_light,
                               light::reading_of(options, formats.distorted).curve);
           },
       .resolve = resolve,
       .reading =
           [](const OptionSet& set, const VideoFormat& video) {
             auto words = light::in_words(
                 light::reading_of(reading_options(options_of<LightLevel>(set)), video), video);
             std::erase_if(words, [](const auto& word) { return word.first == "primaries"; });
             return words;
           }});
  return kInfo;
}

}  // namespace vq::light_level
#endif  // HWY_ONCE
