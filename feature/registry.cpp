#include "feature/feature.h"

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

// Null in a build without Vulkan, which has none of them.
#ifdef VQ_VULKAN
#define VQ_ON_DEVICES(support) (&(support))
#else
#define VQ_ON_DEVICES(support) nullptr
#endif

struct Registered {
  const FeatureInfo* info;
  const DeviceSupport* support;
};

static std::span<const Registered> registered() {
  static const Registered kAll[] = {
      {&cambi::feature_info(), VQ_ON_DEVICES(cambi::kDeviceSupport)},
      {&bounds::feature_info(), VQ_ON_DEVICES(bounds::kDeviceSupport)},
      {&fingerprint::feature_info(), VQ_ON_DEVICES(fingerprint::kDeviceSupport)},
      {&histogram::feature_info(), VQ_ON_DEVICES(histogram::kDeviceSupport)},
      {&motion::feature_info(), VQ_ON_DEVICES(motion::kDeviceSupport)},
      {&psnr::feature_info(), VQ_ON_DEVICES(psnr::kDeviceSupport)},
      {&psnr_hvs::feature_info(), VQ_ON_DEVICES(psnr_hvs::kDeviceSupport)},
      {&speed::chroma_feature_info(), VQ_ON_DEVICES(speed::kChromaDeviceSupport)},
      {&speed::temporal_feature_info(), VQ_ON_DEVICES(speed::kTemporalDeviceSupport)},
      {&vif::feature_info(), VQ_ON_DEVICES(vif::kDeviceSupport)},
      {&adm::feature_info(), VQ_ON_DEVICES(adm::kDeviceSupport)},
      {&ssim::ssim_info(), VQ_ON_DEVICES(ssim::kDeviceSupport)},
      {&ssim::ms_ssim_info(), VQ_ON_DEVICES(ssim::kMsSsimDeviceSupport)},
      {&ciede::feature_info(), VQ_ON_DEVICES(ciede::kDeviceSupport)},
      {&butteraugli::feature_info(), VQ_ON_DEVICES(butteraugli::kDeviceSupport)},
      {&cvvdp::feature_info(), VQ_ON_DEVICES(cvvdp::kDeviceSupport)},
      {&ssimulacra2::feature_info(), VQ_ON_DEVICES(ssimulacra2::kDeviceSupport)},
      {&xpsnr::feature_info(), VQ_ON_DEVICES(xpsnr::kDeviceSupport)},
      {&itp::feature_info(), VQ_ON_DEVICES(itp::kDeviceSupport)},
      {&light_level::feature_info(), VQ_ON_DEVICES(light_level::kDeviceSupport)},
      {&siti::feature_info(), VQ_ON_DEVICES(siti::kDeviceSupport)},
      {&stretches::feature_info(), VQ_ON_DEVICES(stretches::kDeviceSupport)},
  };
  return kAll;
}

std::span<const FeatureInfo* const> features() {
  static const std::vector<const FeatureInfo*> infos = [] {
    return mapped(registered(), &Registered::info);
  }();
  return infos;
}

const DeviceSupport* device_support(const FeatureInfo& info) {
  const auto found = std::ranges::find(registered(), &info, &Registered::info);
  return found == registered().end() ? nullptr : found->support;
}

const FeatureInfo& default_feature() { return *features().front(); }

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
