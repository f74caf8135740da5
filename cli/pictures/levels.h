// Histograms of a run reduced for drawing: of single frames, of all together, and the levels of each frame.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "feature/feature.h"

namespace vq::cli {

// Maximum number of bins of a drawn histogram.
inline constexpr size_t kDrawnBins = 128;
// Number of units in which the shares of these bins are expressed.
inline constexpr double kDrawnUnit = 10000;

struct DrawnHistogram {
  // Share of samples in each of kDrawnBins equal parts of the range, in units of 1 / kDrawnUnit; one part per
  // bin if there are fewer.
  std::vector<uint16_t> shares;
  double clipped_low = 0, clipped_high = 0;  // fractions of the samples, 0..1
};
// Needs: as many counts as there are bins.
DrawnHistogram drawn(const HistogramInfo& info, std::span<const uint64_t> counts);
// For each channel of a frame; none if it has no histograms.
std::vector<DrawnHistogram> drawn(std::span<const HistogramInfo> infos,
                                  std::span<const std::vector<uint32_t>> histograms);

// One channel over all frames.
struct ChannelLevels {
  HistogramInfo info;
  // For each frame, the bin at or below which 1, 50 and 99 % of the samples lie.
  std::vector<uint16_t> p1, p50, p99;
  std::vector<uint64_t> counts;  // of all frames together
};

// Records the levels of a run's frames.
class LevelRecorder {
 public:
  explicit LevelRecorder(const std::vector<HistogramInfo>& infos);
  // The histograms of the next frame. Needs: as many channels as there are infos, each with a sample.
  void add(std::span<const std::vector<uint32_t>> histograms);
  const std::vector<ChannelLevels>& channels() const { return channels_; }

 private:
  std::vector<ChannelLevels> channels_;
};

}  // namespace vq::cli
