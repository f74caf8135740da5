#include "cli/decoding/decoded_stream.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

namespace vq::cli {
namespace {

// Packets ahead of the pictures that came back, beside those that the decoder's threads and reordering keep.
constexpr int64_t kAhead = 8;
// Decoded pictures that wait.
constexpr int64_t kWaiting = 4;

int threads_of(const SourceOptions& options) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::min(options.threads > 0 ? options.threads : cores, kMaxDecoderThreads);
}

}  // namespace

PartPictures::PartPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, const StreamPart& part)
    : PictureStream(demuxer, options),
      options_(options),
      part_(part),
      decoders_(demuxer, options, {.decoders = 1, .threads = threads_of(options), .pictures = kWaiting}) {}

std::optional<Picture> PartPictures::next() {
  if (!std::exchange(has_begun_, true)) is_suspect_ = !find_start();
  while (!is_suspect_) {
    if (std::optional<Picture> picture = verdict_.take()) {
      picture->index += part_.picture;
      return picture;
    }
    if (is_finished_) return std::nullopt;
    if (std::optional<Picture> picture = decoders_.take()) {
      take(std::move(*picture));
    } else if (decoders_.is_suspect()) {
      is_suspect_ = true;
    } else if (may_feed()) {
      feed();
    } else if (is_all_fed_ && decoders_.is_done()) {
      is_finished_ = true;
      finish();
    } else {
      decoders_.wait(false);
    }
  }
  return std::nullopt;
}

bool PartPictures::may_feed() {
  if (is_all_fed_) return false;
  return verdict_.packets() - pictures_ < kMaxReordering + threads_of(options_) + kAhead ||
         decoders_.is_hungry();
}

// False at the end of the stream.
bool PartPictures::read_packet(AvPtr<AVPacket>& packet) {
  for (;;) {
    packet.reset(av_packet_alloc());
    if (!packet) throw std::bad_alloc();
    const int code = demuxer_.read(*packet);
    if (code < 0) {
      is_suspect_ = is_suspect_ || code != AVERROR_EOF;
      return false;
    }
    if (packet->stream_index == demuxer_.stream().index && packet->size > 0) return true;
  }
}

// A container finds the packet or one before it.
bool PartPictures::find_start() {
  if (part_.picture > 0 && !demuxer_.seek_ticks(part_.seek)) return false;
  AvPtr<AVPacket> packet;
  while (read_packet(packet)) {
    if (options_.stop.is_requested()) return false;
    if (packet->pts != part_.time) continue;
    push(std::move(packet));
    return true;
  }
  return false;
}

void PartPictures::feed() {
  if (part_.end_time && wanted_ == part_.end - part_.picture) return end_feeding();
  AvPtr<AVPacket> packet;
  if (!read_packet(packet)) return end_feeding();
  if (packet->pts == AV_NOPTS_VALUE) {
    is_suspect_ = true;
  } else if (packet->pts > part_.time) {  // what is shown before the first picture belongs to the part before
    push(std::move(packet));
  }
}

void PartPictures::push(AvPtr<AVPacket> packet) {
  if (!part_.end_time || packet->pts < *part_.end_time) ++wanted_;
  const bool is_first = verdict_.packets() == 0;
  verdict_.note(*packet);
  decoders_.push({std::move(packet), verdict_.packets(),
                  is_first ? SplitPacket::Role::kFirst : SplitPacket::Role::kInside});
}

void PartPictures::end_feeding() {
  is_all_fed_ = true;
  is_suspect_ = is_suspect_ || demuxer_.read_failure() || wanted_ != part_.end - part_.picture;
  decoders_.end();
}

// Pictures behind the part come if it ends within a group.
void PartPictures::take(Picture picture) {
  const int64_t time = picture.frame->pts;
  is_suspect_ = is_suspect_ || picture.frame->best_effort_timestamp != time || (time_ && time <= *time_);
  time_ = time;
  const bool is_behind = part_.picture + pictures_++ >= part_.end;
  if (is_suspect_ || is_behind) return;
  if (is_all_fed_ && !part_.end_time && picture.after == verdict_.packets()) {
    last_.push_back(std::move(picture));
  } else {
    verdict_.note(std::move(picture));
  }
}

// The last picture of a stream may have been cut, which no decoder tells.
void PartPictures::finish() {
  is_suspect_ = pictures_ < part_.end - part_.picture;
  if (part_.end_time || is_suspect_) return;
  for (Picture& picture : last_) verdict_.note(std::move(picture));
  verdict_.finish();
  is_suspect_ = verdict_.saw_damage();
}

}  // namespace vq::cli
