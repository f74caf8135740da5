#include "cli/pictures/levels.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/histogram.h"

namespace vq::cli {
DrawnHistogram drawn(const HistogramInfo& info, std::span<const uint64_t> counts) {
  const size_t parts = std::min(kDrawnBins, counts.size());
  const auto low = static_cast<size_t>(info.low), high = static_cast<size_t>(info.high);
  std::vector<uint64_t> sums(parts);
  uint64_t samples = 0, clipped_low = 0, clipped_high = 0;
  for (size_t bin = 0; bin < counts.size(); ++bin) {
    sums[bin * parts / counts.size()] += counts[bin];
    samples += counts[bin];
    if (bin <= low) clipped_low += counts[bin];
    if (bin >= high) clipped_high += counts[bin];
  }
  const auto share_of = [&](uint64_t sum) {
    return static_cast<double>(sum) / static_cast<double>(std::max<uint64_t>(samples, 1));
  };
  DrawnHistogram result = {{}, share_of(clipped_low), share_of(clipped_high)};
  for (const uint64_t sum : sums)
    result.shares.push_back(static_cast<uint16_t>(std::lround(share_of(sum) * kDrawnUnit)));
  return result;
}

std::vector<DrawnHistogram> drawn(std::span<const HistogramInfo> infos,
                                  std::span<const std::vector<uint32_t>> histograms) {
  std::vector<DrawnHistogram> result;
  for (size_t i = 0; i < histograms.size(); ++i) {
    result.push_back(drawn(infos[i], std::vector<uint64_t>(histograms[i].begin(), histograms[i].end())));
  }
  return result;
}

LevelRecorder::LevelRecorder(const std::vector<HistogramInfo>& infos) {
  for (const HistogramInfo& info : infos) {
    channels_.push_back({info, {}, {}, {}, std::vector<uint64_t>(static_cast<size_t>(info.bins))});
  }
}

void LevelRecorder::add(std::span<const std::vector<uint32_t>> histograms) {
  for (size_t i = 0; i < channels_.size(); ++i) {
    ChannelLevels& channel = channels_[i];
    const std::vector<uint32_t>& histogram = histograms[i];
    const uint64_t samples = std::accumulate(histogram.begin(), histogram.end(), uint64_t{0});
    const auto percentile = [&](uint64_t percent) {
      return static_cast<uint16_t>(percentile_bin(histogram, samples, percent));
    };
    channel.p1.push_back(percentile(1));
    channel.p50.push_back(percentile(50));
    channel.p99.push_back(percentile(99));
    for (size_t bin = 0; bin < histogram.size(); ++bin) channel.counts[bin] += histogram[bin];
  }
}

}  // namespace vq::cli
