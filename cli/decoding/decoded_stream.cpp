#include "cli/decoding/decoded_stream.h"

#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/decoding/stream_facts.h"
#include "core/error.h"

namespace vq::cli {
namespace {

// A demuxer or decoder that fails this often in a row makes no progress.
constexpr int kMaxErrorsInARow = 64;

// The pictures of a stream by one decoder, from its start. Which signs of damage a decoder gives, and how it
// conceals missing data, depends on the timing of its threads. So with several threads this class only
// reports that damage is near, and its user starts again with one thread, which decides. Up to there the
// pictures are the same for every number of threads.
class FfmpegPictures final : public PictureStream {
 public:
  // Throws Error{kInput, kResource} if the decoder does not start.
  FfmpegPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, int threads)
      : PictureStream(demuxer, options),
        threads_(threads),
        wants_grain_(options.film_grain),
        decoder_(demuxer, options, threads) {}

  std::optional<Picture> next() override {
    for (;;) {
      if (std::optional<Picture> picture = verdict_.take()) return picture;
      if (ended_ || (hardware() != nullptr && is_suspect())) return std::nullopt;
      ended_ = !feed();
    }
  }

  // Only with several threads, or on hardware, including if hardware cannot continue.
  bool is_suspect() const override {
    return (threads_ > 1 || hardware() != nullptr) && (verdict_.saw_damage() || decoder_.log().saw_damage() ||
                                                       has_other_grain() || !hardware_failure().empty());
  }

  std::string decoder_name() const override { return decoder_.name(); }
  const HardwarePictures* hardware() const override { return decoder_.hardware(); }
  HardwareEnd hardware_end() const override {
    if (const std::string failure = hardware_failure(); !failure.empty()) return {true, failure};
    if (!hardware()->doubt().empty()) return {false, hardware()->doubt()};
    if (has_other_grain()) return {false, "it has film grain, which software adds"};
    const std::string& reason = verdict_.last_reason();
    return {false, reason.empty() ? "it may be damaged" : words("it may be damaged ({})", reason)};
  }

  const std::string& refusal() const { return decoder_.refusal(); }

 private:
  // Hardware may add other grain than libavcodec does, or none.
  bool has_other_grain() const {
    return hardware() != nullptr && wants_grain_ && is_described(verdict_.film_grain());
  }

  // The hardware's own failure, or one that its decoder logged.
  std::string hardware_failure() const {
    if (hardware() == nullptr) return {};
    const std::string &failure = hardware()->failure(), &reason = verdict_.last_reason();
    return failure.empty() && tells_of_hardware(reason) ? reason : failure;
  }

  // Reads one more packet and works on the one before, or after the last on what the decoder still holds.
  // False once there is no more.
  bool feed() {
    const int code = demuxer_.read(*packet_);
    if (code >= 0) {
      demux_errors_ = 0;
      verdict_.clock(*packet_, decoder_.context().has_b_frames);
      if (packet_->stream_index != demuxer_.stream().index) return true;
      if (packet_->size == 0) {  // writers leave an empty packet in place of a repeated picture
        verdict_.add_empty();
        return true;
      }
      work_on_waiting();
      std::swap(packet_, waiting_);
      return true;
    }
    if (code != AVERROR_EOF && !demuxer_.read_failure()) {
      work_on_waiting();
      verdict_.note_failed_read(code);
      if (++demux_errors_ < kMaxErrorsInARow) return true;
    }
    finish();
    return false;
  }

  void finish() {
    verdict_.end_packets(waiting_->size > 0 ? 1 : 0);
    work_on_waiting();
    work_on(nullptr);
    verdict_.finish();
  }

  void work_on_waiting() {
    if (waiting_->size == 0) return;
    verdict_.note(*waiting_);
    work_on(waiting_.get());
    av_packet_unref(waiting_.get());
  }

  // `packet` null: the decoder gives what it holds.
  void work_on(AVPacket* packet) {
    decoder_.log().mark();
    error_code_ = 0;
    send(packet);
    receive_all();
    verdict_.note_answer(packet, error_code_, decoder_.log().first());
    for (Picture& picture : received_) verdict_.note(std::move(picture));
    received_.clear();
  }

  void send(AVPacket* packet) {
    int code = decoder_.send(packet, verdict_.packets());
    if (code == AVERROR(EAGAIN)) {
      receive_all();
      code = decoder_.send(packet, verdict_.packets());
    }
    if (code < 0 && code != AVERROR_EOF) note_error(code);
  }

  void receive_all() {
    for (int errors = 0; errors < kMaxErrorsInARow;) {
      Picture picture;
      const int code = decoder_.receive(picture);
      if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
      if (code < 0) {
        note_error(code);
        if (hardware() != nullptr) return;
        ++errors;
        continue;
      }
      picture.film_grain = film_grain_of(decoder_.context(), *picture.frame, wants_grain_);
      received_.push_back(std::move(picture));
    }
  }

  void note_error(int code) {
    if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
    error_code_ = code;
  }

  int threads_;
  const bool wants_grain_;
  FfmpegDecoder decoder_;
  // A packet waits until the next has been read, so that the last is known to be the last.
  AvPtr<AVPacket> packet_ = new_packet(), waiting_ = new_packet();
  std::vector<Picture> received_;  // for the current packet
  int error_code_ = 0;             // the same
  bool ended_ = false;
  int demux_errors_ = 0;  // consecutive ones
};

}  // namespace

// Bytes that cannot seek have one decoder with one thread, since it cannot begin again if something may be
// damaged.
static int choose_threads(const SourceOptions& options, ByteReader& reader) {
  if (!reader.size()) return 1;
  return options.threads > 0 ? options.threads : usable_cores();
}

static DecoderRequest choose_decoder(const SourceOptions& options, ByteReader& reader) {
  const DecoderRequest request = options.hardware.decoder;
  if (reader.size()) return request;
  if (request == DecoderRequest::kHardware) {
    throw Error(ErrorKind::kBackend,
                shown_path(options.path) +
                    " cannot be decoded by hardware: it comes through a pipe, and could not be read again "
                    "should hardware fail. Try: a file, or --decoder auto");
  }
  return DecoderRequest::kSoftware;
}

DecodedStream::DecodedStream(const SourceOptions& options, ByteReader& reader,
                             std::vector<std::string>& warnings)
    : options_(options),
      reader_(reader),
      warnings_(warnings),
      threads_(choose_threads(options, reader)),
      may_share_(reader.size().has_value()),
      may_share_hardware_(may_share_) {
  options_.hardware.decoder = choose_decoder(options, reader);
  if (!options.parts.empty()) {
    // The first picture of the stream tells of the part as well, and is there soonest with one thread:
    // sessions of hardware are opened one after another.
    threads_ = options_.decoders = 1;
    if (options_.hardware.decoder == DecoderRequest::kAuto)
      options_.hardware.decoder = DecoderRequest::kSoftware;
  }
  restart();
}

void DecodedStream::restart() {
  pictures_.reset();
  demuxer_.reset();
  if (reader_.size()) reader_.seek(0);
  demuxer_ = std::make_unique<FfmpegDemuxer>(reader_, options_);
  if (!options_.film_grain && !can_leave_out_film_grain(demuxer_->codec())) {
    throw Error(ErrorKind::kMismatch,
                "{}: the decoder {} cannot leave out film grain; libavcodec needs libdav1d for that.", name(),
                demuxer_->codec().name);
  }
  if (is_part_) {
    start_reading_parts();
  } else {
    start_decoding();
  }
}

void DecodedStream::start_reading_parts() {
  threads_ = choose_threads(options_, reader_);
  const bool by_hardware = may_be_hardware(options_.hardware);
  plan_ = by_hardware ? plan_sessions(*demuxer_, options_) : plan_decoders(*demuxer_, options_, threads_);
  if (!is_shared()) {
    constexpr int64_t kWaiting = 4;  // decoded pictures
    plan_ = {.decoders = 1, .threads = std::min(threads_, kMaxDecoderThreads), .pictures = kWaiting};
  }
  const std::span<const StreamPart> parts = options_.parts;
  pictures_ =
      part_pictures(*demuxer_, options_, parts.subspan(part_, is_alone_ ? 1 : std::dynamic_extent), plan_);
  ahead_ = plan_.pictures;
  settle_ahead(nullptr);
}

void DecodedStream::start_decoding() {
  plan_ = DecoderPlan();
  const bool tries_hardware = may_be_hardware(options_.hardware);
  if (tries_hardware && may_share_hardware_) plan_ = plan_sessions(*demuxer_, options_);
  if (!tries_hardware && may_share_) plan_ = plan_decoders(*demuxer_, options_, threads_);
  if (is_shared()) {
    pictures_ = segment_pictures(*demuxer_, options_, plan_);
    ahead_ = plan_.pictures;
    settle_ahead(nullptr);
    return;
  }
  auto one = std::make_unique<FfmpegPictures>(*demuxer_, options_, std::min(threads_, kMaxDecoderThreads));
  if (!one->refusal().empty()) refusal_ = one->refusal();
  pictures_ = std::move(one);
  if (hardware() != nullptr) return;
  options_.hardware.decoder = DecoderRequest::kSoftware;  // from then on
  may_share_ = may_share_ && tries_hardware;
  if (may_share_) start_decoding();
}

void DecodedStream::start_parts(const SourceOptions& options) {
  is_part_ = true;
  options_.decoders = options.decoders;
  options_.hardware.decoder = choose_decoder(options, reader_);
  decoders_.clear();
  next_index_ = options_.parts.front().picture;
  restart();
}

void DecodedStream::go_on() {
  const bool is_sound = is_part_ && !is_alone_ && !pictures_->is_suspect() && !demuxer_->read_failure();
  next_index_ = options_.parts[++part_].picture;
  is_part_ = true;
  if (!is_sound) restart();
}

void DecodedStream::leave_part() {
  if (!may_be_hardware(options_.hardware)) {
    is_part_ = false;
    threads_ = choose_threads(options_, reader_);
    may_share_ = true;
    next_index_ = 0;
  }
  options_.hardware.decoder = DecoderRequest::kSoftware;
  restart();
}

int64_t DecodedStream::ahead_bytes() const {
  if (!is_shared()) return 0;
  return plan_.pictures * picture_bytes(*demuxer_->stream().codecpar) + plan_.decoders * kPacketBytes;
}

void DecodedStream::limit_ahead(int64_t bytes) {
  if (!is_shared()) return;
  bytes -= plan_.decoders * kPacketBytes;
  plan_.pictures =
      std::clamp<int64_t>(bytes / picture_bytes(*demuxer_->stream().codecpar), 1, plan_.pictures);
  settle_ahead(nullptr);
}

// How far to decode ahead, after that picture. Until the device is known, which takes a moment, pictures go
// through the host: no more than keep the sessions busy, since memory that is touched for the first time
// costs more than decoding does. From then on as many as the host has room for, and as the devices have while
// pictures are seen to stay there.
void DecodedStream::settle_ahead(const Picture* last) {
  if (!is_shared()) return;
  int64_t ahead = plan_.pictures;
  if (plan_.device_pictures > 0) {
    const bool stays = last != nullptr && last->frame && last->frame->data[0] == nullptr;
    if (stays) ahead = plan_.device_pictures;
    const auto& pictures = options_.hardware.pictures;
    if (!pictures || !pictures->is_known()) ahead = std::min<int64_t>(ahead, plan_.decoders);
  }
  if (ahead != std::exchange(ahead_, ahead)) pictures_->limit_pictures(ahead);
}

void DecodedStream::decode_by(const SourceOptions& options) {
  options_.hardware = options.hardware;
  options_.decoders = options.decoders;
  options_.ahead_bytes = options.ahead_bytes;
  options_.device_ahead_bytes = options.device_ahead_bytes;
  threads_ = choose_threads(options, reader_);
  may_share_ = may_share_hardware_ = true;
  next_index_ = 0;
  decoders_.clear();
  refusal_.clear();
  restart();
}

// Software decodes the stream anew. What was delivered already is the same.
void DecodedStream::leave_hardware() {
  const PictureStream::HardwareEnd end = pictures_->hardware_end();
  const std::string reason = printable(end.reason, kMostReason);
  if (end.has_failed && options_.hardware.decoder == DecoderRequest::kHardware) {
    throw Error(ErrorKind::kBackend, "{} cannot be decoded by hardware: {}. Try: --decoder auto", name(),
                reason);
  }
  options_.hardware.decoder = DecoderRequest::kSoftware;
  if (decoders_.empty()) {
    refusal_ = reason;
  } else {
    warnings_.push_back(words("{}: decoding goes on in software: {}", name(), reason));
  }
}

// If several decoders met anything unusual, one does it all again, and if several threads of that came near
// damage, one thread.
bool DecodedStream::starts_again() {
  if (!pictures_->is_suspect()) return false;
  if (is_part()) {
    const bool may_be_another = !is_alone_ && part_ + 1 < options_.parts.size();
    if (may_be_another) {
      is_alone_ = true;
      restart();
    } else {
      leave_part();
    }
    return true;
  }
  if (demuxer_->read_failure()) return false;
  if (is_shared() && may_be_hardware(options_.hardware)) {
    may_share_hardware_ = false;
  } else if (hardware() != nullptr) {
    leave_hardware();
  } else if (!std::exchange(may_share_, false)) {
    threads_ = 1;
  }
  restart();
  if (!decoders_.empty()) note_decoder();
  return true;
}

void DecodedStream::note_decoder() {
  const std::string name = pictures_->decoder_name();
  if (decoders_ == name || decoders_.ends_with(", " + name)) return;
  decoders_ += (decoders_.empty() ? "" : ", ") + name;
}

std::optional<Picture> DecodedStream::next() {
  for (;;) {
    if (options_.stop.is_requested())
      throw Error(ErrorKind::kIncomplete, "{}: frame {}: reading was interrupted", name(), next_index_);
    std::optional<Picture> picture = pictures_->next();
    if (starts_again()) continue;
    settle_ahead(picture ? &*picture : nullptr);
    if (picture && picture->index < next_index_) continue;  // seen before the restart
    if (picture) next_index_ = picture->index + 1;
    // Decoders that gave nothing before have no part in it.
    if (picture && picture->frame && (decoders_.empty() || !options_.parts.empty())) note_decoder();
    return picture;
  }
}

}  // namespace vq::cli
