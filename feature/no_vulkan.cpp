// Stands in for the backends that need Vulkan in a build without it.
#include "feature/device_feature.h"
#include "feature/extractor.h"

namespace vq {

DeviceBandwidth device_bandwidth(const std::string&) {
  throw Error(ErrorKind::kBackend, "this build has no Vulkan (CAMBI_VULKAN=OFF)");
}

DeviceCertificate check_device(const vulkan::DeviceOptions&, std::span<const FeatureInfo* const>) {
  throw Error(ErrorKind::kBackend, "this build has no Vulkan (CAMBI_VULKAN=OFF)");
}

std::unique_ptr<FeatureExtractor> make_device_extractor(std::span<const FeatureRequest>, const VideoFormats&,
                                                        const Execution& execution) {
  throw Error(ErrorKind::kBackend, "this build has no " + std::string(to_string(execution.backend)) +
                                       " backend: it was made with CAMBI_VULKAN=OFF");
}

size_t device_slots(const Execution&) { return 0; }

size_t device_results(const Execution&) { return 0; }

bool fits_on_devices(const Execution&, const VideoFormats&, const Fitting&) { return false; }

int64_t fitted_bytes(const FrameNeeds&, const VideoFormats&, const Fitting&) { return 0; }

int64_t upload_bytes(const FrameNeeds&, const VideoFormats&) { return 0; }

}  // namespace vq
