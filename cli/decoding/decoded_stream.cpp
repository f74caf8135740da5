#include "cli/decoding/decoded_stream.h"

#include <algorithm>
#include <cerrno>
#include <thread>
#include <utility>

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/hardware/hardware_pictures.h"
#include "cli/decoding/stream_facts.h"
#include "core/error.h"

namespace vq::cli {
namespace {

// Bytes that cannot seek have one decoder with one thread, since it cannot begin again if something may be
// damaged.
int choose_threads(const SourceOptions& options, ByteReader& reader) {
  if (!reader.size()) return 1;
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return options.threads > 0 ? options.threads : cores;
}

DecoderRequest choose_decoder(const SourceOptions& options, ByteReader& reader) {
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

}  // namespace

DecodedStream::DecodedStream(const SourceOptions& options, ByteReader& reader,
                             std::vector<std::string>& warnings)
    : options_(options),
      reader_(reader),
      warnings_(warnings),
      threads_(choose_threads(options, reader)),
      may_share_(reader.size().has_value()),
      may_share_hardware_(may_share_) {
  options_.hardware.decoder = choose_decoder(options, reader);
  restart();
}

void DecodedStream::restart() {
  pictures_.reset();
  demuxer_.reset();
  if (reader_.size()) reader_.seek(0);
  demuxer_ = std::make_unique<FfmpegDemuxer>(reader_, options_);
  if (!options_.film_grain && !can_leave_out_film_grain(demuxer_->codec())) {
    throw Error(ErrorKind::kMismatch,
                words("{}: the decoder {} cannot leave out film grain; libavcodec needs libdav1d for that.",
                      name(), demuxer_->codec().name));
  }
  start_decoding();
}

void DecodedStream::start_decoding() {
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
  options_.hardware.decoder = DecoderRequest::kSoftware;  // from then on
  may_share_ = may_share_ && tries_hardware;
  if (may_share_) start_decoding();
}

int64_t DecodedStream::ahead_bytes() const {
  if (several_ == nullptr) return 0;
  return plan_.pictures * picture_bytes(*demuxer_->stream().codecpar) +
         plan_.decoders * SegmentPictures::kPacketBytes;
}

void DecodedStream::limit_ahead(int64_t bytes) {
  if (several_ == nullptr) return;
  bytes -= plan_.decoders * SegmentPictures::kPacketBytes;
  plan_.pictures =
      std::clamp<int64_t>(bytes / picture_bytes(*demuxer_->stream().codecpar), 1, plan_.pictures);
  settle_ahead(nullptr);
}

// How far to decode ahead, after that picture. Until the device is known, which takes a moment, pictures go
// through the host: no more than keep the sessions busy, since memory that is touched for the first time
// costs more than decoding does. From then on as many as the host has room for, and as the devices have while
// pictures are seen to stay there.
void DecodedStream::settle_ahead(const Picture* last) {
  if (several_ == nullptr) return;
  int64_t ahead = plan_.pictures;
  if (plan_.device_pictures > 0) {
    const bool stays = last != nullptr && last->frame && last->frame->data[0] == nullptr;
    if (stays) ahead = plan_.device_pictures;
    const auto& pictures = options_.hardware.pictures;
    if (!pictures || !pictures->is_known()) ahead = std::min<int64_t>(ahead, plan_.decoders);
  }
  if (ahead != std::exchange(ahead_, ahead)) several_->limit_pictures(ahead);
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
  const std::string failure = printable(one_->hardware_failure(), kMostReason);
  if (!failure.empty() && options_.hardware.decoder == DecoderRequest::kHardware) {
    throw Error(ErrorKind::kBackend,
                words("{} cannot be decoded by hardware: {}. Try: --decoder auto", name(), failure));
  }
  options_.hardware.decoder = DecoderRequest::kSoftware;
  const std::string reason = failure.empty() ? printable(one_->hardware_doubt(), kMostReason) : failure;
  if (decoders_.empty()) {
    refusal_ = reason;
  } else {
    warnings_.push_back(words("{}: decoding goes on in software: {}", name(), reason));
  }
}

// Where several decoders met what is out of the ordinary, one does it all again, and if several threads of
// that came near damage, one thread.
bool DecodedStream::starts_again() {
  if (!pictures_->is_suspect() || demuxer_->read_failure()) return false;
  if (is_hardware()) {
    leave_hardware();
  } else if (several_ != nullptr && several_is_on_hardware_) {
    may_share_hardware_ = false;
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
    if (options_.stop.is_requested()) {
      throw Error(ErrorKind::kIncomplete,
                  words("{}: frame {}: reading was interrupted", name(), next_index_));
    }
    std::optional<Picture> picture = pictures_->next();
    if (starts_again()) continue;
    settle_ahead(picture ? &*picture : nullptr);
    if (picture && picture->index < next_index_) continue;  // seen before the restart
    if (picture) next_index_ = picture->index + 1;
    // Decoders that gave nothing before have no part in it.
    if (picture && picture->frame && decoders_.empty()) note_decoder();
    return picture;
  }
}

namespace {

// A demuxer or decoder that fails this often in a row makes no progress.
constexpr int kMaxErrorsInARow = 64;

}  // namespace

FfmpegPictures::FfmpegPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, int threads)
    : demuxer_(demuxer),
      threads_(threads),
      wants_grain_(options.film_grain),
      decoder_(demuxer, options, threads),
      packet_(av_packet_alloc()),
      waiting_(av_packet_alloc()),
      numbering_(demuxer, options) {
  if (!packet_ || !waiting_) throw std::bad_alloc();
  errors_at_start_ = decoder_.log().errors();
}

bool FfmpegPictures::saw_damage() const {
  return saw_error_ || decoder_.log().errors() > errors_at_start_ || decoder_.log().concealments() > 0;
}

// Hardware may add other grain than libavcodec does, or none.
bool FfmpegPictures::has_other_grain() const {
  return is_hardware() && wants_grain_ && film_grain_ != FilmGrain::kNone &&
         film_grain_ != FilmGrain::kUnknown;
}

bool FfmpegPictures::is_suspect() const {
  return (threads_ > 1 || is_hardware()) &&
         (saw_damage() || has_other_grain() || !hardware_failure().empty());
}

std::string FfmpegPictures::hardware_failure() const {
  if (!is_hardware()) return {};
  const std::string& failure = decoder_.hardware()->failure();
  return failure.empty() && tells_of_hardware(reason_) ? reason_ : failure;
}

std::string FfmpegPictures::hardware_doubt() const {
  if (is_hardware() && !decoder_.hardware()->doubt().empty()) return decoder_.hardware()->doubt();
  if (has_other_grain()) return "it has film grain, which software adds";
  return reason_.empty() ? "it may be damaged" : words("it may be damaged ({})", reason_);
}

std::optional<Picture> FfmpegPictures::next() {
  const auto gives_up = [this] { return is_hardware() && is_suspect(); };
  while (ready_.empty() && !ended_ && !gives_up()) ended_ = !feed();
  if (ready_.empty()) return std::nullopt;
  Picture picture = std::move(ready_.front());
  ready_.pop_front();
  return picture;
}

// Reads one more packet and works on the one before, or after the last on what the decoder still holds. False
// once there is no more.
bool FfmpegPictures::feed() {
  const int code = demuxer_.read(*packet_);
  if (code >= 0) {
    demux_errors_ = 0;
    numbering_.clock(*packet_, decoder_.context().has_b_frames);
    // Writers leave an empty packet in place of a repeated picture.
    const bool is_empty = packet_->size == 0;
    if (packet_->stream_index != demuxer_.stream().index) return true;
    if (is_empty) numbering_.add_empty();
    if (is_empty) return true;
    work_on_waiting();
    std::swap(packet_, waiting_);
    return true;
  }
  if (code != AVERROR_EOF && !demuxer_.read_failure()) {
    work_on_waiting();
    add_damage(
        {DamageKind::kBetween, AV_NOPTS_VALUE, words("the container is damaged: {}", ffmpeg_reason(code))});
    if (++demux_errors_ < kMaxErrorsInARow) return true;
  }
  finish();
  return false;
}

void FfmpegPictures::finish() {
  numbering_.end_packets(waiting_->size > 0 ? 1 : 0);
  work_on_waiting();
  work_on(nullptr);
  if (!demuxer_.read_failure()) check_last();
  numbering_.finish();
  queue_unsettled();
}

void FfmpegPictures::work_on_waiting() {
  if (waiting_->size == 0) return;
  numbering_.add_packet(*waiting_);
  work_on(waiting_.get());
  av_packet_unref(waiting_.get());
}

void FfmpegPictures::check_last() {
  std::vector<Picture*> last;
  for (Picture& picture : ready_) last.push_back(&picture);
  Picture* const cut = numbering_.find_cut(last, film_grain_ == FilmGrain::kApplied);
  if (cut == nullptr) return;
  cut->damaged = true;
  cut->reason = reason_ = "its data are cut";
  saw_error_ = true;
}

// `packet` nullptr: the decoder gives what it holds.
void FfmpegPictures::work_on(AVPacket* packet) {
  const int64_t errors_before = decoder_.log().errors();
  decoder_.log().mark();
  error_code_ = 0;
  send(packet);
  receive_all();
  const bool complained = decoder_.log().errors() != errors_before;
  const bool flagged = packet != nullptr && (packet->flags & AV_PKT_FLAG_CORRUPT) != 0;
  if (flagged || complained || error_code_ != 0) {
    reason_ = complained         ? printable(decoder_.log().first(), 200)
              : error_code_ != 0 ? ffmpeg_reason(error_code_)
                                 : "the packet is cut or damaged";
    const bool shown = packet != nullptr && (packet->flags & AV_PKT_FLAG_DISCARD) == 0;
    const DamageKind kind = !shown             ? DamageKind::kBetween
                            : error_code_ != 0 ? DamageKind::kLost
                                               : DamageKind::kPicture;
    add_damage({kind, packet != nullptr ? packet->pts : AV_NOPTS_VALUE, reason_});
  }
  for (; !received_.empty(); received_.pop_front()) queue(std::move(received_.front()));
}

void FfmpegPictures::add_damage(Damage damage) {
  saw_error_ = true;
  damages_.emplace(numbering_.number(), std::move(damage));
}

void FfmpegPictures::note_error(int code) {
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  error_code_ = code;
}

void FfmpegPictures::send(AVPacket* packet) {
  int code = decoder_.send(packet, numbering_.number());
  if (code == AVERROR(EAGAIN)) {
    receive_all();
    code = decoder_.send(packet, numbering_.number());
  }
  if (code < 0 && code != AVERROR_EOF) note_error(code);
}

void FfmpegPictures::receive_all() {
  for (int errors = 0; errors < kMaxErrorsInARow;) {
    DecodedPicture decoded;
    const int code = decoder_.receive(decoded);
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    if (code < 0) {
      note_error(code);
      if (is_hardware()) return;
      ++errors;
      continue;
    }
    if (decoder_.lacked_memory()) throw std::bad_alloc();
    film_grain_ = film_grain_of(decoder_.context(), *decoded.frame, wants_grain_);
    received_.push_back(std::move(decoded));
  }
}

// Numbers a picture, after those that were lost before it, and gives its verdict.
void FfmpegPictures::queue(DecodedPicture decoded) {
  Picture picture;
  picture.frame = std::move(decoded.frame);
  picture.place = std::move(decoded.place);
  const bool flagged = is_flagged(*picture.frame);
  if (flagged) picture.reason = "the decoder had to conceal errors";
  saw_error_ = saw_error_ || flagged;
  picture.damaged = flagged;
  picture.packet = number_of(*picture.frame);
  bool after_lost = false;
  for (auto it = damages_.begin(); it != damages_.end();) {
    const Verdict verdict = judge(it->first, it->second, *picture.frame);
    if (verdict == Verdict::kLater) {
      ++it;
      continue;
    }
    if (verdict == Verdict::kLostBefore) {
      queue_lost(it->second.reason);
      after_lost = true;
    }
    if (verdict == Verdict::kThis) {
      picture.damaged = true;
      picture.reason = it->second.reason;
    }
    it = damages_.erase(it);
  }
  numbering_.add_picture(picture, after_lost);
  ready_.push_back(std::move(picture));
}

// The verdict on a picture, given the damage at packet `number`.
FfmpegPictures::Verdict FfmpegPictures::judge(int64_t number, const Damage& damage, const AVFrame& frame) {
  const int64_t own_number = number_of(frame);
  const bool timed = damage.pts != AV_NOPTS_VALUE && frame.pts != AV_NOPTS_VALUE;
  if (damage.kind == DamageKind::kBetween) return number < own_number ? Verdict::kThis : Verdict::kLater;
  if (number == own_number || (timed && damage.pts == frame.pts)) return Verdict::kThis;
  const bool passed = timed ? damage.pts < frame.pts : number < own_number;
  if (damage.kind == DamageKind::kLost) return passed ? Verdict::kLostBefore : Verdict::kLater;
  // A packet that has no picture of its own, such as a second field, harms its neighbour. Without times its
  // own picture may still come.
  return passed && (timed || number + kMaxReordering < own_number) ? Verdict::kThis : Verdict::kLater;
}

void FfmpegPictures::queue_lost(const std::string& reason) {
  Picture picture;
  picture.index = numbering_.add_lost();
  picture.damaged = true;
  picture.reason = reason;
  ready_.push_back(std::move(picture));
}

// At the end: no picture came any more to which the damage could belong.
void FfmpegPictures::queue_unsettled() {
  for (const auto& [number, damage] : damages_) queue_lost(damage.reason);
  damages_.clear();
}

}  // namespace vq::cli
