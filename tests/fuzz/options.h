// Options of features for fuzz targets, and what is asked of their scores.
#pragma once

#include <span>
#include <vector>

#include "core/options.h"
#include "feature/feature.h"
#include "tests/fuzz/target.h"

namespace vq::fuzz {

// In range, each set in one input of two; numbers are at most what `most_of` says. Half of the real ones are
// round, as some options take few others.
OptionSet take_options(ByteTaker& taker, std::span<const OptionSpec> specs,
                       double (*most_of)(const OptionSpec&));

// Whatever kind of not a number.
bool same_bits(const std::vector<double>& a, const std::vector<double>& b);

// What an extractor says of all frames: scores, heatmaps, or the error that ended it.
struct Verdict : ScoreSink {
  std::vector<double> values;
  std::vector<uint16_t> heatmap_samples;
  std::string error;

  void scored(const FrameScores& scores) override {
    const FrameValues& found = scores.results[0].values;
    values.insert(values.end(), found.begin(), found.end());
    for (const Plane<uint16_t>& map : scores.results[0].heatmaps) {
      for (int y = 0; y < map.height(); ++y)
        heatmap_samples.insert(heatmap_samples.end(), map.row(y), map.row(y) + map.width());
    }
  }
};

}  // namespace vq::fuzz
