// Stands in for the backends that need Vulkan in a build without it.
#include "core/error.h"
#include "feature/device_bandwidth.h"
#include "feature/device_extractor.h"
#include "feature/adm/feature.h"
#include "feature/bounds/feature.h"
#include "feature/cambi/feature.h"
#include "feature/fingerprint/feature.h"
#include "feature/histogram/feature.h"
#include "feature/motion/feature.h"
#include "feature/psnr/feature.h"
#include "feature/speed/feature.h"
#include "feature/ssim/feature.h"
#include "feature/vif/feature.h"

namespace vq {

DeviceBandwidth device_bandwidth(const std::string&) {
  throw Error(ErrorKind::kBackend, "this build has no Vulkan (CAMBI_VULKAN=OFF)");
}

std::unique_ptr<FeatureExtractor> make_device_extractor(std::span<const FeatureRequest>, const InputFormats&,
                                                        const Execution& execution) {
  throw Error(ErrorKind::kBackend, "this build has no " + std::string(to_string(execution.backend)) +
                                       " backend: it was made with CAMBI_VULKAN=OFF");
}

size_t device_slots(const Execution&) {
  return 0;
}

size_t device_results(const Execution&) {
  return 0;
}

int64_t upload_bytes(const FrameUse&, const InputFormats&) {
  return 0;
}

}  // namespace vq

namespace vq::adm {
const DeviceSupport* device_support() { return nullptr; }
FeatureMemory device_memory(const AdmPlan&) { return {}; }
std::vector<StageBytes> device_stage_bytes(const AdmPlan&, const InputFormats&) { return {}; }
}  // namespace vq::adm

namespace vq::bounds {
const DeviceSupport* device_support() { return nullptr; }
FeatureMemory device_memory(const BoundsPlan&) { return {}; }
}  // namespace vq::bounds

namespace vq::cambi {
const DeviceSupport* device_support() { return nullptr; }
FeatureMemory device_memory(const CambiPlans&, const Execution&) { return {}; }
}  // namespace vq::cambi

namespace vq::fingerprint {
const DeviceSupport* device_support() { return nullptr; }
FeatureMemory device_memory(const FingerprintPlan&) { return {}; }
}  // namespace vq::fingerprint

namespace vq::histogram {
const DeviceSupport* device_support() { return nullptr; }
FeatureMemory device_memory(const HistogramPlan&) { return {}; }
}  // namespace vq::histogram

namespace vq::motion {
const DeviceSupport* device_support() { return nullptr; }
FeatureMemory device_memory(const VideoFormat&) { return {}; }
}  // namespace vq::motion

namespace vq::psnr {
const DeviceSupport* device_support() { return nullptr; }
FeatureMemory device_memory(const PsnrPlan&) { return {}; }
}  // namespace vq::psnr

namespace vq::speed {
const DeviceSupport* chroma_device_support() { return nullptr; }
const DeviceSupport* temporal_device_support() { return nullptr; }
FeatureMemory chroma_device_memory(const SpeedPlan&, int64_t) { return {}; }
FeatureMemory temporal_device_memory(const SpeedPlan&, int64_t) { return {}; }
}  // namespace vq::speed

namespace vq::ssim {
const DeviceSupport* device_support() { return nullptr; }
FeatureMemory device_memory(const SsimPlan&, const Execution&) { return {}; }
}  // namespace vq::ssim

namespace vq::vif {
const DeviceSupport* device_support() { return nullptr; }
FeatureMemory device_memory(const VifPlan&) { return {}; }
}  // namespace vq::vif
