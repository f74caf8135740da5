#include "feature/registry.h"

#include <algorithm>
#include <numeric>

#include "core/error.h"
#include "core/text.h"
#include "feature/adm/adm.h"
#include "feature/bounds/bounds.h"
#include "feature/cambi/cambi.h"
#include "feature/ciede/ciede.h"
#include "feature/fingerprint/fingerprint.h"
#include "feature/histogram/histogram.h"
#include "feature/model_scores.h"
#include "feature/motion/motion.h"
#include "feature/psnr/psnr.h"
#include "feature/psnr_hvs/psnr_hvs.h"
#include "feature/speed/speed.h"
#include "feature/ssim/ssim.h"
#include "feature/vif/vif.h"

namespace vq {

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

const MetricInfo& metric_info(const Metric& metric) {
  return metric.info != nullptr ? *metric.info : known_metric(metric.name);
}

const MetricInfo& metric_info(const Report& report, std::string_view metric) {
  const Metric* const found = find_metric(report, metric);
  return found != nullptr ? metric_info(*found) : known_metric(metric);
}

const MetricInfo& known_metric(std::string_view name) {
  static constexpr MetricInfo kUnknown = {};
  if (const MetricInfo* const score = find_model_score(name); score != nullptr) return *score;
  const MetricInfo* found = &kUnknown;
  for (const FeatureInfo* info : features()) {
    const MetricInfo* const own = find_metric_info(info->metrics, name);
    if (own != nullptr && own->name.size() > found->name.size()) found = own;
  }
  return *found;
}

const FeatureInfo* feature_of_metric(const Metric& metric) {
  const MetricInfo& info = metric_info(metric);
  const auto is_it = [&](const MetricInfo& own) { return &own == &info; };
  const auto has_it = [&](const FeatureInfo* feature) {
    return std::any_of(feature->metrics.begin(), feature->metrics.end(), is_it);
  };
  const auto found = std::find_if(features().begin(), features().end(), has_it);
  return found == features().end() ? nullptr : *found;
}

bool is_neutral(const Metric& metric) {
  const MetricInfo& info = metric_info(metric);
  return is_known(info) && info.better == Better::kNeither;
}

std::string base_name(const Metric& metric) {
  const std::string_view name = metric_info(metric).name;
  return name.empty() ? metric.name : std::string(name);
}

bool is_model_score(const Metric& metric) {
  return model_part(metric_info(metric)) == ModelPart::kScore;
}

std::vector<size_t> speaking_order(std::span<const Metric> metrics) {
  const auto place = [&](size_t i) {
    const Metric& metric = metrics[i];
    return (is_neutral(metric) ? 3 : 0) + (is_model_score(metric) ? 0 : metric.is_inner ? 2 : 1);
  };
  std::vector<size_t> order(metrics.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return place(a) < place(b); });
  return order;
}

size_t leading_metric(std::span<const Metric> metrics) {
  return metrics.empty() ? 0 : speaking_order(metrics).front();
}

const FeatureInfo& find_feature(std::string_view name) {
  std::vector<std::string> names;
  for (const FeatureInfo* info : features()) {
    if (info->name == name || (!info->alias.empty() && info->alias == name)) return *info;
    names.emplace_back(info->name);
  }
  const std::string near = nearest(name, names);
  throw Error(ErrorKind::kUsage, "unknown feature \"" + printable(name) + "\"." +
                                     (near.empty() ? "" : " Did you mean \"" + near + "\"?"));
}

}  // namespace vq
