#include "feature/histogram/flags.h"

namespace vq::histogram {
namespace {

constexpr FeatureFlag kFlags[] = {
    {.name = "--histograms",
     .type = "FILE",
     .help = "write the histograms of all frames: .npy for NumPy, or .csv",
     .option = "file"},
};

}  // namespace

std::span<const FeatureFlag> flags() {
  return kFlags;
}

}  // namespace vq::histogram
