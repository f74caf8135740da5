#include "cli/decoding/stream_facts.h"

#include <cmath>
#include <iterator>

extern "C" {
#include <libavutil/dovi_meta.h>
#include <libavutil/mastering_display_metadata.h>
}

#include "core/text.h"

namespace vq::cli {

constexpr size_t kMostName = 200, kMostSettings = 4000;  // bytes; what x265 writes is 1500

static std::string_view tag(const AVDictionary* tags, const char* key) {
  const AVDictionaryEntry* const entry = av_dict_get(tags, key, nullptr, 0);
  return entry != nullptr ? entry->value : "";
}

// Matroska keeps a stream's rate in a tag of mkvmerge's. FFmpeg copies such tags to what it encodes anew, if
// they are no longer true, but then names itself as the writer.
static std::string_view matroska_rate(const AVFormatContext& container, const AVStream& stream) {
  if (tag(container.metadata, "encoder").find("libmatroska") == std::string_view::npos) return {};
  for (const char* const key : {"BPS", "BPS-eng"}) {
    if (const std::string_view rate = tag(stream.metadata, key); !rate.empty()) return rate;
  }
  return {};
}

static bool is_text(char c) { return c >= ' ' && c <= '~'; }

static std::string_view bytes_of(const void* data, size_t size) {
  return {static_cast<const char*>(data), size};
}

static std::optional<EncoderFacts> text_in_stream(const AVStream& stream, const AVFrame& first) {
  for (int i = 0; i < first.nb_side_data; ++i) {
    const AVFrameSideData& side = *first.side_data[i];
    if (side.type != AV_FRAME_DATA_SEI_UNREGISTERED) continue;
    if (auto facts = encoder_text(bytes_of(side.data, side.size))) return facts;
  }
  const AVCodecParameters& codec = *stream.codecpar;
  if (codec.extradata == nullptr || codec.extradata_size <= 0) return std::nullopt;
  return encoder_text(bytes_of(codec.extradata, static_cast<size_t>(codec.extradata_size)));
}

static std::optional<int64_t> declared_bit_rate(const AVFormatContext& container, const AVStream& stream) {
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
    const auto end = std::ranges::find_if_not(bytes, is_text);
    const std::string_view text = bytes.substr(0, static_cast<size_t>(end - bytes.begin()));
    EncoderFacts facts;
    facts.name = text.substr(0, std::min(text.find(" - H.26"), kMostName));
    const size_t options = text.find(kOptions);
    if (options != text.npos) facts.settings = text.substr(options + kOptions.size(), kMostSettings);
    return facts;
  }
  return std::nullopt;
}

// Counterclockwise degrees of a display matrix; nothing if invalid.
static std::optional<int> rotation_of(const uint8_t* matrix, size_t size) {
  if (size < 9 * sizeof(int32_t)) return std::nullopt;
  const double degrees = av_display_rotation_get(reinterpret_cast<const int32_t*>(matrix));
  return std::isfinite(degrees) ? std::optional(static_cast<int>(std::lround(degrees))) : std::nullopt;
}

static EncoderFacts encoder_facts(const OpenVideo& video) {
  if (auto facts = text_in_stream(video.stream, video.first)) return *std::move(facts);
  for (const AVDictionary* tags : {video.stream.metadata, video.container.metadata}) {
    const std::string_view name = tag(tags, "encoder");
    const bool is_muxer = name.starts_with("Lavf") || name.starts_with("libebml");
    if (!name.empty() && !is_muxer) return {printable(name, kMostName), ""};
  }
  return {};
}

static bool has_grain(const AVCodecContext& decoder, const AVFrame& frame) {
  return has_added_grain(decoder) ||
         av_frame_get_side_data(&frame, AV_FRAME_DATA_FILM_GRAIN_PARAMS) != nullptr;
}

// libavcodec makes the grain of H.264, HEVC and VVC (ITU-T H.274) itself, and for such pictures alone. Asked
// for more, FFmpeg 5.1 gives out pictures with nothing in them. FFmpeg 9 does not tell of it.
static bool can_be_made(AVCodecID codec, int pixel_format) {
  return codec == AV_CODEC_ID_AV1 || (kTellsOfAddedGrain && pixel_format == AV_PIX_FMT_YUV420P);
}

std::string_view to_string(FilmGrain grain) {
  constexpr std::array<std::string_view, 4> kNames = {"unknown", "none", "applied", "not applied"};
  return kNames[static_cast<size_t>(grain)];
}

// Decoders leave the grain to those who ask for its parameters, but for libdav1d if it is told to add it.
void ask_for_film_grain(AVCodecContext& decoder, bool wanted) {
  const bool is_made = wanted && can_be_made(decoder.codec_id, decoder.pix_fmt);
  if (is_made && kTellsOfAddedGrain) return;
  decoder.export_side_data |= AV_CODEC_EXPORT_DATA_FILM_GRAIN;
  if (is_made) av_opt_set_int(decoder.priv_data, "filmgrain", 1, 0);
}

bool can_leave_out_film_grain(const AVCodec& codec) { return std::string_view(codec.name) != "libaom-av1"; }

FilmGrain film_grain_of(const AVCodecContext& decoder, const AVFrame& frame, bool wanted) {
  if (!can_leave_out_film_grain(*decoder.codec)) return FilmGrain::kUnknown;
  if (!has_grain(decoder, frame)) return FilmGrain::kNone;
  return wanted && can_be_made(decoder.codec_id, frame.format) ? FilmGrain::kApplied : FilmGrain::kNotApplied;
}

namespace {

constexpr size_t kMostText = 4000;  // bytes of a tag

// Side data of a stream, or of its first picture under the name of the stream's type.
struct SideData {
  AVPacketSideDataType type;
  const char* name;  // FFmpeg's; never null
  const uint8_t* data;
  size_t size;

  // FFmpeg gives the data of each type as a struct of its own, in bytes that are aligned for it. Null for
  // another type.
  template <typename Data>
  const Data* as(AVPacketSideDataType wanted) const {
    return type == wanted && size >= sizeof(Data) ? reinterpret_cast<const Data*>(data) : nullptr;
  }
};

AVPacketSideDataType type_in_streams(AVFrameSideDataType type) {
  static constexpr std::pair<AVFrameSideDataType, AVPacketSideDataType> kTypes[] = {
      {AV_FRAME_DATA_DISPLAYMATRIX, AV_PKT_DATA_DISPLAYMATRIX},
      {AV_FRAME_DATA_MASTERING_DISPLAY_METADATA, AV_PKT_DATA_MASTERING_DISPLAY_METADATA},
      {AV_FRAME_DATA_CONTENT_LIGHT_LEVEL, AV_PKT_DATA_CONTENT_LIGHT_LEVEL}};
  return meaning(type, kTypes, AV_PKT_DATA_NB);
}

// The stream's comes first, as it takes precedence.
std::vector<SideData> side_data_of(const AVStream& stream, const AVFrame& first) {
  std::vector<SideData> all;
  const auto add = [&](AVPacketSideDataType type, const char* name, const auto& side) {
    all.push_back({type, name != nullptr ? name : "", side.data, static_cast<size_t>(side.size)});
  };
  for (const AVPacketSideData& side : stream_side_data(stream))
    add(side.type, av_packet_side_data_name(side.type), side);
  for (int i = 0; i < first.nb_side_data; ++i) {
    const AVFrameSideData& side = *first.side_data[i];
    add(type_in_streams(side.type), av_frame_side_data_name(side.type), side);
  }
  return all;
}

std::string ratio_text(AVRational ratio, char sign) {
  return std::to_string(ratio.num) + sign + std::to_string(ratio.den);
}

const char* field_order_name(AVFieldOrder order) {
  static constexpr std::pair<AVFieldOrder, const char*> kNames[] = {{AV_FIELD_PROGRESSIVE, "progressive"},
                                                                    {AV_FIELD_TT, "tt"},
                                                                    {AV_FIELD_BB, "bb"},
                                                                    {AV_FIELD_TB, "tb"},
                                                                    {AV_FIELD_BT, "bt"}};
  return meaning(order, kNames, static_cast<const char*>(nullptr));
}

class FactList {
 public:
  void text(const char* name, const char* value) {
    if (value != nullptr && *value != '\0') facts_.emplace_back(name, printable(value, kMostText));
  }
  void number(const char* name, int64_t value) { facts_.emplace_back(name, value); }
  void positive(const char* name, int64_t value) {
    if (value > 0) number(name, value);
  }
  void ratio(const char* name, AVRational value, char sign = '/') {
    if (value.num > 0 && value.den > 0) facts_.emplace_back(name, ratio_text(value, sign));
  }
  void seconds(const char* name, int64_t value, AVRational base) {
    if (value != AV_NOPTS_VALUE) facts_.emplace_back(name, static_cast<double>(value) * av_q2d(base));
  }
  void exact(const char* name, AVRational value) { facts_.emplace_back(name, ratio_text(value, '/')); }
  Facts take() { return std::move(facts_); }

 private:
  Facts facts_;
};

// The stream's word comes with its pictures, that of the container only beside it.
void add_colours(FactList& list, const AVFrame& first, const AVCodecParameters& codec) {
  const auto add = [&list](const char* name, auto picture, auto container, auto none, auto name_of) {
    const auto told = picture == none ? container : picture;
    if (told != none) list.text(name, name_of(told));
  };
  add("color_range", first.color_range, codec.color_range, AVCOL_RANGE_UNSPECIFIED, av_color_range_name);
  add("color_space", first.colorspace, codec.color_space, AVCOL_SPC_UNSPECIFIED, av_color_space_name);
  add("color_transfer", first.color_trc, codec.color_trc, AVCOL_TRC_UNSPECIFIED, av_color_transfer_name);
  add("color_primaries", first.color_primaries, codec.color_primaries, AVCOL_PRI_UNSPECIFIED,
      av_color_primaries_name);
  add("chroma_location", first.chroma_location, codec.chroma_location, AVCHROMA_LOC_UNSPECIFIED,
      av_chroma_location_name);
}

void add_shape(FactList& list, const OpenVideo& video) {
  const AVFrame& first = video.first;
  list.number("width", first.width);
  list.number("height", first.height);
  const AVRational none = {0, 1}, given = video.stream.sample_aspect_ratio;
  const AVRational sample = given.num > 0                       ? given
                            : first.sample_aspect_ratio.num > 0 ? first.sample_aspect_ratio
                                                                : none;
  if (sample.num <= 0) return;
  AVRational display = none;
  av_reduce(&display.num, &display.den, first.width * int64_t{sample.num}, first.height * int64_t{sample.den},
            1024 * 1024);
  list.ratio("sample_aspect_ratio", sample, ':');
  list.ratio("display_aspect_ratio", display, ':');
}

Facts stream_facts(const OpenVideo& video, const VideoInfo& info) {
  const AVStream& stream = video.stream;
  const AVCodecParameters& codec = *stream.codecpar;
  FactList list;
  list.number("index", stream.index);
  list.text("codec_name", avcodec_get_name(codec.codec_id));
  const AVCodecDescriptor* const descriptor = avcodec_descriptor_get(codec.codec_id);
  if (descriptor != nullptr) list.text("codec_long_name", descriptor->long_name);
  list.text("profile", avcodec_profile_name(codec.codec_id, codec.profile));
  char tag[AV_FOURCC_MAX_STRING_SIZE] = {};
  if (codec.codec_tag != 0) list.text("codec_tag_string", av_fourcc_make_string(tag, codec.codec_tag));
  add_shape(list, video);
  list.text("pix_fmt", av_get_pix_fmt_name(static_cast<AVPixelFormat>(video.first.format)));
  list.positive("level", codec.level);
  add_colours(list, video.first, codec);
  list.text("field_order", field_order_name(codec.field_order));
  if (info.film_grain != FilmGrain::kUnknown)
    list.number("film_grain", is_described(info.film_grain) ? 1 : 0);
  list.ratio("r_frame_rate", stream.r_frame_rate);
  list.ratio("avg_frame_rate", stream.avg_frame_rate);
  list.ratio("time_base", stream.time_base);
  list.seconds("start_time", stream.start_time, stream.time_base);
  list.seconds("duration", stream.duration, stream.time_base);
  if (info.bit_rate) list.positive("bit_rate", *info.bit_rate);
  list.positive("bits_per_raw_sample", codec.bits_per_raw_sample);
  list.positive("nb_frames", stream.nb_frames);
  return list.take();
}

Facts format_facts(const AVFormatContext& container, const VideoInfo& info) {
  FactList list;
  list.text("format_name", container.iformat->name);
  list.text("format_long_name", container.iformat->long_name);
  list.number("nb_streams", container.nb_streams);
  list.seconds("start_time", container.start_time, av_get_time_base_q());
  list.seconds("duration", container.duration, av_get_time_base_q());
  if (info.file_bytes) list.number("size", *info.file_bytes);
  list.positive("bit_rate", container.bit_rate);
  return list.take();
}

Facts tags_of(const AVDictionary* tags) {
  FactList list;
  for (const AVDictionaryEntry* tag = nullptr;
       (tag = av_dict_get(tags, "", tag, AV_DICT_IGNORE_SUFFIX)) != nullptr;) {
    list.text(tag->key, tag->value);
  }
  return list.take();
}

void add_mastering(FactList& list, const AVMasteringDisplayMetadata& display) {
  if (display.has_primaries != 0) {
    constexpr const char* kNames[][2] = {{"red_x", "red_y"}, {"green_x", "green_y"}, {"blue_x", "blue_y"}};
    for (size_t i = 0; i < 3; ++i) {
      for (size_t k = 0; k < 2; ++k) list.exact(kNames[i][k], display.display_primaries[i][k]);
    }
    list.exact("white_point_x", display.white_point[0]);
    list.exact("white_point_y", display.white_point[1]);
  }
  if (display.has_luminance == 0) return;
  list.exact("min_luminance", display.min_luminance);
  list.exact("max_luminance", display.max_luminance);
}

void add_dolby_vision(FactList& list, const AVDOVIDecoderConfigurationRecord& record) {
  list.number("dv_version_major", record.dv_version_major);
  list.number("dv_version_minor", record.dv_version_minor);
  list.number("dv_profile", record.dv_profile);
  list.number("dv_level", record.dv_level);
  list.number("rpu_present_flag", record.rpu_present_flag);
  list.number("el_present_flag", record.el_present_flag);
  list.number("bl_present_flag", record.bl_present_flag);
  list.number("dv_bl_signal_compatibility_id", record.dv_bl_signal_compatibility_id);
}

// Facts about the side data of the stream, and about what only its first picture has.
std::vector<Facts> side_facts(const OpenVideo& video) {
  std::vector<Facts> all;
  for (const SideData& side : side_data_of(video.stream, video.first)) {
    const auto is_it = [&](const Facts& other) { return fact_text(other, "side_data_type") == side.name; };
    if (std::ranges::any_of(all, is_it)) continue;
    FactList list;
    list.text("side_data_type", side.name);
    const auto degrees =
        side.type == AV_PKT_DATA_DISPLAYMATRIX ? rotation_of(side.data, side.size) : std::nullopt;
    if (degrees) list.number("rotation", *degrees);
    if (const auto* display = side.as<AVMasteringDisplayMetadata>(AV_PKT_DATA_MASTERING_DISPLAY_METADATA))
      add_mastering(list, *display);
    if (const auto* light = side.as<AVContentLightMetadata>(AV_PKT_DATA_CONTENT_LIGHT_LEVEL)) {
      list.number("max_content", light->MaxCLL);
      list.number("max_average", light->MaxFALL);
    }
    if (const auto* record = side.as<AVDOVIDecoderConfigurationRecord>(AV_PKT_DATA_DOVI_CONF))
      add_dolby_vision(list, *record);
    all.push_back(list.take());
  }
  return all;
}

}  // namespace

void describe_production(const OpenVideo& video, VideoInfo& info) {
  info.bit_rate = declared_bit_rate(video.container, video.stream);
  EncoderFacts encoder = encoder_facts(video);
  info.encoder = std::move(encoder.name);
  info.encoder_settings = std::move(encoder.settings);
  info.rotation = 0;
  info.orientation = {};
  info.format.stored_light = {};
  StoredLight& stored = info.format.stored_light;
  bool is_turned = false;
  for (const SideData& side : side_data_of(video.stream, video.first)) {
    if (side.type == AV_PKT_DATA_DISPLAYMATRIX && !std::exchange(is_turned, true)) {
      info.rotation = rotation_of(side.data, side.size).value_or(0);
      info.orientation = orientation_of(side.data, side.size).value_or(Orientation());
    }
    const auto* const light = side.as<AVContentLightMetadata>(AV_PKT_DATA_CONTENT_LIGHT_LEVEL);
    if (light != nullptr && !stored.maxcll) {
      stored.maxcll = light->MaxCLL;
      stored.maxfall = light->MaxFALL;
    }
    const auto* const display = side.as<AVMasteringDisplayMetadata>(AV_PKT_DATA_MASTERING_DISPLAY_METADATA);
    const bool has_peak = display != nullptr && display->has_luminance != 0 && display->max_luminance.den > 0;
    if (has_peak && !stored.mastering_peak) stored.mastering_peak = av_q2d(display->max_luminance);
  }
}

ProbeFacts probe_facts(const OpenVideo& video, const VideoInfo& info) {
  return {.stream = stream_facts(video, info),
          .stream_tags = tags_of(video.stream.metadata),
          .side_data = side_facts(video),
          .format = format_facts(video.container, info),
          .format_tags = tags_of(video.container.metadata)};
}

// One column of two rows: the first in the file is 0, the second 1.
constexpr std::string_view kHeader = "Pf\n1 2\n-1.0\n";
constexpr uint8_t kRows[] = {0, 0, 0, 0, 0, 0, 0x80, 0x3F};

static bool gives_first_row_first() {
  const AVCodec* const codec = avcodec_find_decoder(AV_CODEC_ID_PFM);
  if (codec == nullptr) return false;
  const AvPtr<AVCodecContext> context(avcodec_alloc_context3(codec));
  const AvPtr<AVPacket> packet(av_packet_alloc());
  const AvPtr<AVFrame> picture(av_frame_alloc());
  if (!context || !packet || !picture || avcodec_open2(context.get(), codec, nullptr) < 0) return false;
  if (av_new_packet(packet.get(), static_cast<int>(kHeader.size() + sizeof(kRows))) < 0) return false;
  std::copy(kHeader.begin(), kHeader.end(), packet->data);
  std::copy(std::begin(kRows), std::end(kRows), packet->data + kHeader.size());
  if (avcodec_send_packet(context.get(), packet.get()) < 0) return false;
  if (avcodec_receive_frame(context.get(), picture.get()) < 0) return false;
  uint32_t first = 0;
  std::memcpy(&first, picture->data[0], sizeof(first));
  return first == 0;  // in either order of bytes
}

bool is_upside_down(AVCodecID codec) {
  if (codec != AV_CODEC_ID_PFM && codec != AV_CODEC_ID_PHM) return false;
  static const bool kIs = gives_first_row_first();
  return kIs;
}

}  // namespace vq::cli
