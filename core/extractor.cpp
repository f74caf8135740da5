#include "core/extractor.h"

namespace vq {

std::string_view to_string(Backend backend) {
  switch (backend) {
    case Backend::kScalar:
      return "scalar";
    case Backend::kCpu:
      return "cpu";
    case Backend::kHybrid:
      return "hybrid";
    case Backend::kVulkan:
      return "vulkan";
  }
  return "unknown";
}

}  // namespace vq
