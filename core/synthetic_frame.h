// Synthetic pictures for measurements, identical on every machine.
#pragma once

#include "core/frame.h"

namespace vq {

// Content of the pictures, which drifts from frame to frame.
enum class Synthetic {
  kFlat,      // one level
  kBanded,    // wide bands, one 8-bit step apart, as in skies
  kTextured,  // kBanded with noise over every third band
  kRamps,     // a new 10-bit level every dozen samples in both directions, if all levels are adjacent
  kNoise,
  kFilm,      // detail of all sizes and grain, below a banded sky
  kSoftFilm,  // kFilm after an encoder: less detail and grain, and fewer levels in the sky
};

// Frame `number` with the first `planes` planes of the format.
Frame synthetic_frame(Synthetic kind, const VideoFormat& format, int64_t number, int planes = 1);

// A frame and, if `use` has a reference, its reference: for film the frame before its detail was lost, for
// other kinds the next frame. No previous frames.
FramePair synthetic_pair(Synthetic kind, const VideoFormat& format, int64_t number, const FrameNeeds& use);

}  // namespace vq
