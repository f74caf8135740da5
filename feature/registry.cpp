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
#include "feature/psnr/feature.h"
#include "feature/psnr_hvs/feature.h"
#include "feature/speed/feature.h"
#include "feature/ssim/feature.h"
#include "feature/vif/feature.h"

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

const FeatureInfo& find_feature(std::string_view name) {
  std::vector<std::string> names;
  for (const FeatureInfo* info : features()) {
    if (info->name == name || (!info->alias.empty() && info->alias == name)) return *info;
    names.emplace_back(info->name);
  }
  const std::string near = nearest(name, names);
  throw Error(ErrorKind::kUsage,
              "unknown feature \"" + printable(name) + "\"." +
                  (near.empty() ? " See: cambi features" : " Did you mean \"" + near + "\"?"));
}

}  // namespace vq
