// VIF as the registry lists it.
#pragma once

#include "feature/metric_type.h"
#include "feature/words/filter.h"
#include "vulkan/context.h"
#include "vulkan/picture.h"

namespace vq::vif {

// The scales of VIF and their filters.

inline constexpr int kScales = 4;

// Gaussians with a sigma of a fifth of their length, as the reference implementation rounds them.
inline constexpr std::array<WordFilter, kScales> kFilters = {{
    {8, {7784, 7455, 6547, 5274, 3896, 2640, 1640, 935, 489}},
    {4, {14692, 12590, 7925, 3663, 1244}},
    {2, {26386, 16004, 3571}},
    {1, {43728, 10904}},
}};

// The stages of VIF. All are exact: every implementation gives the same integers. They never throw and never
// allocate.

// One of the four scales, for videos of this depth: 8..16 bits for scale 0. The others have 16 bits, 8 of
// them below the unit of 8-bit video.
struct Scale {
  int index = 0;
  int bit_depth = 8;
};

// Columns that are worked on at a time: a multiple of any vector.
inline constexpr int kPartWidth = 256;
// Horizontal sums at a time at most: of a part and a vector of words.
inline constexpr int kMostSums = kPartWidth + 32;

// Rows of sums: of samples, and of their products.
enum SumRow { kMean, kDistortedMean, kSquare, kDistortedSquare, kProduct };

// Work memory for the rows of one picture of that width or a smaller one.
struct Rows {
  explicit Rows(int width) : words(width, 8 * 4), sums(std::max(width, kMostSums), 5) {}
  Plane<uint16_t> words;  // eight for each row of a band of four
  Plane<uint32_t> sums;
};

// Pictures narrower than this need rows with guards as in core/plane.h; of others nothing beyond the rows is
// read.
inline constexpr int kGuardedWidth = 32;

// The pictures of one scale, of one size and one type: bytes only at scale 0 and for 8 bits.
struct Pictures {
  SampleView reference, distorted;
};

// Sums over the samples of a scale. A sample is flat if the reference's local variance is below that of the
// noise.
struct ScaleSums {
  // In units of 1/2048 bit: the reference's information that the distorted picture preserves, and the
  // reference's own.
  int64_t num_log = 0, den_log = 0;
  int64_t flat = 0;           // samples
  int64_t flat_variance = 0;  // the distorted picture's there, with 16 fractional bits
  bool operator==(const ScaleSums&) const = default;
};

// A copy with every sample shifted left.
// Shapes: both W x H. Needs: samples that fit 16 bits when shifted.
void widen(const SampleView& in, int shift, PlaneView<uint16_t> out);

namespace scalar {
// The picture of the next scale: low-pass filtered, then every second row and column.
// Shapes: in W x H of the scale, out W/2 x H/2, rounded down, in a Plane. Border: reflected. Needs: W, H
// >= 2.
void decimate(const SampleView& in, const Scale& scale, PlaneView<uint16_t> out, Rows& rows);

// Compares local variances and the covariance of a scale's pictures.
// Shapes: W x H. Border: reflected. Needs: 1 <= gain_limit <= 100.
ScaleSums statistics(const Pictures& pictures, const Scale& scale, double gain_limit, Rows& rows);
}  // namespace scalar
VQ_STAGES(decimate, statistics);

// Extra precision of the scales before: at scale 0 the sums of the vertical pass are shifted right by these,
// with rounding.
constexpr int sample_shift(const Scale& scale) { return scale.index == 0 ? scale.bit_depth : 16; }
constexpr int product_shift(const Scale& scale) { return scale.index == 0 ? 2 * (scale.bit_depth - 8) : 16; }

struct VifOptions {
  double gain_limit = 100;  // upper limit on the local gain
  bool skip_scale0 = false;
  bool debug = false;
};

struct VifPlan : ComparedVideos {
  VifOptions options = {};
  VideoFormats formats = {};
  std::array<PlaneSize, kScales> sizes = {};
  int first_scale = 0;  // that is scored
};

// Names, aliases, defaults and ranges of the options are the reference implementation's (libvmaf 3.2).
struct Vif {
  using Options = VifOptions;
  static constexpr auto kOptions = option_table<Options>(
      {{&Options::gain_limit, "vif_enhn_gain_limit egl", 1, 100,
        "upper limit on the local gain of contrast; 1 gives no credit for enhancement"},
       {&Options::skip_scale0, "vif_skip_scale0 ssclz", "do not score the finest scale"},
       {&Options::debug, "debug -", "also report the score of all scales, numerators and denominators"}});
  using Plan = VifPlan;
  // Throws Error: kUsage without a reference, kMismatch for videos of different sizes or with a side that
  // leaves nothing of the last scale.
  static Plan make_plan(const Options& options, const VideoFormats& formats);
  // The score of each scale; under `debug` also the score of all, its numerator and denominator, and these of
  // each scale.
  static std::vector<std::string> names(const Options& options);
  static BoundedLuma bounded_luma(const Options&) { return BoundedLuma::kBoth; }
};

// Whether samples of one of the videos are copied before they are compared.
bool needs_copies(const VifPlan& plan);

// The sums of a scale from which scores are computed.
struct Information {
  float num = 0, den = -1;  // as here if the scale is not scored
};
Information information_of(const ScaleSums& sums);

// Values in the order of Vif::names(). Needs: one for each scale.
FrameResult frame_result(const VifPlan& plan, std::span<const Information> scales);

// The information on the reference that the distorted picture preserves at one sample: the only double
// operations of VIF, in the order of the reference implementation.

inline constexpr int64_t kNoise = 131072;  // the variance of visual noise, 2, with 16 fractional bits
inline constexpr double kEpsilon = 65536 * 1.0e-10;  // against division by zero, in the same unit

// Moments of one sample, with 16 fractional bits.
struct Moments {
  int32_t variance = 0, distorted_variance = 0, covariance = 0;
};

// The variance of the noise, and of that together with the explained part.
struct Explained {
  int64_t noise = 0, all = 0;
  bool operator==(const Explained&) const = default;
};

// The part of the distorted picture's variance that the gain does not explain counts as noise; the limit is
// on the gain that is credited. Needs: a variance of kNoise or more, and the others above 0.
inline Explained explain(const Moments& moments, double gain_limit) {
  const double variance = moments.variance, covariance = moments.covariance;
  const double gain = covariance / (variance + kEpsilon);
  const double residual = moments.distorted_variance - gain * covariance;
  const int64_t noise = std::max<int64_t>(static_cast<int64_t>(residual), 0) + kNoise;
  const double credited = std::min(gain, gain_limit);
  return {.noise = noise, .all = static_cast<int64_t>(credited * credited * variance) + noise};
}

// Logarithms to base 2 in units of 1/2048, by table.

// In a block of eight neighbours the table below rises by at most one. entries[i / 8 - kFirstBlock] holds
// eight times the value at the start of the block, plus an offset with which adding i % 8 reaches the next
// multiple of eight if the value rises.
class LogTable {
 public:
  static constexpr int32_t kFirst = 32768, kEnd = 65536;
  static constexpr int kBlocks = (kEnd - kFirst) / 8;

  // Made once.
  static const LogTable& get();

  // floor(2048 log2(i) + 0.5), log2 rounded to single precision first. Needs: kFirst <= i < kEnd.
  int32_t at(int32_t i) const { return (entries_[static_cast<size_t>((i - kFirst) / 8)] + i % 8) / 8; }
  // The same of any number from 2^15 on, by its upper 16 bits: what comes below them is dropped.
  int32_t log2(uint64_t v) const {
    const int dropped = static_cast<int>(std::bit_width(v)) - 16;
    return at(static_cast<int32_t>(v >> dropped)) + 2048 * dropped;
  }
  const int32_t* entries() const { return entries_.data(); }

 private:
  LogTable();
  std::array<int32_t, kBlocks> entries_ = {};
};

const FeatureInfo& feature_info();

// The device computes the pictures of all scales and sums of information per work group, which the host adds.
extern const DeviceSupport kDeviceSupport;

// VIF of a pair of pictures: the order of the stages.

// The pictures of one video's scales. The finest is empty if it is the decoded one.
using Pyramid = std::array<Plane<uint16_t>, kScales>;

// Scratch memory for one pair of pictures at a time.
struct Workspace {
  explicit Workspace(const VifPlan& plan);

  Rows rows;
  Pyramid reference, distorted;
};

// Luma planes in, values in the order of Vif::names() out. Needs: planes of the plan's size and of depths
// as it says.
FrameResult score_pictures(const VifPlan& plan, Pictures pictures, const Stages& stages,
                           Workspace& workspace);

}  // namespace vq::vif

namespace vq::vif::gpu {

// Both pictures of a scale, a word for each sample of either.
struct PicturePair {
  PlaneSize size;
  vulkan::Buffer buffer;

  int64_t pitch() const;  // words
  static int64_t bytes(PlaneSize size);
};

// Makes the pictures of the next scale from those of a scale of that size.
class DecimatePass {
 public:
  DecimatePass(vulkan::Context& context, const Scale& scale, PlaneSize size);
  void record(vulkan::Recorder& recorder, const PicturePair& in, const PicturePair& out) const;

 private:
  const Scale scale_;
  const vulkan::Pipeline& pipeline_;
};

// Leaves sums of work groups, which the host adds up.
class StatisticsPass {
 public:
  StatisticsPass(vulkan::Context& context, const Scale& scale, PlaneSize size, double gain_limit);

  static int64_t sum_bytes(PlaneSize size);
  // Writes sum_bytes().
  void record(vulkan::Recorder& recorder, const PicturePair& pictures, const vulkan::Buffer& sums) const;
  // From what the pass has written.
  ScaleSums sums(const std::byte* written) const;

 private:
  const Scale scale_;
  const double gain_limit_;
  const PlaneSize size_;
  const vulkan::Pipeline& pipeline_;
  const vulkan::Buffer& log_entries_;
};

}  // namespace vq::vif::gpu
