#include "feature/fingerprint/fingerprint.h"

#include <algorithm>
#include <cstdio>

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

FingerprintPlan Fingerprint::make_plan(const Options& options, const VideoFormats& formats) {
  const VideoFormat& video = formats.distorted;
  FingerprintPlan plan;
  plan.planes = std::min(planes(options), plane_count(video.chroma));
  for (int i = 0; i < plan.planes; ++i)
    plan.sizes[static_cast<size_t>(i)] = plane_size({video.width, video.height}, video.chroma, i);
  plan.bit_depth = video.bit_depth;
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

std::unique_ptr<FrameSequence> Fingerprint::make_sequence(const Options&) {
  return std::make_unique<RepeatCount>();
}

namespace {

class FingerprintHost final : public PlannedHost<FingerprintPlan, Stages> {
 public:
  using PlannedHost::PlannedHost;

  FrameResult score(const FramePair& frames) override {
    std::vector<LaneSums> planes;
    for (int i = 0; i < plan_.planes; ++i) {
      planes.push_back(stages_.plane_sums(frames.distorted.planes[static_cast<size_t>(i)], i));
    }
    return frame_result(plan_, planes);
  }
};

constexpr MetricInfo repeats_of(std::string_view name, std::string_view title, std::string_view explanation) {
  return {.name = name,
          .title = title,
          .subject = "repeated frames",
          .better = Better::kLower,
          .flawless = 0,
          .explanation = explanation,
          .decimals = 0};
}
constexpr MetricInfo with_note(MetricInfo info, double from, std::string_view meaning) {
  info.noteworthy = from;
  info.noteworthy_meaning = meaning;
  return info;
}
// How long a run of repeats is worth telling depends on the frame rate and the material, so no length is.
constexpr MetricInfo kMetrics[] = {
    with_note(repeats_of("fingerprint_repeated", "repeated frame",
                         "1 where the samples are those of the frame before, else 0."),
              1, "visible as stutter"),
    repeats_of("fingerprint_repeat_run", "repeats in a row",
               "How many frames up to this one repeat the one before.")};

}  // namespace

const FeatureInfo& feature_info() {
  static const FeatureInfo kInfo = describe<Fingerprint, FingerprintHost>(
      {.name = "fingerprint",
       .summary = "128-bit hash of each frame's samples, and which frames repeat the one before",
       .metrics = kMetrics,
       .text_names = [](const OptionSet& set) { return std::vector{set.metric_name("fingerprint")}; }});
  return kInfo;
}

}  // namespace vq::fingerprint
