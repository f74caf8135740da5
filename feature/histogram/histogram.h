// Histograms of the code values of each frame: options, channels, metric names, and the parameters of
// counting.
#pragma once

#include "feature/metric_type.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::histogram {

// The planes that are counted: the luma, the planes as they are, or what R, G and B and their luminance
// follow from them.
struct Planes {
  static constexpr std::string_view kY = "y", kYcbcr = "ycbcr", kRgb = "rgb", kAll[] = {kY, kYcbcr, kRgb};
};

struct HistogramOptions {
  std::string_view planes = Planes::kY;
  int bins = 0;  // 0: one for each code value
  double clip_share = 0.001;
};

// The file for whole histograms.
inline constexpr std::string_view kFileOption = "file";

// The most there are.
inline constexpr size_t kMaxChannels = 4;
// Names of the channels, in order, as in metric names.
std::span<const std::string_view> channel_names(std::string_view planes);

// Figures of each channel, in order, and then once of all of them together.
inline constexpr std::array<std::string_view, 13> kFigures = {"mean",
                                                              "stdev",
                                                              "min",
                                                              "p1",
                                                              "p50",
                                                              "p99",
                                                              "max",
                                                              "entropy",
                                                              "used",
                                                              "clipped_low",
                                                              "clipped_high",
                                                              "shadow_clipping",
                                                              "highlight_clipping"};
inline constexpr std::array<std::string_view, 2> kOverallFigures = {"shadow_clipping", "highlight_clipping"};

// "histogram_y_mean", and "histogram_shadow_clipping" without a channel.
std::string metric_name(std::string_view channel, std::string_view figure);

// Code value v is counted in bin v >> shift; values beyond the last bin are counted in that.
struct BinRule {
  uint32_t bins = 256;  // 256..65536
  uint32_t shift = 0;   // 0..8
};

// From Y, Cb and Cr to R, G and B of the full range, as stages.h says. Coefficients have 13 fraction bits.
// For the GPU these are push constants, in this order.
struct RgbConstants {
  int32_t luma_offset = 0, chroma_offset = 128;
  int32_t luma_scale = 0;
  int32_t cr_to_r = 0, cb_to_g = 0, cr_to_g = 0, cb_to_b = 0;  // those of G are negative
  int32_t peak = 255;                                          // 2^depth - 1
};
inline constexpr int kFractionBits = 13;

struct RgbRule {
  RgbConstants constants;
  ChromaShifts shifts;
  BinRule bins;
};

// One histogram. All are in bins.
struct Channel {
  std::string_view name;  // "y"
  int64_t samples = 0;    // of each frame, at least 1
  // The bins up to `low` and from `high` on are clipped.
  uint32_t low = 0, high = 0;
  // The bins in `used`, both inclusive.
  uint32_t first = 0, last = 0;
};

struct HistogramPlan {
  HistogramOptions options;
  bool is_rgb = false;
  int planes = 1;  // that are looked at: 1 or 3
  BinRule bins;
  RgbRule rgb;  // if is_rgb
  std::vector<Channel> channels;
};

// For this depth, range (unspecified counts as limited) and matrix. Needs: a matrix other than kUnspecified
// and kOther.
RgbConstants rgb_constants(Matrix matrix, Range range, int bit_depth);

// Throws Error{kMismatch} for planes that the video does not have, and if R, G and B cannot be derived from
// it.
HistogramPlan make_plan(const HistogramOptions& options, const VideoFormat& video);

struct Histogram {
  using Options = HistogramOptions;
  static constexpr int kBins[] = {0, 256};
  static constexpr auto kOptions = option_table<Options>(
      {{&Options::planes, "planes", Planes::kAll,
        "channels: the luma, also the chroma, or R, G, B and their luminance"},
       {&Options::bins,
        {.name = "bins", .allowed = kBins, .help = "bins of a histogram; 0: one for each code value"}},
       {&Options::clip_share, "clip_share", 0, 1,
        "share of a channel's samples at an end of the range from which on it is flagged as clipped"},
       {{},
        {.name = kFileOption,
         .kind = OptionKind::kPath,
         .in_metric_name = false,
         .help = "file for the histograms of all frames, .npy or .csv; none: they are not written"}}});
  using Plan = HistogramPlan;
  static Plan make_plan(const Options& options, const VideoFormats& formats) {
    return histogram::make_plan(options, formats.distorted);
  }
  // In the order of values, each with the options that it depends on: only metrics of all channels together
  // depend on `planes`.
  static std::vector<std::string> metric_names(const OptionSet& set);
  static bool needs_reference(const Options&) { return false; }
  static int planes(const Options& options) { return options.planes == Planes::kY ? 1 : kMaxPlanes; }
  static int64_t result_bytes(const Plan& plan);  // of a FrameResult with its counts
};

// The stages of the histogram: counting the samples of a plane, and those of R, G, B and luminance that three
// planes stand for. Both are exact: every implementation gives the same integers. They never throw and never
// allocate. Planes are as decoded, of any stride and alignment and without guards: nothing beyond their rows
// is read.

// Counts of one channel. Stages add to the bins, BinRule::bins of them, and widen the range from min to max,
// so that the counts of several planes or bands of rows add up.
struct ChannelCounts {
  uint32_t* bins = nullptr;
  // Range of all samples, including those beyond the depth's range. min is above max if there are none.
  uint32_t min = UINT16_MAX, max = 0;
};

// Where a code value is counted.
inline uint32_t bin_of(const BinRule& rule, uint32_t value) {
  const uint32_t bin = value >> rule.shift;
  return bin < rule.bins ? bin : rule.bins - 1;
}

// Y, Cb and Cr; and the channels derived from them: r, g, b and luminance, in this order.
using YcbcrPlanes = std::array<SampleView, kMaxPlanes>;
using RgbCounts = std::array<ChannelCounts, kMaxChannels>;

namespace scalar {
// Counts the samples of one plane. Needs: sides of at most kMaxSide.
void count_plane(const SampleView& plane, const BinRule& rule, ChannelCounts& counts);

// Counts what each sample of luma and the chroma sample that covers it stand for: with the constants k, a
// sample Y, and Cb and Cr at (x >> shift, y >> shift),
//   luma  = k.luma_scale * (Y - k.luma_offset), cb = Cb - k.chroma_offset, cr = Cr - k.chroma_offset
//   R = (luma + k.cr_to_r * cr + 2^12) >> 13
//   G = (luma + k.cb_to_g * cb + k.cr_to_g * cr + 2^12) >> 13
//   B = (luma + k.cb_to_b * cb + 2^12) >> 13, each clamped to 0..k.peak
//   l = (2126 R + 7152 G + 722 B) / 10000, rounded down
// The shift is arithmetic; no sum leaves 32 bits, whatever the samples are.
// Needs: three planes of one sample type, luma with sides of at most kMaxSide and chroma of the size that
// follows from it, rounded up. Bands of rows begin at a row of chroma of their own.
void count_rgb(const YcbcrPlanes& planes, const RgbRule& rule, RgbCounts& counts);
}  // namespace scalar
VQ_STAGES(count_plane, count_rgb);

const FeatureInfo& feature_info();

// The device counts, the host makes figures of the counts.
extern const DeviceSupport kDeviceSupport;

// From the counts of a frame to what is reported of it. All backends count the same integers and hand them to
// this, so that they report the same figures.
//
// A bin stands for its lowest code value v = bin << shift; n of its N samples are in it. Sums of n, v n and
// v^2 n are exact integers; what is divided, rooted or taken the logarithm of is double, each operation
// rounded in the order in which docs/histogram.md writes it, bins ascending.

// The bins of all channels, empty ones to begin with, and what stages see of them. Its channels point into
// it.
class FrameCounts {
 public:
  explicit FrameCounts(const HistogramPlan& plan);
  FrameCounts(FrameCounts&&) = default;
  FrameCounts& operator=(FrameCounts&&) = default;

  RgbCounts channels;                       // with the channels of the plan
  std::vector<std::vector<uint32_t>> bins;  // of each channel of the plan
};

// Values as Histogram::metric_names() names them, and the histograms if asked for. Needs: each channel has as
// many samples as the plan says.
FrameResult frame_result(const HistogramPlan& plan, FrameCounts counts, bool histograms);

}  // namespace vq::histogram

namespace vq::histogram::gpu {

// The bins that a work group has for itself, for channels that are counted at once.
struct GroupBins {
  uint32_t copies = 0;  // 0: what the work group counts goes to memory at once
  uint32_t words = 1;   // of all copies
  bool pairs = false;   // two bins in a word
};
GroupBins group_bins(const BinRule& rule, uint32_t channels);

// Bytes of a channel in a buffer for counts, which has its channels one after the other and is set to zeros
// before the passes that count into it.
int64_t channel_bytes(const BinRule& rule);
// Adds channel_bytes() that were counted to `counts`.
void add_counts(const std::byte* counted, const BinRule& rule, ChannelCounts& counts);

// Counts the samples of a plane.
class CountPlanePass {
 public:
  CountPlanePass(vulkan::Context& context, const vulkan::DevicePlane& plane, const BinRule& rule);
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& counts, int64_t channel) const;

 private:
  const vulkan::DevicePlane& plane_;
  const BinRule rule_;
  const vulkan::Pipeline& pipeline_;
};

// Counts R, G, B and luminance of a picture of three planes.
class CountRgbPass {
 public:
  CountRgbPass(vulkan::Context& context, const vulkan::DevicePicture& picture, const RgbRule& rule);
  // Into the first four channels.
  void record(vulkan::Recorder& recorder, const vulkan::Buffer& counts) const;

 private:
  const vulkan::DevicePicture& picture_;
  const RgbConstants constants_;
  const vulkan::Pipeline& pipeline_;
};

}  // namespace vq::histogram::gpu
