#include "feature/feature.h"

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "feature/adm/adm.h"
#include "feature/bounds/bounds.h"
#include "feature/butteraugli/butteraugli.h"
#include "feature/cambi/cambi.h"
#include "feature/ciede/ciede.h"
#include "feature/cvvdp/cvvdp.h"
#include "feature/fingerprint/fingerprint.h"
#include "feature/histogram/histogram.h"
#include "feature/itp/itp.h"
#include "feature/light_level/light_level.h"
#include "feature/motion/motion.h"
#include "feature/psnr/psnr.h"
#include "feature/psnr_hvs/psnr_hvs.h"
#include "feature/siti/siti.h"
#include "feature/speed/speed.h"
#include "feature/ssim/ssim.h"
#include "feature/ssimulacra2/ssimulacra2.h"
#include "feature/stretches/stretches.h"
#include "feature/vif/vif.h"
#include "feature/xpsnr/xpsnr.h"

namespace vq {

std::span<const FeatureInfo* const> features() {
  static const FeatureInfo* const kFeatures[] = {
      &cambi::feature_info(),     &bounds::feature_info(),       &fingerprint::feature_info(),
      &histogram::feature_info(), &motion::feature_info(),       &psnr::feature_info(),
      &psnr_hvs::feature_info(),  &speed::chroma_feature_info(), &speed::temporal_feature_info(),
      &vif::feature_info(),       &adm::feature_info(),          &ssim::ssim_info(),
      &ssim::ms_ssim_info(),      &ciede::feature_info(),        &butteraugli::feature_info(),
      &cvvdp::feature_info(),     &ssimulacra2::feature_info(),  &xpsnr::feature_info(),
      &itp::feature_info(),       &light_level::feature_info(),  &siti::feature_info(),
      &stretches::feature_info(),
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
  throw usage_error("unknown feature \"" + printable(name) + "\"." +
                    (near.empty() ? "" : " Did you mean \"" + near + "\"?"));
}

}  // namespace vq
