// What tests of extractors share: pictures to push and a sink that keeps what comes out.
#pragma once

#include "core/worker_pool.h"
#include "feature/feature.h"
#include "tests/support/stage_test.h"

namespace vq::test {

struct Scores : ScoreSink {
  void scored(const FrameScores& scores) override {
    const FrameResult& result = scores.results.front();
    frames.push_back(scores.frame);
    all.push_back(result.values);
    for (const Plane<uint16_t>& map : result.heatmaps) {
      for (int y = 0; y < map.height(); ++y)
        heatmaps.insert(heatmaps.end(), map.row(y), map.row(y) + map.width());
    }
  }
  std::vector<int64_t> frames;
  std::vector<std::vector<double>> all;
  std::vector<uint16_t> heatmaps;
};

// A picture of 8 or more bits, owned by the frame.
inline Frame make_frame(Pattern pattern, Size size, int depth, int64_t index) {
  const Canvas<uint16_t> image =
      make_image(pattern, size, (1 << depth) - 1, static_cast<unsigned>(index * 3 + size.width));
  const auto luma = std::make_shared<DecodedPlane>(size.width, size.height, depth);
  luma->fill([&](int x, int y) { return image.view().row(y)[x]; });
  Frame frame = luma_frame(*luma, index);
  frame.owner = luma;
  return frame;
}

inline VideoFormat make_format(const std::string& name, Size size, int depth) {
  return {.name = name, .width = size.width, .height = size.height, .bit_depth = depth};
}

// Pushes all frames, with repeats marked, and finishes.
inline void score_all(FeatureExtractor& extractor, std::vector<FramePair> frames, ScoreSink& scores) {
  RepeatFinder distorted, reference;
  for (FramePair& pair : frames) {
    distorted.mark(pair.distorted);
    if (pair.reference) reference.mark(*pair.reference);
    extractor.push(pair, scores);
  }
  extractor.finish(scores);
}

}  // namespace vq::test
