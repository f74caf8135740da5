// Stands in for the backends that need Vulkan in a build without it.
#include "core/error.h"
#include "feature/cambi/hybrid_extractor.h"
#include "feature/cambi/vulkan_extractor.h"

namespace vq::cambi {

std::unique_ptr<FeatureExtractor> make_hybrid_extractor(const CambiOptions&, const InputFormats&,
                                                        const Execution&) {
  throw Error(ErrorKind::kBackend, "this build has no hybrid backend: it was made with CAMBI_VULKAN=OFF");
}

std::unique_ptr<FeatureExtractor> make_vulkan_extractor(const CambiOptions&, const InputFormats&,
                                                        const Execution&) {
  throw Error(ErrorKind::kBackend, "this build has no vulkan backend: it was made with CAMBI_VULKAN=OFF");
}

vulkan::Requirement vulkan_requirement() {
  return {};
}

vulkan::Requirement hybrid_requirement() {
  return {};
}

int64_t vulkan_extractor_bytes(const CambiPlans&, const Execution&) {
  return 0;
}

int64_t hybrid_extractor_bytes(const CambiPlans&, const Execution&) {
  return 0;
}

}  // namespace vq::cambi
