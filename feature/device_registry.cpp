// The features that run on Vulkan devices.

#include "feature/adm/adm.h"
#include "feature/bounds/bounds.h"
#include "feature/butteraugli/butteraugli.h"
#include "feature/cambi/cambi.h"
#include "feature/ciede/ciede.h"
#include "feature/cvvdp/cvvdp.h"
#include "feature/device_feature.h"
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

const DeviceSupport* device_support(const FeatureInfo& info) {
  static const std::pair<const FeatureInfo*, const DeviceSupport*> kSupported[] = {
      {&adm::feature_info(), &adm::kDeviceSupport},
      {&bounds::feature_info(), &bounds::kDeviceSupport},
      {&butteraugli::feature_info(), &butteraugli::kDeviceSupport},
      {&cambi::feature_info(), &cambi::kDeviceSupport},
      {&ciede::feature_info(), &ciede::kDeviceSupport},
      {&cvvdp::feature_info(), &cvvdp::kDeviceSupport},
      {&fingerprint::feature_info(), &fingerprint::kDeviceSupport},
      {&histogram::feature_info(), &histogram::kDeviceSupport},
      {&itp::feature_info(), &itp::kDeviceSupport},
      {&light_level::feature_info(), &light_level::kDeviceSupport},
      {&motion::feature_info(), &motion::kDeviceSupport},
      {&psnr::feature_info(), &psnr::kDeviceSupport},
      {&psnr_hvs::feature_info(), &psnr_hvs::kDeviceSupport},
      {&siti::feature_info(), &siti::kDeviceSupport},
      {&speed::chroma_feature_info(), &speed::kChromaDeviceSupport},
      {&speed::temporal_feature_info(), &speed::kTemporalDeviceSupport},
      {&ssim::ssim_info(), &ssim::kDeviceSupport},
      {&ssimulacra2::feature_info(), &ssimulacra2::kDeviceSupport},
      {&ssim::ms_ssim_info(), &ssim::kMsSsimDeviceSupport},
      {&stretches::feature_info(), &stretches::kDeviceSupport},
      {&vif::feature_info(), &vif::kDeviceSupport},
      {&xpsnr::feature_info(), &xpsnr::kDeviceSupport},
  };
  for (const auto& [feature, support] : kSupported) {
    if (feature == &info) return support;
  }
  return nullptr;
}

}  // namespace vq
