// What tests of CAMBI's extractors on devices share: pictures of a case, and the scores that the CPU gives
// them.
#pragma once

#include "feature/cambi/cambi.h"
#include "feature/device_feature.h"
#include "feature/extractor.h"
#include "tests/support/extractor_test.h"

namespace vq::cambi::test {

using namespace vq::test;

// CAMBI alone on the CPU, from options as numbers.
inline std::unique_ptr<FeatureExtractor> make_on_host(const CambiOptions& options,
                                                      const VideoFormats& formats,
                                                      const Execution& execution) {
  std::vector<HostPart> parts;
  parts.push_back({make_host_feature(make_plans(options, formats), execution)});
  return make_host_extractor(std::move(parts), {.planes = 1, .reference = options.full_ref}, formats,
                             execution);
}

// CAMBI alone on an open device, from options as numbers.
inline std::unique_ptr<FeatureExtractor> make_on_devices(
    const std::vector<std::shared_ptr<vulkan::Device>>& devices, const CambiOptions& options,
    const VideoFormats& formats, const Execution& execution) {
  std::vector<DeviceRun> runs;
  for (const std::shared_ptr<vulkan::Device>& device : devices) {
    DeviceRun& run = runs.emplace_back();
    run.context = std::make_shared<vulkan::Context>(device);
    run.parts.push_back(
        {make_device_feature(make_plans(options, formats), execution, *run.context), "cambi"});
    run.use.reference = options.full_ref;
  }
  return make_device_extractor_on(std::move(runs), formats, execution);
}

inline std::unique_ptr<FeatureExtractor> make_on_device(const std::shared_ptr<vulkan::Device>& device,
                                                        const CambiOptions& options,
                                                        const VideoFormats& formats,
                                                        const Execution& execution) {
  return make_on_devices({device}, options, formats, execution);
}

struct ExtractorCase {
  Size size;
  int depth = 8;
  CambiOptions options = {};
};

inline std::vector<FramePair> make_frames(const ExtractorCase& what, int count) {
  constexpr Pattern kPatterns[] = {Pattern::kSteps, Pattern::kRamp, Pattern::kFlatWithDots,
                                   Pattern::kTwoLevels, Pattern::kBorders};
  std::vector<FramePair> frames(static_cast<size_t>(count));
  for (int i = 0; i < count; ++i) {
    FramePair& pair = frames[static_cast<size_t>(i)];
    pair.index = i;
    pair.distorted = make_frame(kPatterns[i % 5], what.size, what.depth, i);
    if (what.options.full_ref) pair.reference = make_frame(Pattern::kRamp, what.size, what.depth, i);
  }
  return frames;
}

inline VideoFormats formats_of(const ExtractorCase& what) {
  VideoFormats formats = {make_format("dist.y4m", what.size, what.depth), std::nullopt};
  if (what.options.full_ref) formats.reference = make_format("ref.y4m", what.size, what.depth);
  return formats;
}

inline Scores host_scores(const ExtractorCase& what, const std::vector<FramePair>& frames,
                          bool heatmaps = false) {
  WorkerPool pool(2);
  Scores scores;
  const Execution execution{.backend = Backend::kScalar, .pool = &pool, .heatmaps = heatmaps};
  score_all(*make_on_host(what.options, formats_of(what), execution), frames, scores);
  return scores;
}

}  // namespace vq::cambi::test
