// What tests of extractors share: pictures to push and a sink that keeps what comes out.
#pragma once

#include "core/repeats.h"
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
      heatmap_sizes.emplace_back(map.width(), map.height());
    }
  }
  std::vector<int64_t> frames;
  std::vector<std::vector<double>> all;
  std::vector<uint16_t> heatmaps;
  std::vector<std::pair<int, int>> heatmap_sizes;
};

// A picture of 8 or more bits, owned by the frame.
inline Frame make_frame(Pattern pattern, Size size, int depth, int64_t index) {
  struct Samples {
    std::vector<uint8_t> u8;
    std::vector<uint16_t> u16;
  };
  const auto samples = std::make_shared<Samples>();
  const Canvas<uint16_t> image =
      make_image(pattern, size, (1 << depth) - 1, static_cast<unsigned>(index * 3 + size.width));
  Frame frame;
  const ptrdiff_t stride = size.width + 3;
  const auto fill = [&](auto& store, auto& view) {
    store.assign(static_cast<size_t>(stride) * static_cast<size_t>(size.height), 0xEE);
    view = {store.data(), size.width, size.height, stride};
    for (int y = 0; y < size.height; ++y) {
      for (int x = 0; x < size.width; ++x) {
        using T = std::decay_t<decltype(store[0])>;
        store[static_cast<size_t>(y * stride + x)] = static_cast<T>(image.view().row(y)[x]);
      }
    }
  };
  if (depth == 8) {
    fill(samples->u8, frame.luma().u8);
  } else {
    fill(samples->u16, frame.luma().u16);
  }
  frame.bit_depth = depth;
  frame.index = index;
  frame.owner = samples;
  return frame;
}

inline VideoFormat make_format(const std::string& name, Size size, int depth) {
  VideoFormat format;
  format.name = name;
  format.width = size.width;
  format.height = size.height;
  format.bit_depth = depth;
  return format;
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
