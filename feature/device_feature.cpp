#include "feature/device_feature.h"

#include "core/content_hash.h"

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

bool DeviceRun::looks_at_every_frame() const { return std::ranges::any_of(parts, &DevicePart::every_frame); }

vulkan::Requirement device_requirement(std::span<const FeatureInfo* const> features, Backend backend) {
  return [infos = std::vector(features.begin(), features.end()), backend](const vulkan::DeviceInfo& device) {
    std::string first;
    for (const FeatureInfo* info : infos) {
      const DeviceSupport* const support = device_support(*info);
      if (support == nullptr) continue;  // left to the host
      const std::string reason = support->unsupported(backend, device);
      if (reason.empty()) return std::string();
      if (first.empty()) first = reason;
    }
    return first;
  };
}

std::vector<const FeatureInfo*> features_lacking(std::span<const FeatureInfo* const> features,
                                                 Backend backend,
                                                 std::span<const vulkan::DeviceInfo> devices) {
  std::vector<const FeatureInfo*> lacking, without_doubles;
  size_t supported = 0;
  for (const FeatureInfo* info : features) {
    const DeviceSupport* const support = device_support(*info);
    if (support == nullptr) continue;
    ++supported;
    const auto refuses = [&](const vulkan::DeviceInfo& device) {
      return !support->unsupported(backend, device).empty();
    };
    const auto has_none = [&](const vulkan::DeviceInfo& device) {
      return support->needs_doubles && !device.has_doubles;
    };
    if (std::ranges::any_of(devices, refuses)) {
      lacking.push_back(info);
    } else if (std::ranges::any_of(devices, has_none)) {
      without_doubles.push_back(info);
    }
  }
  if (lacking.size() + without_doubles.size() < supported)
    lacking.insert(lacking.end(), without_doubles.begin(), without_doubles.end());
  return lacking;
}

bool DeviceCertificate::passes() const {
  return std::ranges::all_of(features, [](const CheckedFeature& each) { return each.problem.empty(); });
}

uint64_t DeviceCertificate::digest() const {
  ContentHash hash;
  for (const CheckedFeature& feature : features) {
    hash.add(words("{}, {}{}\n", feature.name, feature.video, feature.problem.empty() ? "" : ": refused"));
    for (const StageDigest& stage : feature.stages)
      hash.add(words("{} {}\n", stage.stage, hash_text(stage.digest)));
  }
  return hash.value();
}

}  // namespace vq
