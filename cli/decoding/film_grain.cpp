#include "cli/decoding/film_grain.h"

#include <string_view>

#include "cli/decoding/ffmpeg_compat.h"
#include "cli/decoding/ffmpeg_functions.h"

namespace vq::cli {
namespace {

bool is_libaom(const AVCodec& codec) {
  return std::string_view(codec.name) == "libaom-av1";
}

bool has_grain(const AVCodecContext& decoder, const AVFrame& frame) {
  return has_added_grain(decoder) ||
         av_frame_get_side_data(&frame, AV_FRAME_DATA_FILM_GRAIN_PARAMS) != nullptr;
}

// libavcodec makes the grain of H.264, HEVC and VVC (ITU-T H.274) itself, and for such pictures alone. Asked
// for more, FFmpeg 5.1 gives out pictures with nothing in them. FFmpeg 9 does not tell of it.
bool can_be_made(AVCodecID codec, int pixel_format) {
  return codec == AV_CODEC_ID_AV1 || (kTellsOfAddedGrain && pixel_format == AV_PIX_FMT_YUV420P);
}

}  // namespace

std::string_view to_string(FilmGrain grain) {
  switch (grain) {
    case FilmGrain::kNone:
      return "none";
    case FilmGrain::kApplied:
      return "applied";
    case FilmGrain::kNotApplied:
      return "not applied";
    case FilmGrain::kUnknown:
      break;
  }
  return "unknown";
}

// Decoders leave the grain to those who ask for its parameters, but for libdav1d if it is told to add it.
void ask_for_film_grain(AVCodecContext& decoder, bool wanted) {
  const bool is_made = wanted && can_be_made(decoder.codec_id, decoder.pix_fmt);
  if (is_made && kTellsOfAddedGrain) return;
  decoder.export_side_data |= AV_CODEC_EXPORT_DATA_FILM_GRAIN;
  if (is_made) av_opt_set_int(decoder.priv_data, "filmgrain", 1, 0);
}

bool can_leave_out_film_grain(const AVCodec& codec) {
  return !is_libaom(codec);
}

FilmGrain film_grain_of(const AVCodecContext& decoder, const AVFrame& frame, bool wanted) {
  if (is_libaom(*decoder.codec)) return FilmGrain::kUnknown;
  if (!has_grain(decoder, frame)) return FilmGrain::kNone;
  return wanted && can_be_made(decoder.codec_id, frame.format) ? FilmGrain::kApplied : FilmGrain::kNotApplied;
}

}  // namespace vq::cli
