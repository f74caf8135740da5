// What the fingerprints of a video need, and what becomes of the sums of a frame.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>

#include "feature/feature.h"
#include "feature/fingerprint/stages.h"

namespace vq::fingerprint {

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

}  // namespace vq::fingerprint
