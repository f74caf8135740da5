// The fingerprint: its options, metric names, final computation, and registry entry.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/frame.h"
#include "feature/feature.h"

namespace vq::fingerprint {

// Four sums, each modulo 2^32, of the same words mixed in four ways.
inline constexpr size_t kLanes = 4;
using LaneSums = std::array<uint32_t, kLanes>;

LaneSums operator+(const LaneSums& a, const LaneSums& b);

// The four mixes of a word by its place. With one place each is a permutation of the words. Needs: x < 2^13,
// y < 2^14, plane < 4.
struct Place {
  int x = 0, y = 0, plane = 0;
};
LaneSums mixed_word(uint32_t word, const Place& place);

// A permutation of 32-bit words whose every output bit depends on all of its input.
uint32_t mixed(uint32_t value);

// Adds up mixed_word() of a plane as decoded, of any stride and alignment and without guards: nothing beyond
// its rows is read. The words of a row hold its samples from the left, four of 8 bits or two deeper ones, the
// leftmost in the lowest bits, and zeros behind the last. Needs: sides of at most kMaxSide; 0 <= plane <
// kMaxPlanes.
using PlaneSums = LaneSums (*)(const SampleView& view, int plane);

namespace scalar {
// The readable reference, in ordinary C++.
LaneSums plane_sums(const SampleView& view, int plane);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
PlaneSums plane_sums_for(int64_t target);
}  // namespace simd

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
