#include "cli/decoding/ffmpeg_source.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <thread>
#include <utility>

#include "cli/decoding/damage_list.h"
#include "cli/decoding/declared_length.h"
#include "cli/decoding/decoder_plan.h"
#include "cli/decoding/ffmpeg_compat.h"
#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/ffmpeg_pictures.h"
#include "cli/decoding/ffmpeg_probe.h"
#include "cli/decoding/film_grain.h"
#include "cli/decoding/late_pictures.h"
#include "cli/decoding/segment_pictures.h"
#include "cli/decoding/stream_facts.h"
#include "cli/text/message_text.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// Of so many frames from the first damaged one on it is counted how many are: in the rest of a long video the
// count would take longer than it is worth.
constexpr int64_t kCountedFrames = 100;
constexpr size_t kMostReason = 400;  // characters

// As a run takes what a stream does not say.
constexpr Range assumed(Range range) {
  return range == Range::kUnspecified ? Range::kLimited : range;
}
constexpr Transfer assumed(Transfer transfer) {
  return transfer == Transfer::kUnspecified ? Transfer::kBt1886 : transfer;
}

class FfmpegSource : public VideoSource {
 public:
  FfmpegSource(const SourceOptions& options, ByteReader reader)
      : options_(options), reader_(std::move(reader)), threads_(choose_threads()), may_share_(reader_.size().has_value()), may_share_hardware_(may_share_) {
    check_hardware();
    restart();
    find_first();
    describe();
  }

  const VideoInfo& info() const override { return info_; }
  std::optional<Frame> read() override;
  int64_t skip(int64_t count) override;
  std::vector<std::string> take_warnings() override { return std::exchange(warnings_, {}); }
  std::string decoders() const override { return decoders_; }
  std::optional<StreamLength> measured_length() const override { return measured_; }
  int decoder_count() const override { return plan_.decoders; }
  void limit_ahead(int64_t bytes) override;
  ProbeFacts probe() const override {
    return probe_facts({demuxer_->container(), demuxer_->stream(), *waiting_.back().frame}, info_);
  }

 private:
  int choose_threads();
  void check_hardware();
  void restart();
  void start_decoding();
  bool is_hardware() const { return one_ != nullptr && one_->is_hardware(); }
  void leave_hardware();
  void settle_ahead(const Picture* last);
  void find_first();
  void describe();
  void compare_tags();
  void describe_decoder();
  void note_decoder();
  std::optional<Picture> pull();
  std::optional<Picture> next_picture();
  std::optional<Frame> next_frame();
  Range range_of(const AVFrame& picture) const;
  void check_same(const AVFrame& picture, int64_t index);
  void check_tags(const AVFrame& picture, int64_t index);
  void check_grain(int64_t index);
  void check_start();
  void finish();
  std::string missing_at_end() const;
  std::optional<StreamLength> read_length() const;
  void warn_at_end(const std::string& missing);
  [[noreturn]] void fail_damaged(const Picture& picture);
  [[noreturn]] void fail(int64_t frame, const std::string& why);
  std::string name() const { return shown_path(options_.path); }

  SourceOptions options_;
  ByteReader reader_;
  int threads_;
  bool may_share_;                            // several decoders may share the stream
  bool may_share_hardware_;                   // the same on hardware
  DecoderPlan plan_;                          // of these
  std::unique_ptr<FfmpegDemuxer> demuxer_;
  std::unique_ptr<PictureStream> pictures_;   // refers to the demuxer
  FfmpegPictures* one_ = nullptr;             // the same, where one decoder has the stream
  SegmentPictures* several_ = nullptr;        // the same, where several share it
  bool several_is_on_hardware_ = false;
  int64_t ahead_ = 0;                         // see settle_ahead()
  std::deque<Picture> waiting_;               // read while opening
  int64_t pulled_ = 0;                        // index of the next picture to be pulled
  std::optional<Frame> held_;                 // met by skip() beyond what it was to drop
  int64_t position_ = 0;                      // index at which the next read starts
  bool ended_ = false;
  VideoInfo info_;
  std::string refusal_;   // of hardware, before the first picture
  std::string decoders_;  // so far
  PictureLayout layout_;
  AVPixelFormat pixel_format_ = AV_PIX_FMT_NONE;
  DamageList damage_;
  std::optional<StreamLength> measured_;
  bool told_of_tags_ = false, told_of_start_ = false, told_of_grain_ = false;
  std::vector<std::string> warnings_;
};

// Of all decoders together.
int FfmpegSource::choose_threads() {
  if (!reader_.size()) return 1;
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return options_.threads > 0 ? options_.threads : cores;
}

// Where hardware fails the stream is read again from its start.
void FfmpegSource::check_hardware() {
  DecoderWish& wish = options_.hardware.decoder;
  if (reader_.size()) return;
  if (wish == DecoderWish::kHardware) {
    throw Error(ErrorKind::kBackend, name() + " cannot be decoded by hardware: it comes through a pipe, and could not be read "
                                              "again should hardware fail. Try: a file, or --decoder auto");
  }
  wish = DecoderWish::kSoftware;
}

void FfmpegSource::restart() {
  pictures_.reset();
  demuxer_.reset();
  if (reader_.size()) reader_.seek(0);
  demuxer_ = std::make_unique<FfmpegDemuxer>(reader_, options_);
  if (!options_.film_grain && !can_leave_out_film_grain(demuxer_->codec())) {
    throw Error(ErrorKind::kMismatch, name() + ": the decoder " + demuxer_->codec().name +
                                          " cannot leave out film grain; libavcodec needs libdav1d for that.");
  }
  start_decoding();
}

// Software decodes the stream anew. What was delivered already is the same.
void FfmpegSource::leave_hardware() {
  const std::string failure = printable(one_->hardware_failure(), kMostReason);
  if (!failure.empty() && options_.hardware.decoder == DecoderWish::kHardware) {
    ended_ = true;
    throw Error(ErrorKind::kBackend, name() + " cannot be decoded by hardware: " + failure + ". Try: --decoder auto");
  }
  options_.hardware.decoder = DecoderWish::kSoftware;
  const std::string reason = failure.empty() ? printable(one_->hardware_doubt(), kMostReason) : failure;
  if (decoders_.empty()) {
    refusal_ = reason;
  } else {
    warnings_.push_back(name() + ": decoding goes on in software: " + reason);
  }
}

void FfmpegSource::start_decoding() {
  several_ = nullptr;
  one_ = nullptr;
  const bool tries_hardware = may_be_hardware(options_.hardware);
  plan_ = DecoderPlan();
  if (tries_hardware && may_share_hardware_) plan_ = plan_sessions(*demuxer_, options_);
  if (!tries_hardware && may_share_) plan_ = plan_decoders(*demuxer_, options_, threads_);
  if (plan_.decoders > 1) {
    auto several = std::make_unique<SegmentPictures>(*demuxer_, options_, plan_);
    several_ = several.get();
    several_is_on_hardware_ = tries_hardware;
    ahead_ = plan_.pictures;
    pictures_ = std::move(several);
    settle_ahead(nullptr);
    return;
  }
  auto one = std::make_unique<FfmpegPictures>(*demuxer_, options_, std::min(threads_, kMaxDecoderThreads));
  one_ = one.get();
  pictures_ = std::move(one);
  if (!one_->decoder().refusal().empty()) refusal_ = one_->decoder().refusal();
  if (is_hardware()) return;
  options_.hardware.decoder = DecoderWish::kSoftware;  // from then on
  may_share_ = may_share_ && tries_hardware;
  if (may_share_) start_decoding();
}

void FfmpegSource::limit_ahead(int64_t bytes) {
  if (several_ == nullptr) return;
  bytes -= plan_.decoders * SegmentPictures::kPacketBytes;
  plan_.pictures = std::clamp<int64_t>(bytes / picture_bytes(*demuxer_->stream().codecpar), 1, plan_.pictures);
  settle_ahead(nullptr);
}

// How far to decode ahead, after that picture. Until the device is known, which takes a moment, pictures go through the host: no
// more than keep the sessions busy, since memory that is touched for the first time costs more than decoding does. From then on
// as many as the host has room for, and as the devices have while pictures are seen to stay there.
void FfmpegSource::settle_ahead(const Picture* last) {
  if (several_ == nullptr) return;
  int64_t ahead = plan_.pictures;
  if (plan_.device_pictures > 0) {
    const bool stays = last != nullptr && last->frame && last->frame->data[0] == nullptr;
    if (stays) ahead = plan_.device_pictures;
    if (!options_.hardware.pictures || !options_.hardware.pictures->is_known()) ahead = std::min<int64_t>(ahead, plan_.decoders);
  }
  if (ahead != std::exchange(ahead_, ahead)) several_->limit_pictures(ahead);
}

// The next picture of the stream. Where several decoders met what is out of the ordinary, one does it all again, and where
// several threads of that came near damage, one thread.
std::optional<Picture> FfmpegSource::pull() {
  for (;;) {
    if (options_.stopped && options_.stopped()) fail(pulled_, "reading was interrupted");
    std::optional<Picture> picture = pictures_->next();
    if (pictures_->is_suspect() && !demuxer_->read_failure()) {
      if (is_hardware()) {
        leave_hardware();
      } else if (several_ != nullptr && several_is_on_hardware_) {
        may_share_hardware_ = false;
      } else if (!std::exchange(may_share_, false)) {
        threads_ = 1;
      }
      restart();
      if (!decoders_.empty()) note_decoder();
      continue;
    }
    settle_ahead(picture ? &*picture : nullptr);
    if (picture && picture->index < pulled_) continue;  // seen before the restart
    if (picture) pulled_ = picture->index + 1;
    return picture;
  }
}

std::optional<Picture> FfmpegSource::next_picture() {
  if (waiting_.empty()) return pull();
  Picture picture = std::move(waiting_.front());
  waiting_.pop_front();
  return picture;
}

void FfmpegSource::find_first() {
  while (auto picture = pull()) {
    waiting_.push_back(std::move(*picture));
    if (waiting_.back().frame) return;
  }
  if (demuxer_->read_failure()) std::rethrow_exception(demuxer_->read_failure());
  const std::string& reason = pictures_->last_reason();
  throw Error(tells_of_too_large_a_picture(reason) ? ErrorKind::kMismatch : ErrorKind::kInput,
              name() + " cannot be decoded: its " + demuxer_->codec().name + " stream gave no picture" +
                  (reason.empty() ? "" : " (" + reason + ")") + demuxer_->seek_hint());
}

void FfmpegSource::describe() {
  const AVFrame& first = *waiting_.back().frame;
  const AVStream& stream = demuxer_->stream();
  pixel_format_ = static_cast<AVPixelFormat>(first.format);
  try {
    layout_ = picture_layout(pixel_format_);
  } catch (const Error& error) {
    throw Error(error.kind(), name() + ": " + error.what());
  }
  info_.path = options_.path;
  info_.container = demuxer_->container().iformat->name;
  info_.codec = avcodec_get_name(stream.codecpar->codec_id);
  info_.pixel_format = pixel_format_name(pixel_format_);
  info_.format = {.name = info_.path,
                  .width = first.width,
                  .height = first.height,
                  .bit_depth = layout_.bit_depth,
                  .chroma = layout_.chroma,
                  .range = range_of(first),
                  .transfer = map_transfer(first.color_trc),
                  .matrix = map_matrix(first.colorspace)};
  const AVRational rate = demuxer_->frame_rate();
  info_.frame_rate_num = rate.num;
  info_.frame_rate_den = rate.den;
  info_.frames = demuxer_->declared().pictures;
  info_.duration = demuxer_->declared().seconds;
  info_.file_bytes = reader_.size();
  info_.bit_rate = declared_bit_rate(demuxer_->container(), stream);
  EncoderFacts encoder = encoder_facts(demuxer_->container(), stream, first);
  info_.encoder = std::move(encoder.name);
  info_.encoder_settings = std::move(encoder.settings);
  const AVFieldOrder order = stream.codecpar->field_order;
  info_.film_grain = pictures_->film_grain();
  info_.decoder_count = plan_.decoders;
  if (several_ != nullptr) {
    info_.ahead_bytes = plan_.pictures * picture_bytes(*stream.codecpar) + plan_.decoders * SegmentPictures::kPacketBytes;
  }
  info_.interlaced = is_interlaced(first) || (order != AV_FIELD_UNKNOWN && order != AV_FIELD_PROGRESSIVE);
  describe_decoder();
  compare_tags();
}

void FfmpegSource::note_decoder() {
  const std::string name = pictures_->decoder_name();
  if (decoders_ == name || decoders_.ends_with(", " + name)) return;
  decoders_ += (decoders_.empty() ? "" : ", ") + name;
}

void FfmpegSource::describe_decoder() {
  note_decoder();
  info_.decoder = decoders_;
  if (!refusal_.empty()) info_.decoder_note = "decoding in software: " + refusal_;
  const HardwarePictures* const hardware = several_ != nullptr ? several_->hardware() : one_->decoder().hardware();
  if (hardware == nullptr || options_.hardware.decoder != DecoderWish::kAuto) return;
  info_.decoder_note = "decoding with " + hardware->session().hwaccel() +
                       " (--decoder software uses the CPU)";
}

// Decoders pass on what the container says where the stream says nothing, so the stream's word comes with the
// frame.
void FfmpegSource::compare_tags() {
  const auto compare = [this](const char* what, auto container, auto& stream, auto unspecified) {
    if (stream == unspecified) stream = container;
    if (container == unspecified || container == stream) return;
    warnings_.push_back(name() + ": the container says " + what + " " + std::string(to_string(container)) +
                        ", the stream " + std::string(to_string(stream)) + "; the stream is believed");
  };
  compare("range", map_range(demuxer_->tagged_range()), info_.format.range, Range::kUnspecified);
  compare("transfer", map_transfer(demuxer_->tagged_transfer()), info_.format.transfer,
          Transfer::kUnspecified);
}

void FfmpegSource::fail(int64_t frame, const std::string& why) {
  ended_ = true;
  throw Error(ErrorKind::kIncomplete, name() + ": frame " + std::to_string(frame) + ": " + why);
}

void FfmpegSource::fail_damaged(const Picture& picture) {
  damage_.add(picture.index, picture.reason);
  std::optional<Picture> later = next_picture();
  for (; later && later->index < picture.index + kCountedFrames; later = next_picture()) {
    if (later->damaged) damage_.add(later->index, later->reason);
  }
  const bool at_end = !later;
  const std::string missing = at_end ? missing_at_end() : "";
  fail(damage_.first(), "damaged: " + damage_.first_reason() + "; " + std::to_string(damage_.count()) +
                            (at_end ? " damaged in all"
                                    : " of " + std::to_string(kCountedFrames) + " frames from there on are damaged") +
                            (missing.empty() ? "" : ", and " + missing) + ". Try: --allow-damage");
}

Range FfmpegSource::range_of(const AVFrame& picture) const {
  return layout_.full_range ? Range::kFull : map_range(picture.color_range);
}

void FfmpegSource::check_same(const AVFrame& picture, int64_t index) {
  const auto format = static_cast<AVPixelFormat>(picture.format);
  if (picture.width == info_.format.width && picture.height == info_.format.height &&
      format == pixel_format_) {
    return;
  }
  const auto describe_format = [](int width, int height, AVPixelFormat pixels) {
    return std::to_string(width) + "x" + std::to_string(height) + " " + pixel_format_name(pixels);
  };
  fail(index, "the format changes from " +
                  describe_format(info_.format.width, info_.format.height, pixel_format_) + " to " +
                  describe_format(picture.width, picture.height, format));
}

// A stream may be joined of parts that differ; a run has one answer for all of it.
void FfmpegSource::check_tags(const AVFrame& picture, int64_t index) {
  if (told_of_tags_) return;
  const Range range = range_of(picture);
  const Transfer transfer = map_transfer(picture.color_trc);
  std::string changes;
  if (range != Range::kUnspecified && range != assumed(info_.format.range)) {
    changes += ", range " + std::string(to_string(range)) + " after " + std::string(to_string(info_.format.range));
  }
  if (transfer != Transfer::kUnspecified && transfer != assumed(info_.format.transfer)) {
    changes += ", transfer " + std::string(to_string(transfer)) + " after " +
               std::string(to_string(info_.format.transfer));
  }
  if (changes.empty()) return;
  told_of_tags_ = true;
  warnings_.push_back(name() + ": from frame " + std::to_string(index) + " on the stream says " + changes.substr(2) +
                      "; what it says at its start is used for all frames");
}

// A report says of the whole video what its first picture has.
void FfmpegSource::check_grain(int64_t index) {
  if (told_of_grain_ || info_.film_grain != FilmGrain::kNone || pictures_->film_grain() == FilmGrain::kNone) return;
  told_of_grain_ = true;
  warnings_.push_back(name() + ": from about frame " + std::to_string(index) + " on the stream describes film grain, which is " +
                      std::string(to_string(pictures_->film_grain())));
}

void FfmpegSource::check_start() {
  if (told_of_start_ || !pictures_->start().is_settled()) return;
  told_of_start_ = true;
  const int64_t lost = pictures_->start().lost();
  if (lost == 0) return;
  warnings_.push_back(name() + ": the stream does not begin at a key frame: " + counted(lost, "packet") +
                      (lost == 1 ? " gives" : " give") + " no frame; frame 0 is the first that can be decoded");
}

// In words, what is missing at the end; empty where nothing is.
std::string FfmpegSource::missing_at_end() const {
  const std::string missing = shortage(demuxer_->declared(), pictures_->progress());
  if (!missing.empty() || !demuxer_->end().is_within_unit()) return missing;
  return "the file is cut: it ends within a packet of its container";
}

// The stream is over: was it all?
void FfmpegSource::finish() {
  if (std::exchange(ended_, true)) return;
  if (demuxer_->read_failure()) {
    try {
      std::rethrow_exception(demuxer_->read_failure());
    } catch (const ReadError& error) {
      fail(pulled_, error.what());
    }
  }
  const std::string missing = missing_at_end();
  if (!missing.empty() && !options_.allow_damage) fail(pulled_, missing + ". Try: --allow-damage");
  if (missing.empty() && damage_.count() == 0) measured_ = read_length();
  warn_at_end(missing);
}

std::optional<StreamLength> FfmpegSource::read_length() const {
  const AVStream& stream = demuxer_->stream();
  const DecodeProgress& progress = pictures_->progress();
  const int64_t start = stream.start_time != AV_NOPTS_VALUE ? std::max<int64_t>(0, stream.start_time) : 0;
  double seconds = progress.own_end_seconds - static_cast<double>(start) * av_q2d(stream.time_base);
  // Times of packets may be rounded more than the duration is.
  const std::optional<double>& declared = demuxer_->declared().seconds;
  if (declared && std::abs(*declared - seconds) < progress.frame_seconds) seconds = *declared;
  if (seconds <= 0) return std::nullopt;
  return StreamLength{demuxer_->stream_bytes(), seconds};
}

void FfmpegSource::warn_at_end(const std::string& missing) {
  check_start();
  if (!missing.empty()) warnings_.push_back(name() + ": " + missing);
  if (const int64_t count = pictures_->missing_at_end(); count > 0) {
    warnings_.push_back(name() + ": the stream ends within a group of frames: " + std::to_string(count) +
                        " that would be shown before the last are missing; the others keep their numbers");
  }
  if (missing.empty() && !demuxer_->complaint().empty()) {
    warnings_.push_back(name() + ": the container may be damaged: " + printable(demuxer_->complaint(), 200));
  }
  if (damage_.count() > 0) {
    const int64_t count = damage_.count();
    warnings_.push_back(name() + ": " + counted(count, "damaged frame") + (count == 1 ? " was" : " were") +
                        " left out: " + damage_.text() + " (first: " + damage_.first_reason() + ")");
  }
}

std::optional<Frame> FfmpegSource::next_frame() {
  while (!ended_) {
    std::optional<Picture> picture = next_picture();
    if (!picture) {
      finish();
      break;
    }
    if (picture->damaged && !options_.allow_damage) fail_damaged(*picture);
    if (picture->damaged) {
      damage_.add(picture->index, picture->reason);
      continue;
    }
    check_start();
    check_same(*picture->frame, picture->index);
    check_tags(*picture->frame, picture->index);
    check_grain(picture->index);
    const AVStream& stream = demuxer_->stream();
    const int64_t time = picture->frame->best_effort_timestamp;
    Frame frame;
    if (picture->frame->data[0] != nullptr) {
      frame = make_frame(std::move(picture->frame), layout_, std::min(options_.planes, plane_count(layout_.chroma)),
                         std::move(picture->place));
    } else {  // it stays on its device
      frame.bit_depth = layout_.bit_depth;
      frame.place = std::move(picture->place);
    }
    frame.index = picture->index;
    if (time != AV_NOPTS_VALUE) {
      const int64_t start = stream.start_time != AV_NOPTS_VALUE ? stream.start_time : 0;
      frame.timestamp = static_cast<double>(time - start) * av_q2d(stream.time_base);
    }
    return frame;
  }
  return std::nullopt;
}

std::optional<Frame> FfmpegSource::read() {
  std::optional<Frame> frame = held_ ? std::exchange(held_, std::nullopt) : next_frame();
  if (frame) position_ = frame->index + 1;
  return frame;
}

int64_t FfmpegSource::skip(int64_t count) {
  const int64_t start = position_;
  while (position_ < start + count) {
    std::optional<Frame> frame = read();
    if (!frame) break;
    if (frame->index < start + count) continue;
    held_ = std::move(frame);
    position_ = start + count;
  }
  return position_ - start;
}

}  // namespace

std::unique_ptr<VideoSource> open_ffmpeg(const SourceOptions& options, ByteReader reader) {
  return std::make_unique<FfmpegSource>(options, std::move(reader));
}

}  // namespace vq::cli
