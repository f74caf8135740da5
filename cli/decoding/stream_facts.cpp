#include "cli/decoding/stream_facts.h"

#include <algorithm>
#include <cmath>
#include <string_view>

extern "C" {
#include <libavutil/display.h>
}

#include "cli/decoding/ffmpeg_functions.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr size_t kMostName = 200, kMostSettings = 4000;  // bytes; what x265 writes is 1500

std::string_view tag(const AVDictionary* tags, const char* key) {
  const AVDictionaryEntry* const entry = av_dict_get(tags, key, nullptr, 0);
  return entry != nullptr ? entry->value : "";
}

// Matroska keeps a stream's rate in a tag of mkvmerge's. FFmpeg copies such tags to what it encodes anew,
// where they are no longer true, but then names itself as the writer.
std::string_view matroska_rate(const AVFormatContext& container, const AVStream& stream) {
  if (tag(container.metadata, "encoder").find("libmatroska") == std::string_view::npos) return {};
  for (const char* const key : {"BPS", "BPS-eng"}) {
    if (const std::string_view rate = tag(stream.metadata, key); !rate.empty()) return rate;
  }
  return {};
}

bool is_muxer(std::string_view name) {
  return name.starts_with("Lavf") || name.starts_with("libebml");
}

bool is_text(char c) {
  return c >= ' ' && c <= '~';
}

std::string_view bytes_of(const void* data, size_t size) {
  return {static_cast<const char*>(data), size};
}

std::optional<EncoderFacts> text_in_stream(const AVStream& stream, const AVFrame& first) {
  for (int i = 0; i < first.nb_side_data; ++i) {
    const AVFrameSideData& side = *first.side_data[i];
    if (side.type != AV_FRAME_DATA_SEI_UNREGISTERED) continue;
    if (auto facts = encoder_text(bytes_of(side.data, side.size))) return facts;
  }
  const AVCodecParameters& codec = *stream.codecpar;
  if (codec.extradata == nullptr || codec.extradata_size <= 0) return std::nullopt;
  return encoder_text(bytes_of(codec.extradata, static_cast<size_t>(codec.extradata_size)));
}

}  // namespace

std::optional<int64_t> declared_bit_rate(const AVFormatContext& container, const AVStream& stream) {
  if (stream.codecpar->bit_rate > 0) return stream.codecpar->bit_rate;
  long long rate = 0;
  if (parse_int(matroska_rate(container, stream), rate) && rate > 0) return rate;
  return std::nullopt;
}

std::optional<EncoderFacts> encoder_text(std::string_view bytes) {
  constexpr std::string_view kOptions = " - options: ";
  for (const std::string_view start : {"x264 - core ", "x265 (build "}) {
    const size_t at = bytes.find(start);
    if (at == bytes.npos) continue;
    bytes.remove_prefix(at);
    const auto end = std::find_if_not(bytes.begin(), bytes.end(), is_text);
    const std::string_view text = bytes.substr(0, static_cast<size_t>(end - bytes.begin()));
    EncoderFacts facts;
    facts.name = text.substr(0, std::min(text.find(" - H.26"), kMostName));
    const size_t options = text.find(kOptions);
    if (options != text.npos) facts.settings = text.substr(options + kOptions.size(), kMostSettings);
    return facts;
  }
  return std::nullopt;
}

std::optional<int> rotation_of(const uint8_t* matrix, size_t size) {
  if (size < 9 * sizeof(int32_t)) return std::nullopt;
  const double degrees = av_display_rotation_get(reinterpret_cast<const int32_t*>(matrix));
  return std::isfinite(degrees) ? std::optional(static_cast<int>(std::lround(degrees))) : std::nullopt;
}

DisplayTurn display_turn(const AVStream& stream, const AVFrame& first) {
  const auto turn_of = [](const uint8_t* matrix, size_t size) {
    return DisplayTurn{rotation_of(matrix, size).value_or(0),
                       orientation_of(matrix, size).value_or(Orientation())};
  };
  for (const AVPacketSideData& side : stream_side_data(stream)) {
    if (side.type == AV_PKT_DATA_DISPLAYMATRIX) return turn_of(side.data, side.size);
  }
  const AVFrameSideData* const side = av_frame_get_side_data(&first, AV_FRAME_DATA_DISPLAYMATRIX);
  return side != nullptr ? turn_of(side->data, side->size) : DisplayTurn();
}

EncoderFacts encoder_facts(const AVFormatContext& container, const AVStream& stream, const AVFrame& first) {
  if (auto facts = text_in_stream(stream, first)) return *std::move(facts);
  for (const AVDictionary* tags : {stream.metadata, container.metadata}) {
    const std::string_view name = tag(tags, "encoder");
    if (!name.empty() && !is_muxer(name)) return {printable(name, kMostName), ""};
  }
  return {};
}

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
