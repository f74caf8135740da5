#include "feature/ssimulacra2/ssimulacra2.h"

#include "core/elementary.h"

namespace vq::ssimulacra2 {
namespace {

// The reference's weights that are not 0, by their index: channel by channel, scale by scale, means before
// 4-norms, and structure, artefact, detail.
struct Weight {
  size_t index;
  double weight;
};
constexpr Weight kWeights[] = {
    {1, 0.0007376606707406586},   {4, 0.0007793481682867309},  {7, 0.0004371155730107379},
    {9, 1.1041726426657346},      {10, 0.00066284834129271},   {11, 0.00015231632783718752},
    {13, 0.0016406437456599754},  {15, 1.8422455520539298},    {16, 11.441172603757666},
    {18, 0.0007989109436015163},  {19, 0.000176816438078653},  {21, 1.8787594979546387},
    {22, 10.94906990605142},      {24, 0.0007289346991508072}, {25, 0.9677937080626833},
    {27, 0.00014003424285435884}, {28, 0.9981766977854967},    {29, 0.00031949755934435053},
    {30, 0.0004550992113792063},  {33, 0.0013648766163243398}, {39, 7.466890328078848},
    {41, 17.445833984131262},     {42, 0.0006235601634041466}, {45, 6.683678146179332},
    {46, 0.00037724407979611296}, {47, 1.027889937768264},     {48, 225.20515300849274},
    {51, 19.213238186143016},     {52, 0.0011401524586618361}, {53, 0.001237755635509985},
    {54, 176.39317598450694},     {57, 24.43300999870476},     {58, 0.28520802612117757},
    {59, 0.0004485436923833408},  {63, 34.77906344483772},     {64, 44.835625328877896},
    {73, 0.0008680556573291698},  {79, 0.0005313191874358747}, {81, 0.00016533814161379112},
    {87, 0.0004179171803251336},  {88, 0.0017290828234722833}, {90, 0.0020827005846636437},
    {93, 8.826982764996862},      {94, 23.19243343998926},     {96, 95.1080498811086},
    {97, 0.9863978034400682},     {98, 0.9834382792465353},    {99, 0.0012286405048278493},
    {100, 171.2667255897307},     {101, 0.9807858872435379},   {105, 0.0005130064588990679},
    {107, 0.00010854057858411537}};
constexpr double kLeastOfShort = 0.01;

double weight_at(size_t index, bool is_short) {
  const auto* const found = std::ranges::find(kWeights, index, &Weight::index);
  if (found == std::end(kWeights) || (is_short && found->weight <= kLeastOfShort)) return 0;
  return found->weight;
}

std::vector<PlaneSize> scale_sizes(PlaneSize size) {
  std::vector<PlaneSize> sizes;
  while (sizes.size() < kMostScales) {
    sizes.push_back(size);
    if (std::min(size.width, size.height) < kLeastSide) break;
    size = {(size.width + 1) / 2, (size.height + 1) / 2};
  }
  return sizes;
}

// The index runs on over the scales that exist: smaller pictures take weights that were meant for others, as
// in the reference.
std::vector<ScalePlan> scale_plans(PlaneSize size, bool is_short) {
  const std::vector<PlaneSize> sizes = scale_sizes(size);
  std::vector<ScalePlan> scales(sizes.size());
  size_t index = 0;
  for (size_t channel = 0; channel < kChannels; ++channel) {
    for (size_t k = 0; k < scales.size(); ++k) {
      scales[k].size = sizes[k];
      for (size_t norm = 0; norm < kNorms; ++norm) {
        for (size_t map = 0; map < kMaps; ++map)
          scales[k].weights[channel][sum_index(map, norm)] = weight_at(index++, is_short);
      }
    }
  }
  const auto is_needed = [](const ScalePlan& scale) {
    return scale.needs(kX) || scale.needs(kY) || scale.needs(kB);
  };
  while (scales.size() > 1 && !is_needed(scales.back())) scales.pop_back();
  return scales;
}

}  // namespace

bool ScalePlan::needs(size_t channel) const {
  return std::ranges::any_of(weights[channel], [](double weight) { return weight > 0; });
}

Plan Ssimulacra2::make_plan(const Options& options, const VideoFormats& formats) {
  const ComparedVideos videos = compared_videos(kFeatureName, formats);
  require_sides(kFeatureName, formats, kLeastSide);
  const auto conversion_of = [&](const VideoFormat& video) {
    return light::make_conversion(light::reading_of(options, video), video);
  };
  return {.options = options,
          .distorted = conversion_of(formats.distorted),
          .reference = conversion_of(*formats.reference),
          .scales = scale_plans(videos.size, options.form == kForms[0])};
}

std::array<float, kMaps> local_weights(const ScalePlan& scale, size_t channel) {
  std::array<float, kMaps> weights = {};
  for (size_t map = 0; map < kMaps; ++map) {
    for (size_t norm = 0; norm < kNorms; ++norm)
      weights[map] += static_cast<float>(scale.weights[channel][sum_index(map, norm)]);
  }
  return weights;
}

double weighted_norms(const Plan& plan, std::span<const ScaleTotals> totals) {
  double sum = 0;
  for (size_t channel = 0; channel < kChannels; ++channel) {
    for (size_t k = 0; k < plan.scales.size(); ++k) {
      const ScalePlan& scale = plan.scales[k];
      const double samples = static_cast<double>(scale.size.width) * scale.size.height;
      for (size_t norm = 0; norm < kNorms; ++norm) {
        for (size_t map = 0; map < kMaps; ++map) {
          const size_t i = sum_index(map, norm);
          const double mean = totals[k][channel][i] / samples;
          const double value = norm == kMean ? mean : std::sqrt(std::sqrt(mean));
          sum += scale.weights[channel][i] * std::abs(value);
        }
      }
    }
  }
  return sum;
}

// The reference's polynomial and power.
double score_of(double weighted_norms) {
  const double s = weighted_norms * 0.9562382616834844;
  const double t =
      ((2.326765642916932 * s) - (0.020884521182843837 * s) * s) + ((6.248496625763138e-05 * s) * s) * s;
  // Powers of less are below the resolution of a score.
  constexpr double kLeast = 1e-60;
  return t > kLeast ? 100 - 10 * elementary::power(t, 0.6276336467831387) : 100;
}

}  // namespace vq::ssimulacra2
