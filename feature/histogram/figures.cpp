#include "feature/histogram/figures.h"

#include <cmath>
#include <span>
#include <utility>

#include "core/histogram.h"

namespace vq::histogram {
namespace {

__extension__ using ExactSum = unsigned __int128;
using Bins = std::span<const uint32_t>;

// Sums over the samples of a channel. With 2^28 samples of 16 bits the squares fit 60 bits.
struct Moments {
  uint64_t sum = 0, squares = 0;
};

Moments moments_of(Bins bins, uint32_t shift) {
  Moments moments;
  for (size_t bin = 0; bin < bins.size(); ++bin) {
    const uint64_t value = uint64_t{bin} << shift, count = bins[bin];
    moments.sum += value * count;
    moments.squares += value * value * count;
  }
  return moments;
}

double standard_deviation(const Moments& moments, uint64_t samples) {
  const ExactSum scaled = ExactSum{moments.squares} * samples - ExactSum{moments.sum} * moments.sum;
  return std::sqrt(static_cast<double>(scaled)) / static_cast<double>(samples);
}

// The lowest value with so many percent of the samples at or below it.
double percentile(const HistogramPlan& plan, Bins bins, uint64_t samples, uint64_t percent) {
  return static_cast<double>(percentile_bin(bins, samples, percent) << plan.bins.shift);
}

double entropy(Bins bins, uint64_t samples) {
  double bits = 0;
  for (const uint32_t count : bins) {
    if (count == 0) continue;
    const double share = static_cast<double>(count) / static_cast<double>(samples);
    bits -= share * std::log2(share);
  }
  return bits;
}

double used(Bins bins, const Channel& channel) {
  int64_t count = 0;
  for (uint32_t bin = channel.first; bin <= channel.last; ++bin) count += bins[bin] > 0;
  return static_cast<double>(count) / (channel.last - channel.first + 1);
}

uint64_t sum_of(Bins bins) {
  uint64_t sum = 0;
  for (const uint32_t count : bins) sum += count;
  return sum;
}

// A channel without a single such sample is not clipped, whatever the share asked for.
bool is_clipped(const HistogramPlan& plan, double share) {
  return share > 0 && share >= plan.options.clip_share;
}

struct Clipping {
  bool shadows = false, highlights = false;
};

// Appends kFigures of a channel.
Clipping add_figures(const HistogramPlan& plan, const Channel& channel, const ChannelCounts& counts,
                     std::vector<double>& values) {
  const Bins bins(counts.bins, plan.bins.bins);
  const auto samples = static_cast<uint64_t>(channel.samples);
  const Moments moments = moments_of(bins, plan.bins.shift);
  const auto total = static_cast<double>(samples);
  const double low = static_cast<double>(sum_of(bins.first(channel.low + 1))) / total;
  const double high = static_cast<double>(sum_of(bins.subspan(channel.high))) / total;
  const Clipping clipping = {is_clipped(plan, low), is_clipped(plan, high)};
  values.insert(values.end(),
                {static_cast<double>(moments.sum) / total, standard_deviation(moments, samples),
                 static_cast<double>(counts.min), percentile(plan, bins, samples, 1),
                 percentile(plan, bins, samples, 50), percentile(plan, bins, samples, 99),
                 static_cast<double>(counts.max), entropy(bins, samples), used(bins, channel), low, high,
                 static_cast<double>(clipping.shadows), static_cast<double>(clipping.highlights)});
  return clipping;
}

}  // namespace

FrameCounts::FrameCounts(const HistogramPlan& plan) {
  for (size_t i = 0; i < plan.channels.size(); ++i) bins.emplace_back(plan.bins.bins);
  for (size_t i = 0; i < bins.size(); ++i) channels[i].bins = bins[i].data();
}

FrameResult frame_result(const HistogramPlan& plan, FrameCounts counts, bool histograms) {
  FrameResult result;
  Clipping any;
  for (size_t i = 0; i < plan.channels.size(); ++i) {
    const Clipping clipping = add_figures(plan, plan.channels[i], counts.channels[i], result.values);
    any.shadows = any.shadows || clipping.shadows;
    any.highlights = any.highlights || clipping.highlights;
  }
  result.values.insert(result.values.end(),
                       {static_cast<double>(any.shadows), static_cast<double>(any.highlights)});
  if (histograms) result.histograms = std::move(counts.bins);
  return result;
}

int64_t result_bytes(const HistogramPlan& plan) {
  const auto channels = static_cast<int64_t>(plan.channels.size());
  const auto values =
      static_cast<int64_t>(kFigures.size()) * channels + static_cast<int64_t>(kOverallFigures.size());
  return channels * int64_t{plan.bins.bins} * static_cast<int64_t>(sizeof(uint32_t)) +
         values * static_cast<int64_t>(sizeof(double));
}

}  // namespace vq::histogram
