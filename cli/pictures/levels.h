// Histograms of a run made small enough to draw: of single frames, of all together, and the levels of each
// frame.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "feature/feature.h"

namespace vq::cli {

// A histogram is drawn with at most so many bins.
inline constexpr size_t kDrawnBins = 128;
// The shares of samples of which such bins are told.
inline constexpr double kDrawnUnit = 10000;

struct DrawnHistogram {
  // Of the samples in each of kDrawnBins equal parts of the range, in units of 1 / kDrawnUnit; as many parts
  // as there are bins where these are fewer.
  std::vector<uint16_t> shares;
  double clipped_low = 0, clipped_high = 0;  // shares of the samples, 0..1
};
// Needs: as many counts as there are bins.
DrawnHistogram drawn(const HistogramInfo& info, std::span<const uint64_t> counts);
// Of each channel of a frame; none where it has no histograms.
std::vector<DrawnHistogram> drawn(std::span<const HistogramInfo> infos,
                                  std::span<const std::vector<uint32_t>> histograms);

// One channel over all frames.
struct ChannelLevels {
  HistogramInfo info;
  // Of each frame, the bin that 1, 50 and 99 % of the samples lie in or below.
  std::vector<uint16_t> p1, p50, p99;
  std::vector<uint64_t> counts;  // of all frames together
};

// Follows the frames of a run.
class LevelRecorder {
 public:
  explicit LevelRecorder(const std::vector<HistogramInfo>& infos);
  // Those of the next frame. Needs: as many channels as there are infos, each with a sample.
  void add(std::span<const std::vector<uint32_t>> histograms);
  const std::vector<ChannelLevels>& channels() const { return channels_; }

 private:
  std::vector<ChannelLevels> channels_;
};

}  // namespace vq::cli
