// The stages of CIEDE2000, a row at a time. Every implementation gives the same bits: each performs the
// operations in the order of the scalar version and uses the elementary functions of elementary.h. Stages
// never throw and never allocate.
#pragma once

#include <cstdint>

#include "core/frame.h"

namespace vq::ciede {

// A row of samples of all three planes, chroma as often as luma, at one depth.
struct SampleRow {
  const uint16_t* y = nullptr;
  const uint16_t* cb = nullptr;
  const uint16_t* cr = nullptr;
  int width = 0;
  int bit_depth = 8;  // 8..16
};

// A row of colours in CIELAB.
template <typename T>
struct LabRow {
  T* l = nullptr;
  T* a = nullptr;
  T* b = nullptr;
};

// The colours of samples taken as limited range and roughly BT.709, whatever they are; nothing is clipped.
// Shapes: rows of `width`, each, in and out, with guards of kRowGuardBytes.
using Colours = void (*)(const SampleRow& samples, LabRow<float> out);

// The CIEDE2000 differences (Sharma, Wu, Dalal, 2005) of two rows of colours, with kL = 0.65, kC = 1 and kH
// = 4. Equal colours have 0. Where two hues are more than half a turn apart their mean is half a turn beyond
// half their sum, whatever that is. Shapes: rows of `width`, each, in and out, with guards of kRowGuardBytes.
using Differences = void (*)(LabRow<const float> first, LabRow<const float> second, int width, float* out);

namespace scalar {
// The readable reference, in ordinary C++.
void colours(const SampleRow& samples, LabRow<float> out);
void differences(LabRow<const float> first, LabRow<const float> second, int width, float* out);
}  // namespace scalar

namespace simd {
// For one of allowed_simd_targets(), by its id.
Colours colours_for(int64_t target);
Differences differences_for(int64_t target);
}  // namespace simd

// How the samples of one video become rows of SampleRow.
struct Spread {
  int shift = 0;  // to the left, to the depth of both
  ChromaShifts chroma = {};
};

class SpreadRows {
 public:
  // Throws std::bad_alloc.
  explicit SpreadRows(int width) : samples_(width, kMaxPlanes) {}

  // Fills in row y of a frame of the width given; each sample of chroma is repeated for the luma that shares
  // it.
  void fill(const Frame& frame, const Spread& spread, int y);
  // Valid until the next is filled in.
  SampleRow row(int bit_depth) const {
    return {samples_.row(0), samples_.row(1), samples_.row(2), samples_.width(), bit_depth};
  }

 private:
  Plane<uint16_t> samples_;
};

}  // namespace vq::ciede
