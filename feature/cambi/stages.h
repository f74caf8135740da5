// The stages of CAMBI, in the order a frame takes them: one contract each, then its implementations one under
// the other. All stages are exact: every implementation is byte-equal to the scalar one. Stages never throw
// and never allocate; their scratch memory is made with the plan.
//
//   luma -> preprocess -> spatial mask (derivative, mask)        at the encode size
//   five times: decimate (not before scale 0, unless the plan halves first) -> mode filter -> c-values ->
//   pooling
//
// Views of images and masks have rows of kRowGuardBytes that may be read before and after each row; if a
// stage writes to one it may also write to those bytes. See Plane.
#pragma once

#include <hwy/aligned_allocator.h>

#include "feature/cambi/plan.h"

namespace vq::cambi {

// The exact sum of a scale's largest c-values, storing only those near the smallest of them.

// A c-value in units of 2^-kSumFractionBits.
inline uint64_t in_units(float c_value) {
  return static_cast<uint64_t>(static_cast<double>(c_value) * (1 << kSumFractionBits));
}

// Sums the K largest of the c-values that are streamed through it, without storing all: values of at least
// `high` are summed, those from `low` up to `high` are stored or counted, and smaller ones are ignored. If
// the K-th largest is not between the bounds, they are moved and the values must be streamed again, at most
// three times.
// The bounds start around the K-th largest of the same scale of the previous picture, a few percent of the
// values apart, so similar pictures take one pass. Without a previous picture, a sample of the values
// estimates the K-th largest. Stored and sampled values affect the speed, never the sum.
// Bounds are bit patterns: those of non-negative floats sort as the floats do.
class Pooling {
 public:
  static constexpr int kSlots = 2 * kScales;

  // Where a c-value goes; see above. Values that equal the pivot, a bit pattern too, are not kept: those
  // between that were not kept are as many. Often many do equal the K-th largest.
  struct Bounds {
    uint32_t low = 1, high = 1, pivot = 0;
  };
  // Totals since the bounds were set. Sums are in units of 2^-kSumFractionBits; the sum of the values between
  // is only needed if they are not kept.
  struct Tally {
    int64_t above = 0, between = 0;
    ExactSum sum_above = 0, sum_between = 0;
  };

  // For scales of up to `samples` samples. Throws std::bad_alloc.
  explicit Pooling(int64_t samples);

  // Begins pooling the `count` largest of a scale, count at least 1. What is remembered of a slot, 0 to
  // kSlots - 1, is of use to the same scale of the same video's next picture.
  void start(int slot, int64_t count);
  // Whether the K-th largest value cannot be estimated, so that a sample of the values may save a pass.
  bool wants_sample() const { return pass_ == Pass::kCoarse && !sampled_; }
  // Needs: wants_sample(). Between these two calls only the sample is streamed, `share` of all values, 0 to
  // 1; after them all values.
  void begin_sample(double share);
  void end_sample();
  // After all values were added: whether sum() is known. If not, all values must be added once more.
  bool finish();
  ExactSum sum() const { return sum_; }

  // For the pool stage.
  const Bounds& bounds() const { return bounds_; }
  Tally& tally() { return tally_; }
  // Whether values between the bounds are to be stored, except those equal to the pivot; otherwise they are
  // counted.
  bool keeps() const { return pass_ == Pass::kKeep; }
  void count(uint32_t bits) { ++table_[(bits - bounds_.low) >> shift_]; }
  // Stored values are written from `next` up to `end`, if a last whole vector still fits. Values beyond that
  // are dropped, and if `end` is reached the pass has failed.
  struct Kept {
    float *next, *end;
  };
  Kept kept() { return {kept_.get() + num_kept_, kept_.get() + capacity_}; }
  void set_kept(const float* next) { num_kept_ = next - kept_.get(); }

 private:
  // kEvery: no more than K are greater than zero. kKeep: bounds that were guessed. kCoarse: all values are
  // counted in bins. kBin: those of the K-th largest's bin are counted one by one.
  enum class Pass { kEvery, kKeep, kCoarse, kBin };
  struct Guess {
    Pass pass = Pass::kCoarse;
    Bounds bounds;
    int64_t expected = 0;  // values between, from the K-th largest up, where nothing moves
  };
  static const Guess kUnknown, kEveryValue;

  void begin(const Guess& guess);
  Guess& remembered() { return guesses_[slot_]; }
  int64_t& margin() { return margins_[slot_]; }
  int64_t num_pivots() const { return tally_.between - num_kept_; }
  uint32_t num_bins() const;
  void clear_table();
  void count_kept();
  uint32_t bin_of(int64_t rank) const;
  Guess guess_around(int64_t rank, int64_t margin) const;
  void settle_margin(int64_t missing);
  void remember(int64_t rank);
  uint32_t take_kept(int64_t missing);
  bool finish_kept();
  bool finish_coarse();
  void finish_bin();

  int64_t capacity_;  // of kept_
  std::array<Guess, kSlots> guesses_;
  std::array<int64_t, kSlots> margins_;  // 0: none yet
  size_t slot_ = 0;
  int64_t count_ = 1;
  bool sampled_ = false;  // since start()
  double share_ = 0;      // of the sample
  Pass pass_ = Pass::kCoarse;
  Bounds bounds_;
  Tally tally_;
  ExactSum sum_ = 0;
  int shift_ = 0;
  std::vector<uint32_t> table_;              // [distance from low >> shift_]
  hwy::AlignedFreeUniquePtr<float[]> kept_;  // not set to zero: takes only the memory that is used
  int64_t num_kept_ = 0;
  std::vector<float> in_bin_;
};

using Image = PlaneView<uint16_t>;  // 10-bit luma, 0..kMaxLevel
using ImageIn = PlaneView<const uint16_t>;
using Mask = PlaneView<uint8_t>;  // 0 or 1
using MaskIn = PlaneView<const uint8_t>;
using CValues = PlaneView<float>;  // 0, or at least 0.5 and below 2^18
using CValuesIn = PlaneView<const float>;

// C-values are made in upright strips of a picture, and handed on in tiles of a few rows of a strip, so that
// neither the window counts of a very wide picture nor the c-values of a whole one are ever in memory.
inline constexpr int kStripColumns = 4096;
inline constexpr int kTileRows = 8;
// Columns in reach of a strip's windows, and the rows of them that are kept: a window's, the one that leaves
// it, and one that stands for those outside the picture.
inline constexpr int kMaxReach = kStripColumns + kMaxWindow;
inline constexpr int kLevelRows = kMaxWindow + 2;
// The longest run of samples in reach of a strip's windows, and a vector.
inline constexpr int kEdgeOrigin = kStripColumns + kMaxWindow + static_cast<int>(kRowGuardBytes);
// Up to this many contrasts are compared at once.
inline constexpr int kContrastGroup = 4;

// Where one strip of a picture `width` wide begins and how wide it is; the strips differ by little.
struct Strip {
  int x = 0, width = 0;
};
std::vector<Strip> strips_of(int width);
// How many columns lie between the window counts of neighbouring levels in a strip of the given width.
ptrdiff_t window_counts_stride(int width);

// Scratch memory of all stages for pictures up to the given size, one for each thread. Throws std::bad_alloc.
struct Scratch {
  Scratch(int width, int num_contrasts);
  // Whether c-values of a picture so wide can be computed by this plan.
  bool fits(int picture_width, const CambiPlan& plan) const;

  Plane<uint16_t> rows;        // three rows of samples
  Plane<uint8_t> flat_rows;    // kMaskBox + 1 rows
  Plane<uint8_t> column_sums;  // one row
  // [level + num_contrasts][column of a strip], rows window_counts_stride() apart. Not set to zero, so that
  // levels that never occur take no memory.
  hwy::AlignedFreeUniquePtr<uint16_t[]> window_counts;
  Plane<uint16_t> row_counts;  // [0: of the sample's own level, d: of the commoner level d away]; zeros
  Plane<uint16_t> edge;        // [kEdgeOrigin + x]: increase of a window's count where a level begins
  std::vector<int32_t> level_counts;       // [level + num_contrasts] masked samples, now in the window's rows
  std::vector<uint32_t> level_contrasts;   // [level] bit d - 1: contrast d counts
  std::vector<uint32_t> contrasts_in_use;  // contrasts at which another level is now in the window's rows
  Plane<uint16_t> level_rows;              // levels of the window's rows
  Plane<uint64_t> level_bits;              // of those: where runs start and which columns have a level
  Plane<float> tile;                       // kTileRows of a strip
};

// The shapes that stages need, for their assertions.
template <typename T>
bool is_half(PlaneView<const T> in, PlaneView<T> out) {
  return out.width == (in.width + 1) / 2 && out.height == (in.height + 1) / 2;
}
template <typename T>
bool are_of_plan(PlaneView<const T> luma, Image image, const CambiPlan& plan) {
  return luma.width == plan.input_width && luma.height == plan.input_height && image.width == plan.width &&
         image.height == plan.height;
}

// Receives c-values tile by tile; each sample of the picture comes exactly once.
class CValueSink {
 public:
  virtual ~CValueSink() = default;
  // `values` are those at column x, row y and on; valid during the call.
  virtual void tile(int x, int y, CValuesIn values) = 0;
};

namespace scalar {
// Produces the 10-bit picture at the encode size: depth to 10 bits (deeper samples rounded),
// nearest-neighbour scaling by the plan's tables, then with plan.anti_dither the mean of each 2x2 block,
// truncated. Shapes: luma of the plan's input size, of any stride and alignment and without guards; image
// of its encode size. Range: 0..kMaxLevel. Border of the anti-dither: the last column and row average two
// samples, the last corner keeps its own. Returns false, with the image undefined, if a luma sample exceeds
// the input depth's maximum.
bool preprocess(const SampleView& luma, const CambiPlan& plan, Image image);

// Masks the samples whose 7x7 box holds more than `threshold` flat ones: those that equal both their right
// and their lower neighbour. The two steps are derivative and mask, without a plane between
// them. Shapes: image and mask W x H.
void spatial_mask(ImageIn image, int threshold, Scratch& scratch, Mask mask);

// Preprocess, spatial_mask and, unless the plan halves first, mode_filter: the image and the mask of the
// first scale. Returns false as preprocess does. Shapes: those of the three stages.
bool prepare(const SampleView& luma, const CambiPlan& plan, Scratch& scratch, Image image, Mask mask);

// Keeps every second sample of every second row, out[i][j] = in[2i][2j]. Shapes: in W x H, out ((W+1)>>1) x
// ((H+1)>>1); out may start if in does.
void decimate_image(ImageIn in, Image out);
void decimate_mask(MaskIn in, Mask out);

// Replaces a sample by the commonest of itself and its two neighbours, the smallest if all differ: rows
// first, then columns. Shapes: image W x H, in place. Border: rows 0 and H-1 keep their original samples,
// though row 1 and H-2 are filtered against them as the row pass left them; columns 0 and W-1 are filtered
// vertically only.
void mode_filter(Image image, Scratch& scratch);

// For every masked sample of level v, with N(u) the masked samples of level u in the W x W window around
// it, clipped at the picture's edges:
//   the maximum over the contrasts d that count at level v of float(weight * N(v) * P) * R(N(v) + P),
//   P = max(N(v + d), N(v - d));  0 where the mask is 0 or no contrast counts.
// Shapes: image and mask of one scale's size; the sink gets every sample once. The product is exact before
// its one conversion to float. Reads guards and ignores what they hold; writes no input.
// Range: samples above kMaxLevel, which only a device that goes wrong makes, count as not masked.
void c_values(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, CValueSink& sink);

// Adds c-values to a pooling. Shapes: any, without guards.
void pool(CValuesIn values, Pooling& pooling);

// samples = min(65535, c-value * factor), truncated. Shapes: the same size for both, without guards.
void heatmap(CValuesIn values, double factor, PlaneView<uint16_t> samples);

// The two steps of the spatial mask. Shapes: image, flat and mask W x H; flat and mask are different planes.
// Border: a neighbour outside the picture counts as equal; the box sees zeros outside.
void derivative(ImageIn image, Mask flat);
void mask(MaskIn flat, int threshold, Scratch& scratch, Mask mask);
}  // namespace scalar
VQ_STAGES(preprocess, spatial_mask, prepare, decimate_image, decimate_mask, mode_filter, c_values, pool,
          heatmap);

}  // namespace vq::cambi
