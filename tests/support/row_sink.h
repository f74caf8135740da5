// What tests of extractors without pictures share: frames that are numbers, and a sink that keeps rows of
// values.
#pragma once

#include "core/frame.h"
#include "core/metric.h"

namespace vq::test {

inline FramePair numbered_pair(int64_t index, int repeated_planes = 0, bool is_reported = true) {
  FramePair pair;
  pair.index = index;
  pair.distorted.repeated_planes = repeated_planes;
  pair.is_reported = is_reported;
  return pair;
}

// A row has the frame's number, then the values of all results.
struct RowSink : ScoreSink {
  void scored(const FrameScores& scores) override {
    frames.push_back(scores.frame);
    reported.push_back(scores.is_reported);
    std::vector<double>& row = rows.emplace_back(1, static_cast<double>(scores.frame));
    for (const FrameResult& result : scores.results)
      row.insert(row.end(), result.values.begin(), result.values.end());
  }
  std::vector<int64_t> frames;
  std::vector<bool> reported;
  std::vector<std::vector<double>> rows;
};

}  // namespace vq::test
