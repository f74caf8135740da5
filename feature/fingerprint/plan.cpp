#include "feature/fingerprint/plan.h"

#include <cstdio>

#include "feature/fingerprint/options.h"

namespace vq::fingerprint {
namespace {

// The format is told by words of a plane that no picture has.
constexpr int kFormatPlane = kMaxPlanes;

LaneSums format_sums(const FingerprintPlan& plan) {
  const auto word = [](int number, int x, int y) {
    return mixed_word(static_cast<uint32_t>(number), {x, y, kFormatPlane});
  };
  LaneSums sums = word(plan.bit_depth, 0, 0) + word(plan.planes, 1, 0);
  for (int i = 0; i < plan.planes; ++i) {
    const PlaneSize size = plan.sizes[static_cast<size_t>(i)];
    sums = sums + word(size.width, 0, i + 1) + word(size.height, 1, i + 1);
  }
  return sums;
}

// Every lane gets something of every other. Each step can be undone, so that no two sums become one hash.
void stir(LaneSums& lanes) {
  lanes[0] += lanes[1] + lanes[2] + lanes[3];
  for (size_t i = 1; i < kLanes; ++i) lanes[i] += lanes[0];
}

class RepeatCount final : public FrameSequence {
 public:
  std::vector<FrameValues> next(const FrameResult& result) override {
    const std::string& hash = result.texts.front();
    run_ = hash == last_ ? run_ + 1 : 0;
    last_ = hash;
    return {{run_ > 0 ? 1.0 : 0.0, static_cast<double>(run_)}};
  }

 private:
  std::string last_;  // empty, which no hash is, before the first frame
  int64_t run_ = 0;
};

}  // namespace

FingerprintPlan make_plan(const OptionSet& set, const VideoFormat& format) {
  FingerprintPlan plan;
  plan.planes = used_planes(set, plane_count(format.chroma));
  for (int i = 0; i < plan.planes; ++i) {
    plan.sizes[static_cast<size_t>(i)] = plane_size({format.width, format.height}, format.chroma, i);
  }
  plan.bit_depth = format.bit_depth;
  return plan;
}

LaneSums fingerprint(const FingerprintPlan& plan, std::span<const LaneSums> planes) {
  LaneSums lanes = format_sums(plan);
  for (const LaneSums& sums : planes) lanes = lanes + sums;
  stir(lanes);
  for (uint32_t& lane : lanes) lane = mixed(lane);
  stir(lanes);
  return lanes;
}

std::string fingerprint_text(const LaneSums& hash) {
  std::string text;
  for (const uint32_t lane : hash) {
    char digits[9];
    std::snprintf(digits, sizeof digits, "%08x", static_cast<unsigned>(lane));
    text += digits;
  }
  return text;
}

FrameResult frame_result(const FingerprintPlan& plan, std::span<const LaneSums> planes) {
  return {.values = {0, 0}, .texts = {fingerprint_text(fingerprint(plan, planes))}};
}

std::unique_ptr<FrameSequence> make_repeat_count() {
  return std::make_unique<RepeatCount>();
}

}  // namespace vq::fingerprint
