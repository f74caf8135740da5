#include "cli/decoding/decoded_stream.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "cli/decoding/film_grain.h"
#include "cli/decoding/hardware/deferred_shared_pictures.h"
#include "core/error.h"

namespace vq::cli {
namespace {

// Bytes that cannot seek have one decoder with one thread, since it cannot begin again where something may be
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
                name() + ": the decoder " + demuxer_->codec().name +
                    " cannot leave out film grain; libavcodec needs libdav1d for that.");
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
                name() + " cannot be decoded by hardware: " + failure + ". Try: --decoder auto");
  }
  options_.hardware.decoder = DecoderRequest::kSoftware;
  const std::string reason = failure.empty() ? printable(one_->hardware_doubt(), kMostReason) : failure;
  if (decoders_.empty()) {
    refusal_ = reason;
  } else {
    warnings_.push_back(name() + ": decoding goes on in software: " + reason);
  }
}

// Where several decoders met what is out of the ordinary, one does it all again, and where several threads of
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
                  name() + ": frame " + std::to_string(next_index_) + ": reading was interrupted");
    }
    std::optional<Picture> picture = pictures_->next();
    if (starts_again()) continue;
    settle_ahead(picture ? &*picture : nullptr);
    if (picture && picture->index < next_index_) continue;  // seen before the restart
    if (picture) next_index_ = picture->index + 1;
    // Those that gave nothing before have no part in it.
    if (picture && picture->frame && decoders_.empty()) note_decoder();
    return picture;
  }
}

}  // namespace vq::cli
