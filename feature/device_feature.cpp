#include "feature/device_feature.h"

#include <algorithm>

#include "core/error.h"
#include "core/frame_memory.h"
#include "feature/stage_clock.h"

namespace vq {

const vulkan::DevicePicture& DeviceFrame::needed_reference() const {
  if (reference == nullptr)
    throw Error(ErrorKind::kInternal, "a device has no reference for a feature that uses it");
  return *reference;
}

class WholeFrames::Finish final : public HostFinish {
 public:
  Finish(const WholeFrames& whole, const FramePair& frames) : whole_(whole), frames_(frames) {}
  FrameResult finish() override {
    return whole_.times_.time(kWholeStage, [&] {
      frames_.distorted = on_host(frames_.distorted);
      frames_.reference = on_host(frames_.reference.value());
      return whole_.feature_->score(frames_);
    });
  }

 private:
  const WholeFrames& whole_;
  FramePair frames_;
};

WholeFrames::WholeFrames(std::unique_ptr<HostFeature> feature, StageTimes& times)
    : feature_(std::move(feature)), times_(times) {}
WholeFrames::~WholeFrames() = default;

std::unique_ptr<HostFinish> WholeFrames::finish_of(const FramePair& frames) const {
  return std::make_unique<Finish>(*this, frames);
}

bool DeviceRun::looks_at_every_frame() const {
  return std::any_of(parts.begin(), parts.end(), [](const DevicePart& part) { return part.every_frame; });
}

vulkan::Requirement device_requirement(std::span<const FeatureInfo* const> features, Backend backend) {
  return [infos = std::vector(features.begin(), features.end()), backend](const vulkan::DeviceInfo& device) {
    for (const FeatureInfo* info : infos) {
      const DeviceSupport* const support = device_support(*info);
      if (support == nullptr) continue;  // left to the host
      std::string reason = support->unsupported(backend, device);
      if (!reason.empty()) return reason;
    }
    return std::string();
  };
}

}  // namespace vq
