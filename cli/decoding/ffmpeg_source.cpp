#include "cli/decoding/open_video.h"

#include "cli/decoding/damage/container_declarations.h"
#include "cli/decoding/decoded_stream.h"
#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/stream_facts.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// Numbers of damaged frames as ranges, in bounded memory.
class DamageList {
 public:
  // Needs: the picture is damaged.
  void add(const Picture& picture) {
    const int64_t index = picture.index;
    if (count_ == 0) first_reason_ = *picture.damage;
    ++count_;
    if (!runs_.empty() && runs_.back().second + 1 == index) {
      ++runs_.back().second;
    } else if (runs_.size() < kMaxListedRuns) {
      runs_.emplace_back(index, index);
    } else {
      more_ = true;
    }
  }

  int64_t count() const { return count_; }
  // Both need count() > 0.
  int64_t first() const { return runs_.front().first; }
  const std::string& first_reason() const { return first_reason_; }
  // "1, 4-6, 9", cut after a number of runs.
  std::string text() const {
    const auto text_of = [](const std::pair<int64_t, int64_t>& run) {
      return run.second > run.first ? words("{}-{}", run.first, run.second) : std::to_string(run.first);
    };
    return join(runs_, ", ", text_of) + (more_ ? ", ..." : "");
  }

 private:
  static constexpr size_t kMaxListedRuns = 20;

  int64_t count_ = 0;
  bool more_ = false;
  std::string first_reason_;
  std::vector<std::pair<int64_t, int64_t>> runs_;
};

// As a run takes what a stream does not say.
constexpr Range assumed(Range range) { return range == Range::kUnspecified ? Range::kLimited : range; }
constexpr Transfer assumed(Transfer transfer) {
  return transfer == Transfer::kUnspecified ? Transfer::kBt1886 : transfer;
}

// Damaged frames are counted among this many from the first one on: counting through the rest of a long video
// would take longer than it is worth.
constexpr int64_t kCountedFrames = 100;

// Whether it is a demuxer of pictures one after another, which makes up their times.
bool is_of_pictures(const AVFormatContext& container) {
  return std::string_view(container.iformat->name).ends_with("_pipe");
}

// Whether it is a picture in a container of videos, as AVIF and HEIF are.
bool is_boxed_picture(const FfmpegDemuxer& demuxer) {
  const AVDictionaryEntry* const brand = av_dict_get(demuxer.container().metadata, "major_brand", nullptr, 0);
  const std::string_view name = brand == nullptr ? "" : brand->value;
  return demuxer.declared().pictures == 1 && (name == "avif" || name == "mif1" || name.starts_with("hei"));
}

std::vector<std::string> conversions_of(const PictureLayout& layout) {
  switch (layout.form) {
    case SampleForm::kIntegers:
      return {};
    case SampleForm::kPalette:
      return {"has a palette, whose colours are taken"};
    case SampleForm::kBits:
      return {"has one bit for each sample, taken as black and white of 8 bits"};
    case SampleForm::kFloats:
      return {"has floating-point samples; 0 to 1 is rounded to 16 bits, and what lies outside is clipped"};
  }
  return {};
}

// Why a stream gave no picture, as the decoder says it; empty if it says nothing.
std::string reason_in_words(const AVCodec& codec, const std::string& reason) {
  // FFmpeg's decoder reads still pictures alone.
  const bool is_animated = codec.id == AV_CODEC_ID_WEBP && reason == "image data not found";
  if (is_animated) return " (an animated WebP, of which FFmpeg reads none)";
  return reason.empty() ? "" : words(" ({})", reason);
}

class FfmpegSource : public VideoSource {
 public:
  FfmpegSource(const SourceOptions& options, ByteReader reader)
      : options_(options), reader_(std::move(reader)), stream_(options, reader_, report_.warnings) {
    find_first();
    describe();
    compare_tags();
    if (is_cut()) start_parts();
  }

  int64_t skip(int64_t count) override {
    if (is_cut()) {  // next_of_part() drops what comes before
      position_ += count;
      return count;
    }
    const int64_t start = position_;
    while (position_ < start + count) {
      std::optional<Frame> frame = read_stored();
      if (!frame) break;
      if (frame->index < start + count) continue;
      held_ = std::move(frame);
      position_ = start + count;
    }
    return position_ - start;
  }

  void go_on() override {
    if (!is_cut()) return;
    ++part_;
    held_.reset();
    ended_ = false;
    stream_.go_on();
  }

  void limit_ahead(int64_t bytes) override { stream_.limit_ahead(bytes); }
  ProbeFacts probe() const override {
    return probe_facts({demuxer().container(), demuxer().stream(), *waiting_.back().frame}, info_);
  }

 private:
  std::optional<Frame> read_stored() override {
    std::optional<Frame> frame = std::exchange(held_, std::nullopt);
    if (!frame) frame = is_cut() ? next_of_part() : next_frame();
    if (frame) position_ = frame->index + 1;
    return frame;
  }

  void restart(const SourceOptions& options) override {
    if (!reader_.size() || is_cut()) return;
    options_.hardware = options.hardware;
    stream_.decode_by(options);
    waiting_.clear();
    find_first();
    describe();
  }

  void find_first() {
    while (auto picture = stream_.next()) {
      waiting_.push_back(std::move(*picture));
      if (waiting_.back().frame) return;
    }
    if (demuxer().read_failure()) std::rethrow_exception(demuxer().read_failure());
    const std::string& reason = stream_.verdict().last_reason();
    throw Error(
        tells_of_too_large_a_picture(reason) ? ErrorKind::kMismatch : ErrorKind::kInput,
        words("{} cannot be decoded: its {} stream gave no picture{}{}", name(), demuxer().codec().name,
              reason_in_words(demuxer().codec(), reason), demuxer().seek_hint()));
  }

  void describe() {
    const AVFrame& first = *waiting_.back().frame;
    const AVStream& stream = demuxer().stream();
    pixel_format_ = static_cast<AVPixelFormat>(first.format);
    try {
      layout_ = picture_layout(pixel_format_);
      layout_.bottom_up = is_upside_down(stream.codecpar->codec_id);
    } catch (const Error& error) {
      throw Error(error.kind(), words("{}: {}", name(), error.what()));
    }
    info_.path = options_.path;
    info_.container = demuxer().container().iformat->name;
    info_.codec = avcodec_get_name(stream.codecpar->codec_id);
    info_.pixel_format = pixel_format_name(pixel_format_);
    info_.format = {.name = info_.path,
                    .width = first.width,
                    .height = first.height,
                    .bit_depth = layout_.bit_depth,
                    .chroma = layout_.chroma,
                    .range = range_of(first, layout_),
                    .transfer = map_transfer(first.color_trc),
                    .matrix = layout_.is_rgb ? Matrix::kRgb : map_matrix(first.colorspace),
                    .primaries = map_primaries(first.color_primaries),
                    .chroma_location = map_location(first.chroma_location)};
    demuxer().declare(info_);
    describe_rate();
    describe_conversions();
    // Demuxers of pictures declare no number of them.
    const bool is_whole_file = reader_.size() && demuxer().first_packet_bytes() == *reader_.size();
    if (!info_.frames && info_.takes_frame_rate && is_whole_file) info_.frames = 1;
    info_.file_bytes = reader_.size();
    describe_production({demuxer().container(), stream, first}, info_);
    const AVRational sample =
        stream.sample_aspect_ratio.num > 0 ? stream.sample_aspect_ratio : first.sample_aspect_ratio;
    if (sample.num > 0 && sample.den > 0) info_.sample_aspect = av_q2d(sample);
    const AVFieldOrder order = stream.codecpar->field_order;
    info_.film_grain = stream_.verdict().film_grain();
    info_.decoder_count = stream_.decoder_count();
    info_.ahead_bytes = stream_.ahead_bytes();
    info_.interlaced = is_interlaced(first) || (order != AV_FIELD_UNKNOWN && order != AV_FIELD_PROGRESSIVE);
    describe_decoder();
  }

  void note_decoders() {
    report_.decoders = stream_.decoders();
    report_.decoder_count = is_cut() ? 1 : stream_.decoder_count();
  }

  // Demuxers of pictures make up a rate.
  void describe_rate() {
    info_.takes_frame_rate = is_of_pictures(demuxer().container()) || is_boxed_picture(demuxer());
    if (info_.takes_frame_rate) info_.rate = options_.frame_rate.value_or(FrameRate());
    info_.format.frame_rate = info_.frame_rate().value_or(0);
  }

  void describe_conversions() {
    info_.conversions = conversions_of(layout_);
    info_.format.is_picture = info_.takes_frame_rate;
    const AVCodecID codec = demuxer().stream().codecpar->codec_id;
    const bool is_for_the_web =
        info_.takes_frame_rate &&
        (codec == AV_CODEC_ID_MJPEG || codec == AV_CODEC_ID_WEBP || is_boxed_picture(demuxer()));
    if (!is_for_the_web || info_.format.transfer != Transfer::kUnspecified) return;
    info_.format.transfer = Transfer::kSrgb;
    info_.format.assumes_srgb = true;
  }

  void describe_decoder() {
    note_decoders();
    info_.decoder = stream_.decoders();
    info_.decoder_note.clear();
    if (!stream_.refusal().empty()) info_.decoder_note = words("decoding in software: {}", stream_.refusal());
    const HardwarePictures* const hardware = stream_.hardware();
    if (hardware == nullptr || options_.hardware.decoder != DecoderRequest::kAuto) return;
    info_.decoder_note =
        words("decoding with {} (--decoder software uses the CPU)", hardware->session().hwaccel());
  }

  // Decoders pass on what the container says if the stream says nothing, so the stream's word comes with the
  // frame.
  void compare_tags() {
    const auto compare = [this](const char* what, auto container, auto& stream, auto unspecified) {
      if (stream == unspecified) stream = container;
      if (container == unspecified || container == stream) return;
      warn(words("the container says {} {}, the stream {}; the stream is believed", what,
                 to_string(container), to_string(stream)));
    };
    compare("range", map_range(demuxer().tagged_range()), info_.format.range, Range::kUnspecified);
    compare("transfer", map_transfer(demuxer().tagged_transfer()), info_.format.transfer,
            Transfer::kUnspecified);
  }

  std::optional<Picture> next_picture() {
    std::optional<Picture> picture = take_first(waiting_);
    if (picture) return picture;
    try {
      picture = stream_.next();
    } catch (...) {
      ended_ = true;
      note_decoders();
      throw;
    }
    note_decoders();
    return picture;
  }

  std::optional<Frame> next_frame() {
    while (!ended_) {
      std::optional<Picture> picture = next_picture();
      if (!picture) {
        finish();
        break;
      }
      if (picture->damage && !options_.allow_damage) fail_damaged(*picture);
      if (picture->damage) {
        damage_.add(*picture);
        continue;
      }
      if (stream_.is_part() && !is_as_described(*picture)) {
        stream_.leave_part();
        continue;
      }
      check_same(*picture->frame, picture->index);
      check_start();
      check_tags(*picture);
      check_grain(*picture);
      return frame_of(std::move(*picture));
    }
    return std::nullopt;
  }

  Frame frame_of(Picture picture) const {
    const int64_t time = picture.frame->best_effort_timestamp;
    const PictureType type = map_type(picture.frame->pict_type);
    Frame frame;
    if (picture.frame->data[0] != nullptr) {
      frame = make_frame(std::move(picture.frame), layout_, delivered_planes(layout_, options_.planes),
                         std::move(picture.place));
    } else {  // it stays on its device
      frame.bit_depth = layout_.bit_depth;
      frame.place = std::move(picture.place);
    }
    frame.index = picture.index;
    frame.type = type;
    if (info_.takes_frame_rate) {
      if (const auto rate = info_.frame_rate()) frame.timestamp = static_cast<double>(frame.index) / *rate;
    } else if (time != AV_NOPTS_VALUE) {
      frame.timestamp = seconds_of(time);
    }
    return frame;
  }

  bool has_first_format(const AVFrame& picture) const {
    return picture.width == info_.format.width && picture.height == info_.format.height &&
           picture.format == pixel_format_;
  }

  void check_same(const AVFrame& picture, int64_t index) {
    if (has_first_format(picture)) return;
    const auto describe_format = [](int width, int height, AVPixelFormat pixels) {
      return words("{}x{} {}", width, height, pixel_format_name(pixels));
    };
    fail(index,
         words("the format changes from {} to {}",
               describe_format(info_.format.width, info_.format.height, pixel_format_),
               describe_format(picture.width, picture.height, static_cast<AVPixelFormat>(picture.format))));
  }

  // Parts: the pictures of SourceOptions::parts alone, unless anything is unusual: then the whole video is
  // read up to the end of the part, and that counts.

  bool is_cut() const { return !options_.parts.empty(); }

  void start_parts() {
    waiting_.clear();
    stream_.start_parts(options_);
    info_.decoder_count = 1;
    info_.ahead_bytes = 0;
  }

  // Whether a picture of the part is as the first of the video; a reader of the whole video warns of a
  // difference, or fails.
  bool is_as_described(const Picture& picture) const {
    const AVFrame& frame = *picture.frame;
    const Range range = range_of(frame, layout_);
    const Transfer transfer = map_transfer(frame.color_trc);
    return has_first_format(frame) && (range == Range::kUnspecified || range == info_.format.range) &&
           (transfer == Transfer::kUnspecified || transfer == info_.format.transfer);
  }

  // Whether the numbers of the part are those of the whole video is seen at both of its ends.
  std::optional<Frame> next_of_part() {
    const StreamPart& part = options_.parts[part_];
    ended_ = ended_ || position_ >= part.end;
    while (std::optional<Frame> frame = next_frame()) {
      const bool is_whole = !stream_.is_part();
      if (is_whole && frame->index == part.picture) check_time(frame, part.picture, part.time);
      if (frame->index >= part.end) break;
      if (is_whole && frame->index + 1 == part.end) check_time(next_frame(), part.end, part.end_time);
      if (frame->index >= position_) return frame;
    }
    ended_ = true;
    if (!part.end_time) report_.length = options_.measured;
    return std::nullopt;
  }

  // Nothing is expected without a time.
  void check_time(const std::optional<Frame>& frame, int64_t index, std::optional<int64_t> time) const {
    const bool is_it =
        frame && time ? frame->index == index && frame->timestamp == seconds_of(*time) : !frame && !time;
    if (is_it) return;
    throw Error(ErrorKind::kIncomplete,
                "{}: its pictures are not where its packets say, so it cannot be cut. Try: --shards 1",
                name());
  }

  double seconds_of(int64_t time) const {
    return static_cast<double>(time - demuxer().start_time()) * av_q2d(demuxer().stream().time_base);
  }

  // Remarks on the stream, each once. It may be joined from parts with different properties; the run uses
  // those of the first picture.

  void check_start() {
    if (reported_start_ || !stream_.verdict().lost_at_start()) return;
    reported_start_ = true;
    const int64_t lost = *stream_.verdict().lost_at_start();
    if (lost == 0) return;
    warn(words(
        "the stream does not begin at a key frame: {}{} no frame; frame 0 is the first that can be decoded",
        counted(lost, "packet"), lost == 1 ? " gives" : " give"));
  }

  void check_tags(const Picture& picture) {
    if (reported_tags_) return;
    const Range range = range_of(*picture.frame, layout_);
    const Transfer transfer = map_transfer(picture.frame->color_trc);
    std::string changes;
    if (range != Range::kUnspecified && range != assumed(info_.format.range)) {
      changes += words(", range {} after {}", to_string(range), to_string(info_.format.range));
    }
    if (transfer != Transfer::kUnspecified && transfer != assumed(info_.format.transfer)) {
      changes += words(", transfer {} after {}", to_string(transfer), to_string(info_.format.transfer));
    }
    if (changes.empty()) return;
    reported_tags_ = true;
    warn(words("from frame {} on the stream says {}; what it says at its start is used for all frames",
               picture.index, changes.substr(2)));
  }

  void check_grain(const Picture& picture) {
    const FilmGrain now = stream_.verdict().film_grain();
    if (reported_grain_ || info_.film_grain != FilmGrain::kNone || now == FilmGrain::kNone) return;
    reported_grain_ = true;
    warn(words("from about frame {} on the stream describes film grain, which is {}", picture.index,
               to_string(now)));
  }

  // The stream is over: was it all?
  void finish() {
    if (std::exchange(ended_, true) || stream_.is_part()) return;
    if (demuxer().read_failure()) {
      try {
        std::rethrow_exception(demuxer().read_failure());
      } catch (const ReadError& error) {
        fail(stream_.next_index(), error.what());
      }
    }
    const std::string missing = stream_.verdict().missing();
    if (!missing.empty() && !options_.allow_damage)
      fail(stream_.next_index(), words("{}. Try: --allow-damage", missing));
    if (missing.empty() && damage_.count() == 0) report_.length = stream_.verdict().length();
    check_start();
    if (!missing.empty()) warn(missing);
    for (const std::string& remark : stream_.verdict().remarks()) warn(remark);
    const int64_t count = damage_.count();
    if (count == 0) return;
    warn(words("{}{} left out: {} (first: {})", counted(count, "damaged frame"),
               count == 1 ? " was" : " were", damage_.text(), damage_.first_reason()));
  }

  [[noreturn]] void fail_damaged(const Picture& picture) {
    damage_.add(picture);
    std::optional<Picture> later = next_picture();
    for (; later && later->index < picture.index + kCountedFrames; later = next_picture()) {
      if (later->damage) damage_.add(*later);
    }
    const bool at_end = !later;
    const std::string missing = at_end ? stream_.verdict().missing() : "";
    fail(damage_.first(),
         words("damaged: {}; {}{}{}. Try: --allow-damage", damage_.first_reason(), damage_.count(),
               at_end ? " damaged in all" : words(" of {} frames from there on are damaged", kCountedFrames),
               missing.empty() ? "" : ", and " + missing));
  }

  [[noreturn]] void fail(int64_t frame, const std::string& why) {
    ended_ = true;
    throw Error(ErrorKind::kIncomplete, "{}: frame {}: {}", name(), frame, why);
  }

  void warn(const std::string& text) { report_.warnings.push_back(words("{}: {}", name(), text)); }
  const FfmpegDemuxer& demuxer() const { return stream_.demuxer(); }
  std::string name() const { return shown_path(options_.path); }

  SourceOptions options_;
  ByteReader reader_;
  DecodedStream stream_;
  std::deque<Picture> waiting_;  // read while opening
  std::optional<Frame> held_;    // met by skip() beyond what it was to drop
  int64_t position_ = 0;         // index at which the next read starts
  size_t part_ = 0;              // number of the one being read
  bool ended_ = false;
  PictureLayout layout_;
  AVPixelFormat pixel_format_ = AV_PIX_FMT_NONE;
  DamageList damage_;
  bool reported_start_ = false, reported_tags_ = false, reported_grain_ = false;
};

}  // namespace

std::unique_ptr<VideoSource> open_ffmpeg(const SourceOptions& options, ByteReader reader) {
  return std::make_unique<FfmpegSource>(options, std::move(reader));
}

}  // namespace vq::cli
