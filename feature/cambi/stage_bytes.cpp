#include "feature/cambi/cambi.h"

#include "feature/cambi/host.h"

namespace vq::cambi {
namespace {

// Of a sample: images have 10 bits in two bytes, masks a byte, c-values are floats.
constexpr int64_t kImage = 2, kMask = 1, kValue = 4;
// Bit planes, which the device makes of image and mask for c-values: twelve bits a sample.
constexpr int64_t kPlanesNumerator = 3, kPlanesDenominator = 2;

class Sizes {
 public:
  explicit Sizes(const CambiPlan& plan)
      : input_(int64_t{plan.input_width} * plan.input_height * (plan.input_depth > 8 ? 2 : 1)),
        whole_(int64_t{plan.width} * plan.height) {
    int last_width = plan.width;
    int64_t last = whole_;
    for (const ScalePlan& scale : plan.scales) {
      const int64_t own = int64_t{scale.width} * scale.height;
      scales_ += own;
      // Of a scale that is halved only every second column is needed.
      const bool halved = scale.width != last_width;
      filter_read_ += halved ? int64_t{last_width} * scale.height : last;
      if (halved) halved_ += own;
      last_width = scale.width;
      last = own;
    }
    first_ = plan.halve_first ? 0 : whole_;
  }

  // Whole pictures on the host: the first scale is filtered in `prepare`, and c-values never leave the
  // caches.
  std::vector<StageBytes> on_host() const {
    const int64_t coarse = scales_ - first_;
    return {{std::string(kPrepare), input_ + (kImage + kMask) * whole_},
            {std::string(kDecimate), 2 * (kImage + kMask) * coarse},
            {std::string(kModeFilter), 2 * kImage * coarse},
            {std::string(kCValues), (kImage + kMask) * scales_}};
  }

  std::vector<StageBytes> of_device_stages(bool decimates_masks) const {
    std::vector<StageBytes> stages = {{"preprocess", input_ + kImage * whole_},
                                      {"mask", (kImage + kMask) * whole_},
                                      {std::string(kModeFilter), kImage * (scales_ + filter_read_)}};
    if (decimates_masks) stages.push_back({std::string(kDecimate), 2 * kMask * halved_});
    return stages;
  }

  std::vector<StageBytes> hybrid() const {
    std::vector<StageBytes> stages = of_device_stages(true);
    stages.push_back({std::string(kReadbackStage), (kImage + kMask) * scales_});
    stages.push_back({std::string(kCValues), (kImage + kMask) * scales_});
    return stages;
  }

  std::vector<StageBytes> vulkan() const {
    const int64_t planes = kPlanesNumerator * scales_ / kPlanesDenominator;
    std::vector<StageBytes> stages = of_device_stages(false);
    stages.push_back({"slice", (2 * kImage + kMask) * scales_ + planes});
    stages.push_back({std::string(kCValues), (kImage + kValue) * scales_ + planes});
    stages.push_back({std::string(kPooling), kValue * scales_});
    return stages;
  }

 private:
  // Bytes of the luma; samples at the encode size, of all scales, of the first where it is the whole, read by
  // the mode filters, and of scales that are smaller than the one before.
  const int64_t input_, whole_;
  int64_t scales_ = 0, first_ = 0, filter_read_ = 0, halved_ = 0;
};

std::vector<StageBytes> of_picture(const CambiPlan& plan, Backend backend) {
  const Sizes sizes(plan);
  if (backend == Backend::kHybrid) return sizes.hybrid();
  return backend == Backend::kVulkan ? sizes.vulkan() : sizes.on_host();
}

}  // namespace

std::vector<StageBytes> stage_bytes(const CambiPlans& plans, Backend backend) {
  std::vector<StageBytes> all = of_picture(plans.distorted, backend);
  if (!plans.source) return all;
  const std::vector<StageBytes> source = of_picture(*plans.source, backend);
  for (size_t i = 0; i < all.size(); ++i) all[i].bytes += source[i].bytes;
  return all;
}

}  // namespace vq::cambi
