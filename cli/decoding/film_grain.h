// Grain that a stream describes for its decoder to add to every picture.
#pragma once

#include "cli/decoding/ffmpeg_ptr.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// To be called before the decoder is opened, with what is known of the stream: whether it is to add grain, as
// far as it can.
void ask_for_film_grain(AVCodecContext& decoder, bool wanted);

// Whether the decoder does as it is asked. That of libaom always adds grain.
bool can_leave_out_film_grain(const AVCodec& codec);

// What becomes of it in a stream, of which `frame` came last; `wanted` as before. A stream that has none so
// far may still bring some.
FilmGrain film_grain_of(const AVCodecContext& decoder, const AVFrame& frame, bool wanted);

}  // namespace vq::cli
