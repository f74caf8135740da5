// Film grain that a stream describes and its decoder adds to every picture.
#pragma once

#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// Before the decoder is opened: requests that it adds grain or not, if it can.
void ask_for_film_grain(AVCodecContext& decoder, bool wanted);

// Whether the decoder can omit grain. libaom's always adds it.
bool can_leave_out_film_grain(const AVCodec& codec);

// The state of grain in a stream whose last frame is `frame`; `wanted` as before. A stream without grain so
// far may still have some later.
FilmGrain film_grain_of(const AVCodecContext& decoder, const AVFrame& frame, bool wanted);

}  // namespace vq::cli
