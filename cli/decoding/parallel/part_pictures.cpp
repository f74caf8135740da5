#include "cli/decoding/parallel/part_pictures.h"

#include <algorithm>
#include <new>
#include <thread>
#include <utility>

#include "cli/decoding/damage/picture_numbering.h"

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

PartPictures::PartPictures(const SourceOptions& options, const StreamPart& part)
    : options_(options),
      part_(part),
      reader_(open_byte_source(options.path, options.stop)),
      demuxer_(reader_, options_),
      last_picture_(demuxer_, options.stop),
      decoders_(demuxer_, options_, {.decoders = 1, .threads = threads_of(options), .pictures = kWaiting}) {}

std::string PartPictures::decoder_name() const {
  return decoders_.first() != nullptr ? decoders_.first()->name() : demuxer_.codec().name;
}

std::optional<PartPictures::Numbered> PartPictures::next() {
  if (!std::exchange(has_begun_, true)) is_suspect_ = !find_start();
  while (!is_suspect_) {
    if (is_checked_) {
      if (held_.empty()) return std::nullopt;
      Numbered picture = std::move(held_.front());
      held_.pop_front();
      return picture;
    }
    if (std::optional<SegmentPicture> picture = decoders_.take()) {
      if (std::optional<Numbered> numbered = take(std::move(*picture))) return numbered;
    } else if (decoders_.is_suspect()) {
      is_suspect_ = true;
    } else if (may_feed()) {
      feed();
    } else if (is_all_fed_ && decoders_.is_done()) {
      is_suspect_ = !is_whole_at_end();
      is_checked_ = true;
    } else {
      decoders_.wait(false);
    }
  }
  return std::nullopt;
}

bool PartPictures::may_feed() {
  if (is_all_fed_) return false;
  return packets_ - pictures_ < kMaxReordering + threads_of(options_) + kAhead || decoders_.is_hungry();
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
  if (!part_.end_time) last_picture_.add(*packet);
  if (!part_.end_time || packet->pts < *part_.end_time) ++wanted_;
  const bool is_first = packets_ == 0;
  ++packets_;
  decoders_.push(
      {std::move(packet), packets_, is_first ? SplitPacket::Role::kFirst : SplitPacket::Role::kInside});
}

void PartPictures::end_feeding() {
  is_all_fed_ = true;
  is_suspect_ = is_suspect_ || demuxer_.read_failure() || wanted_ != part_.end - part_.picture;
  decoders_.end();
}

// Pictures behind the part come where it ends within a group.
std::optional<PartPictures::Numbered> PartPictures::take(SegmentPicture picture) {
  const int64_t time = picture.decoded.frame->pts;
  is_suspect_ =
      is_suspect_ || picture.decoded.frame->best_effort_timestamp != time || (time_ && time <= *time_);
  time_ = time;
  Numbered numbered{std::move(picture), part_.picture + pictures_};
  ++pictures_;
  if (is_suspect_ || numbered.index >= part_.end) return std::nullopt;
  if (is_all_fed_ && !part_.end_time && numbered.picture.after == packets_) {
    held_.push_back(std::move(numbered));
    return std::nullopt;
  }
  return numbered;
}

// The last picture of a stream may have been cut, which no decoder tells.
bool PartPictures::is_whole_at_end() {
  if (pictures_ < part_.end - part_.picture) return false;
  if (part_.end_time || held_.empty()) return true;
  const auto newest = std::max_element(held_.begin(), held_.end(), [](const Numbered& a, const Numbered& b) {
    return a.picture.packet < b.picture.packet;
  });
  const AVFrame& frame = *newest->picture.decoded.frame;
  return !last_picture_.is_cut(frame.data[0] != nullptr ? &frame : nullptr,
                               packets_ - newest->picture.packet);
}

}  // namespace vq::cli
