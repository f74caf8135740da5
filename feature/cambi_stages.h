// The stages of CAMBI, in the order a frame takes them: one contract each, then its implementations one under
// the other. All stages are exact: every implementation is byte-equal to the scalar one. Stages never throw
// and never allocate; their scratch memory is made with the plan.
//
//   luma -> preprocess -> derivative -> mask          at the encode size
//   five times: decimate (not before scale 0, unless the plan halves first) -> mode filter -> c-values ->
//   pooling
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/frame.h"
#include "core/plane.h"
#include "feature/cambi.h"

namespace vq::cambi {

using Image = PlaneView<uint16_t>;  // 10-bit luma, 0..kMaxLevel
using ImageIn = PlaneView<const uint16_t>;
using Mask = PlaneView<uint8_t>;  // 0 or 1
using MaskIn = PlaneView<const uint8_t>;
using CValues = PlaneView<float>;  // 0, or at least 0.5 and below 2^18
using CValuesIn = PlaneView<const float>;

// Scratch memory of all stages for pictures up to the given size, one for each thread. Throws std::bad_alloc.
struct Scratch {
  Scratch(int width, int num_contrasts);
  static int64_t bytes(int width, int num_contrasts);

  std::vector<std::vector<uint16_t>> rows;  // three rows of samples
  std::vector<uint32_t> column_sums;        // one for each column
  std::vector<uint16_t> window_counts;      // [level + num_contrasts][column]
  std::vector<uint32_t> histogram;          // of halves of float bit patterns
};

struct CambiStages {
  // Makes the 10-bit picture at the encode size: depth to 10 bits (deeper samples rounded), nearest-neighbour
  // scaling by the plan's tables, then with plan.anti_dither the mean of each 2x2 block, truncated. Shapes:
  // luma of the plan's input size, of any stride and alignment and without guards; image of its encode size.
  // Range: 0..kMaxLevel.
  // Border of the anti-dither: the last column and row average two samples, the last corner keeps its own.
  // Returns false, with the image undefined, where a luma sample exceeds the input depth's maximum.
  bool (*preprocess)(const LumaView& luma, const CambiPlan& plan, Image image);

  // Marks the samples that equal both their right and their lower neighbour.
  // Shapes: image and flat W x H. Border: a neighbour outside the picture counts as equal.
  void (*derivative)(ImageIn image, Mask flat);

  // Masks the samples whose 7x7 box holds more than `threshold` flat ones.
  // Shapes: flat and mask W x H, different planes. Border: zeros outside the picture.
  void (*mask)(MaskIn flat, int threshold, Scratch& scratch, Mask mask);

  // Keeps every second sample of every second row, out[i][j] = in[2i][2j].
  // Shapes: in W x H, out ((W+1)>>1) x ((H+1)>>1); out may start where in does.
  void (*decimate_image)(ImageIn in, Image out);
  void (*decimate_mask)(MaskIn in, Mask out);

  // Replaces a sample by the commonest of itself and its two neighbours, the smallest where all differ: rows
  // first, then columns. Shapes: image W x H, in place. Border: rows 0 and H-1 keep their original samples,
  // though row 1 and H-2 are filtered against them as the row pass left them; columns 0 and W-1 are filtered
  // vertically only.
  void (*mode_filter)(Image image, Scratch& scratch);

  // For every masked sample of level v, with N(u) the masked samples of level u in the W x W window around
  // it, clipped at the picture's edges:
  //   the maximum over the contrasts d that count at level v of float(weight * N(v) * P) * R(N(v) + P),
  //   P = max(N(v + d), N(v - d));  0 where the mask is 0 or no contrast counts.
  // Shapes: image, mask and values of one scale's size. The product is exact before its one conversion to
  // float.
  void (*c_values)(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, CValues values);

  // The exact sum of the `count` largest c-values, in units of 2^-kSumFractionBits. Range of count: 1..W*H.
  ExactSum (*pool)(CValuesIn values, int64_t count, Scratch& scratch);

  // samples = min(65535, c-value * factor), truncated.
  void (*heatmap)(CValuesIn values, double factor, PlaneView<uint16_t> samples);
};

// The readable reference of every stage, in ordinary C++.
const CambiStages& scalar_stages();

namespace scalar {
bool preprocess(const LumaView& luma, const CambiPlan& plan, Image image);
void derivative(ImageIn image, Mask flat);
void mask(MaskIn flat, int threshold, Scratch& scratch, Mask mask);
void decimate_image(ImageIn in, Image out);
void decimate_mask(MaskIn in, Mask out);
void mode_filter(Image image, Scratch& scratch);
void c_values(ImageIn image, MaskIn mask, const CambiPlan& plan, Scratch& scratch, CValues values);
ExactSum pool(CValuesIn values, int64_t count, Scratch& scratch);
void heatmap(CValuesIn values, double factor, PlaneView<uint16_t> samples);
}  // namespace scalar

}  // namespace vq::cambi
