#include "feature/registry.h"

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "feature/adm/feature.h"
#include "feature/bounds/feature.h"
#include "feature/cambi/feature.h"
#include "feature/ciede/feature.h"
#include "feature/fingerprint/feature.h"
#include "feature/histogram/feature.h"
#include "feature/motion/feature.h"
#include "feature/model_scores.h"
#include "feature/psnr/feature.h"
#include "feature/psnr_hvs/feature.h"
#include "feature/speed/feature.h"
#include "feature/vif/feature.h"
#include "feature/ssim/feature.h"

namespace vq {
namespace {

struct KnownMetric {
  const MetricInfo& info;
  const FeatureInfo* feature;  // null: no feature here has it
};

KnownMetric find_metric(std::string_view metric) {
  static const MetricInfo kUnknown = {};
  const MetricInfo* found = &kUnknown;
  const FeatureInfo* feature = nullptr;
  for (const FeatureInfo* info : features()) {
    const MetricInfo* const own = find_metric_info(info->metrics, metric);
    if (own == nullptr || own->name.size() <= found->name.size()) continue;
    found = own;
    feature = info;
  }
  const MetricInfo* const score = find_model_score(metric);
  if (score != nullptr && score->name.size() >= found->name.size()) return {*score, nullptr};
  return {*found, feature};
}

}  // namespace

std::span<const FeatureInfo* const> features() {
  static const FeatureInfo* const kFeatures[] = {
      &cambi::feature_info(),
      &bounds::feature_info(),
      &fingerprint::feature_info(),
      &histogram::feature_info(),
      &motion::feature_info(),
      &psnr::feature_info(),
      &psnr_hvs::feature_info(),
      &speed::chroma_feature_info(),
      &speed::temporal_feature_info(),
      &vif::feature_info(),
      &adm::feature_info(),
      &ssim::ssim_info(),
      &ssim::ms_ssim_info(),
      &ciede::feature_info(),
  };
  return kFeatures;
}

const FeatureInfo& default_feature() {
  return *features().front();
}

const MetricInfo& metric_info(std::string_view metric) {
  return find_metric(metric).info;
}

const FeatureInfo* feature_of_metric(std::string_view metric) {
  return find_metric(metric).feature;
}

bool is_neutral(std::string_view metric) {
  const MetricInfo& info = metric_info(metric);
  return !info.name.empty() && info.better == Better::kNeither;
}

size_t leading_metric(std::span<const std::string> metrics) {
  auto found = std::find_if(metrics.begin(), metrics.end(), is_model_score);
  if (found == metrics.end()) found = std::find_if_not(metrics.begin(), metrics.end(), is_neutral);
  return found == metrics.end() ? 0 : static_cast<size_t>(found - metrics.begin());
}

const FeatureInfo& find_feature(std::string_view name) {
  std::vector<std::string> names;
  for (const FeatureInfo* info : features()) {
    if (info->name == name) return *info;
    names.emplace_back(info->name);
  }
  const std::string near = nearest(name, names);
  throw Error(ErrorKind::kUsage,
              "unknown feature \"" + printable(name) + "\"." +
                  (near.empty() ? " See: cambi features" : " Did you mean \"" + near + "\"?"));
}

}  // namespace vq
