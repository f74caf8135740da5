// Properties of a stream and its container that describe its production.
#pragma once

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/orientation.h"
#include "cli/decoding/video_source.h"

namespace vq::cli {

// Bits per second, if the stream or its container declares them.
std::optional<int64_t> declared_bit_rate(const AVFormatContext& container, const AVStream& stream);

// Counterclockwise degrees of a display matrix; nothing if invalid.
std::optional<int> rotation_of(const uint8_t* matrix, size_t size);

// How players turn the pictures, as the container says, or else the first picture; neither turns them if
// neither says.
struct DisplayTurn {
  int rotation = 0;              // counterclockwise degrees
  Orientation orientation = {};  // none for other than right angles
};
DisplayTurn display_turn(const AVStream& stream, const AVFrame& first);

// As the stream says, or else its first picture.
StoredLight stored_light(const AVStream& stream, const AVFrame& first);

struct EncoderFacts {
  std::string name, settings;  // empty if nothing says
};

// `first` is the first picture of `stream`. The stream's declaration takes precedence over its container's;
// programs that only wrote the container do not count as encoders.
EncoderFacts encoder_facts(const AVFormatContext& container, const AVStream& stream, const AVFrame& first);

// The part of encoder_facts() that parses the text of x264 and x265 in their streams; nothing if `bytes` have
// none.
std::optional<EncoderFacts> encoder_text(std::string_view bytes);

// Before the decoder is opened: requests that it adds the grain that the stream describes or not, if it can.
void ask_for_film_grain(AVCodecContext& decoder, bool wanted);

// Whether the decoder can omit grain. libaom's always adds it.
bool can_leave_out_film_grain(const AVCodec& codec);

// The state of grain in a stream whose last frame is `frame`; `wanted` as before. A stream without grain so
// far may still have some later.
FilmGrain film_grain_of(const AVCodecContext& decoder, const AVFrame& frame, bool wanted);

// The opened video and its first picture.
struct OpenVideo {
  const AVFormatContext& container;
  const AVStream& stream;
  const AVFrame& first;
};

ProbeFacts probe_facts(const OpenVideo& video, const VideoInfo& info);

// Whether pictures of this codec come out upside down: the rows of PFM and PHM files lie from bottom to top,
// which libavcodec does not heed, up to 7.1 at least. It is asked once, with a picture of two rows.
bool is_upside_down(AVCodecID codec);

}  // namespace vq::cli
