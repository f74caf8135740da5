// Fitting of frames, but for their size: tables convert depth and range, integers convert colours.
#pragma once

#include <memory>

#include "core/fitting.h"

namespace vq {

// A MakeFitter for fittings that change no size. Every value is the nearest to what the definition says,
// halves rounded up, and clipped to the depth.
//
// - A full-range sample becomes the nearest limited-range one: luma 16 + 219 v / m and chroma 128 + 224 (v -
// c) / m
//   in levels of 8 bits, where m is the largest sample of the depth and c its middle (ITU-R BT.2100, table
//   9). Other samples are shifted left to a larger depth.
// - RGB becomes limited Y'CbCr of its depth. Where chroma is subsampled, it is that of the mean of R, G and B
// over
//   the samples around its place.
// - Coarser chroma is the mean of the samples around its place: along an axis of half as many, of the two
// that
//   the location of the new chroma lies between, or 1:2:1 of the one on which it lies and its neighbours.
//   Samples beyond an edge are those of the edge. An axis of as many stays as it is.
// - Another matrix: with R, G and B as the old one says, Y', Cb and Cr are those of the new one. As a grey
// stays
//   what it is, new Cb and Cr follow from the old ones at their place, and new luma is the old one with a
//   share of Cb and of Cr added; these are interpolated to the place of luma as feature/light does
//   (Catmull-Rom). It comes before chroma is made coarser.
std::unique_ptr<FrameFitter> make_sample_fitter(const VideoFormat& from, const Fitting& fitting, int planes);

}  // namespace vq
