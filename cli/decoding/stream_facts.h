// Properties of a stream and its container that describe its production.
#pragma once

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/orientation.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// The opened video and its first picture.
struct OpenVideo {
  const AVFormatContext& container;
  const AVStream& stream;
  const AVFrame& first;
};

// Sets the bit rate, the encoder, how players turn the pictures and the light that was stored, as the stream
// says, or else its container or its first picture. Programs that only wrote the container do not count as
// encoders.
void describe_production(const OpenVideo& video, VideoInfo& info);

struct EncoderFacts {
  std::string name, settings;  // empty if nothing says
};
// From the text of x264 and x265 in their streams; nothing if `bytes` have none.
std::optional<EncoderFacts> encoder_text(std::string_view bytes);

// Before the decoder is opened: requests that it adds the grain that the stream describes or not, if it can.
void ask_for_film_grain(AVCodecContext& decoder, bool wanted);

// Whether the decoder can omit grain. libaom's always adds it.
bool can_leave_out_film_grain(const AVCodec& codec);

// The state of grain in a stream whose last frame is `frame`; `wanted` as before. A stream without grain so
// far may still have some later.
FilmGrain film_grain_of(const AVCodecContext& decoder, const AVFrame& frame, bool wanted);

ProbeFacts probe_facts(const OpenVideo& video, const VideoInfo& info);

// Whether pictures of this codec come out upside down: the rows of PFM and PHM files lie from bottom to top,
// which libavcodec does not heed, up to 7.1 at least. It is asked once, with a picture of two rows.
bool is_upside_down(AVCodecID codec);

}  // namespace vq::cli
