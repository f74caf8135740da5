// The fingerprint: its options, metric names, final computation, and registry entry.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "feature/feature.h"
#include "feature/fingerprint/stages.h"

namespace vq::fingerprint {

std::span<const OptionSpec> option_specs();

// Number of planes that are hashed, for pictures with 1 or 3 planes.
int used_planes(const OptionSet& set, int picture_planes);
// What is reported of a frame, in order: whether it repeats the one before, and how many frames up to it do
// so.
std::vector<std::string> metric_names(const OptionSet& set);
std::vector<std::string> text_names(const OptionSet& set);

struct FingerprintPlan {
  int planes = 1;                           // that are looked at
  std::array<PlaneSize, kMaxPlanes> sizes;  // of them
  int bit_depth = 8;
};

FingerprintPlan make_plan(const OptionSet& set, const VideoFormat& format);

// The hash of a picture from the sums of its planes, in order. Needs: as many sums as there are planes in the
// plan.
LaneSums fingerprint(const FingerprintPlan& plan, std::span<const LaneSums> planes);

// 32 lower-case hexadecimal digits, the first lane first.
std::string fingerprint_text(const LaneSums& hash);

// The result of a frame but for what the frames before say.
FrameResult frame_result(const FingerprintPlan& plan, std::span<const LaneSums> planes);

// Makes the values of results from their texts.
std::unique_ptr<FrameSequence> make_repeat_count();

const FeatureInfo& feature_info();

// On a Vulkan device. The hybrid and the vulkan backend are one: the device sums up mixed words by work
// groups, the host adds those sums and makes the hash.
extern const DeviceSupport kDeviceSupport;

}  // namespace vq::fingerprint
