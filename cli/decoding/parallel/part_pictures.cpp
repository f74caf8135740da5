#include "cli/decoding/decoded_stream.h"

#include <new>
#include <utility>

namespace vq::cli {
namespace {

// Packets ahead of the pictures that came back, beside those that the decoder's threads and reordering keep.
constexpr int64_t kAhead = 8;

}  // namespace

PartPictures::PartPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, const StreamPart& part,
                           DecoderPlan plan)
    : PictureStream(demuxer, options),
      options_(options),
      part_(part),
      plan_(plan),
      splitter_(entry_finder(*demuxer.stream().codecpar), plan.shortest_segment),
      decoders_(demuxer, options, plan) {}

std::optional<Picture> PartPictures::next() {
  if (!std::exchange(has_begun_, true)) is_suspect_ = !find_start();
  while (!is_suspect_) {
    if (std::optional<Picture> picture = verdict_.take()) {
      picture->index += part_.picture;
      return picture;
    }
    if (is_finished_) return std::nullopt;
    if (std::optional<Picture> picture = decoders_.take()) {
      for (int i = 0; i < kReadsPerPicture && may_feed(); ++i) feed();
      take(std::move(*picture));
    } else if (decoders_.is_suspect()) {
      is_suspect_ = true;
    } else if (may_feed()) {
      feed();
    } else if (is_all_fed_ && decoders_.is_done()) {
      is_finished_ = true;
      finish();
    } else {
      decoders_.wait(plan_.decoders > 1 && has_room());
    }
  }
  return std::nullopt;
}

bool PartPictures::has_room() const {
  return !is_all_fed_ && bytes_ < SegmentPictures::kPacketBytes * plan_.decoders;
}

bool PartPictures::may_feed() {
  if (is_all_fed_ || is_suspect_) return false;
  if (decoders_.is_hungry()) return true;
  if (plan_.decoders > 1) return has_room() && decoders_.wants_segments();
  return fed_ - pictures_ < kMaxReordering + plan_.threads + kAhead;
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
  bytes_ += packet->size;
  AvPtr<AVPacket> copy(av_packet_clone(packet.get()));
  if (!copy) throw std::bad_alloc();
  unnoted_.push_back(std::move(copy));
  splitter_.add(std::move(packet), ++fed_);
  pass_on();
}

void PartPictures::pass_on() {
  is_suspect_ = is_suspect_ || splitter_.is_refused();
  while (std::optional<SplitPacket> packet = is_suspect_ ? std::nullopt : splitter_.take())
    decoders_.push(std::move(*packet));
}

void PartPictures::end_feeding() {
  is_all_fed_ = true;
  is_suspect_ = is_suspect_ || demuxer_.read_failure() || wanted_ != part_.end - part_.picture;
  splitter_.end();
  pass_on();
  decoders_.end();
}

// The verdict hears of packets and pictures in the order of one decoder.
void PartPictures::note_packets(int64_t last) {
  for (; verdict_.packets() < last; unnoted_.pop_front()) {
    bytes_ -= unnoted_.front()->size;
    verdict_.note(*unnoted_.front());
  }
}

// Pictures behind the part come if it ends within a group.
void PartPictures::take(Picture picture) {
  const int64_t time = picture.frame->pts;
  is_suspect_ = is_suspect_ || picture.frame->best_effort_timestamp != time || (time_ && time <= *time_);
  time_ = time;
  const bool is_behind = part_.picture + pictures_++ >= part_.end;
  if (is_suspect_ || is_behind) return;
  if (is_all_fed_ && !part_.end_time && picture.after == fed_) {
    last_.push_back(std::move(picture));
  } else {
    note_packets(picture.after);
    verdict_.note(std::move(picture));
  }
}

// The last picture of a stream may have been cut, which no decoder tells.
void PartPictures::finish() {
  is_suspect_ = pictures_ < part_.end - part_.picture;
  if (part_.end_time || is_suspect_) return;
  note_packets(fed_);
  for (Picture& picture : last_) verdict_.note(std::move(picture));
  verdict_.finish();
  is_suspect_ = verdict_.saw_damage();
}

}  // namespace vq::cli
