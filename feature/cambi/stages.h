// The stages of CAMBI, in the order a frame takes them: one contract each, then its implementations one under
// the other. All stages are exact: every implementation is byte-equal to the scalar one. Stages never throw
// and never allocate; their scratch memory is made with the plan.
//
//   luma -> preprocess -> spatial mask (derivative, mask)        at the encode size
//   five times: decimate (not before scale 0, unless the plan halves first) -> mode filter -> c-values ->
//   pooling
//
// Views of images and masks have rows of kRowGuardBytes that may be read before and after each row; where a
// stage writes to one it may also write to those bytes. See Plane.
#pragma once

#include <cstdint>
#include <vector>

#include "core/frame.h"
#include "core/plane.h"
#include "feature/cambi/plan.h"
#include "feature/cambi/pooling.h"

namespace vq::cambi {

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
  static int64_t bytes(int width, int num_contrasts);
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

struct CambiStages {
  // Produces the 10-bit picture at the encode size: depth to 10 bits (deeper samples rounded),
  // nearest-neighbour scaling by the plan's tables, then with plan.anti_dither the mean of each 2x2 block,
  // truncated. Shapes: luma of the plan's input size, of any stride and alignment and without guards; image
  // of its encode size. Range: 0..kMaxLevel. Border of the anti-dither: the last column and row average two
  // samples, the last corner keeps its own. Returns false, with the image undefined, if a luma sample exceeds
  // the input depth's maximum.
  bool (*preprocess)(const SampleView& luma, const CambiPlan& plan, Image image);

  // Masks the samples whose 7x7 box holds more than `threshold` flat ones: those that equal both their right
  // and their lower neighbour. The two steps are scalar::derivative and scalar::mask, without a plane between
  // them. Shapes: image and mask W x H.
  void (*spatial_mask)(ImageIn image, int threshold, Scratch& scratch, Mask mask);

  // Preprocess, spatial_mask and, unless the plan halves first, mode_filter: the image and the mask of the
  // first scale. Returns false as preprocess does. Shapes: those of the three stages.
  bool (*prepare)(const SampleView& luma, const CambiPlan& plan, Scratch& scratch, Image image, Mask mask);

  // Keeps every second sample of every second row, out[i][j] = in[2i][2j].
  // Shapes: in W x H, out ((W+1)>>1) x ((H+1)>>1); out may start where in does.
  void (*decimate_image)(ImageIn in, Image out);
  void (*decimate_mask)(MaskIn in, Mask out);

  // Replaces a sample by the commonest of itself and its two neighbours, the smallest if all differ: rows
  // first, then columns. Shapes: image W x H, in place. Border: rows 0 and H-1 keep their original samples,
  // though row 1 and H-2 are filtered against them as the row pass left them; columns 0 and W-1 are filtered
  // vertically only.
  void (*mode_filter)(Image image, Scratch& scratch);

  // For every masked sample of level v, with N(u) the masked samples of level u in the W x W window around
  // it, clipped at the picture's edges:
  //   the maximum over the contrasts d that count at level v of float(weight * N(v) * P) * R(N(v) + P),
  //   P = max(N(v + d), N(v - d));  0 where the mask is 0 or no contrast counts.
  // Shapes: image and mask of one scale's size; the sink gets every sample once. The product is exact before
  // its one conversion to float. Reads guards and ignores what they hold; writes no input.
  // Range: samples above kMaxLevel, which only a device that goes wrong makes, count as not masked.
  void (*c_values)(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, CValueSink& sink);

  // Adds c-values to a pooling. Shapes: any, without guards.
  void (*pool)(CValuesIn values, Pooling& pooling);

  // samples = min(65535, c-value * factor), truncated. Shapes: the same size for both, without guards.
  void (*heatmap)(CValuesIn values, double factor, PlaneView<uint16_t> samples);
};

// The readable reference of every stage, in ordinary C++.
const CambiStages& scalar_stages();
// The stages for one of allowed_simd_targets(), by its id.
CambiStages simd_stages(int64_t target);

namespace scalar {
bool preprocess(const SampleView& luma, const CambiPlan& plan, Image image);
void spatial_mask(ImageIn image, int threshold, Scratch& scratch, Mask mask);
void decimate_image(ImageIn in, Image out);
void decimate_mask(MaskIn in, Mask out);
void mode_filter(Image image, Scratch& scratch);
bool prepare(const SampleView& luma, const CambiPlan& plan, Scratch& scratch, Image image, Mask mask);
void c_values(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, CValueSink& sink);
void pool(CValuesIn values, Pooling& pooling);
void heatmap(CValuesIn values, double factor, PlaneView<uint16_t> samples);

// The two steps of the spatial mask. Shapes: image, flat and mask W x H; flat and mask are different planes.
// Border: a neighbour outside the picture counts as equal; the box sees zeros outside.
void derivative(ImageIn image, Mask flat);
void mask(MaskIn flat, int threshold, Scratch& scratch, Mask mask);
}  // namespace scalar

namespace simd {
decltype(CambiStages::preprocess) preprocess_for(int64_t target);
decltype(CambiStages::spatial_mask) spatial_mask_for(int64_t target);
decltype(CambiStages::prepare) prepare_for(int64_t target);
decltype(CambiStages::decimate_image) decimate_image_for(int64_t target);
decltype(CambiStages::decimate_mask) decimate_mask_for(int64_t target);
decltype(CambiStages::mode_filter) mode_filter_for(int64_t target);
decltype(CambiStages::c_values) c_values_for(int64_t target);
decltype(CambiStages::pool) pool_for(int64_t target);
decltype(CambiStages::heatmap) heatmap_for(int64_t target);
}  // namespace simd

}  // namespace vq::cambi
