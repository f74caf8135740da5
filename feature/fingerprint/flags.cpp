#include "feature/fingerprint/flags.h"

namespace vq::fingerprint {
namespace {

constexpr FeatureFlag kFlags[] = {
    {.name = "--planes",
     .type = "y|all",
     .help = "what a fingerprint depends on: luma (default), or all planes",
     .option = "planes"},
};

}  // namespace

std::span<const FeatureFlag> flags() {
  return kFlags;
}

}  // namespace vq::fingerprint
