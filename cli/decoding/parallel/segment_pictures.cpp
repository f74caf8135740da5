#include "cli/decoding/decoded_stream.h"

#include <algorithm>
#include <new>
#include <utility>

namespace vq::cli {
namespace {

// Memory that a packet takes beside its data.
constexpr int64_t kPacketOverhead = 512;

int64_t cost_of(const AVPacket& packet) {
  return packet.size + kPacketOverhead;
}

AvPtr<AVPacket> clone(const AVPacket& packet) {
  AvPtr<AVPacket> copy(av_packet_clone(&packet));
  if (!copy) throw std::bad_alloc();
  return copy;
}

}  // namespace

SegmentPictures::SegmentPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan)
    : PictureStream(demuxer, options),
      plan_(plan),
      splitter_(entry_finder(*demuxer.stream().codecpar), plan.shortest_segment),
      decoders_(demuxer, options, plan),
      first_(av_frame_alloc()) {
  if (!first_) throw std::bad_alloc();
}

std::optional<Picture> SegmentPictures::next() {
  while (!is_suspect_) {
    if (std::optional<Picture> picture = verdict_.take()) return picture;
    if (is_finished_) return std::nullopt;
    if (!taken_) taken_ = decoders_.take();
    if (taken_ && is_read_beyond(*taken_)) {
      deliver(*std::exchange(taken_, std::nullopt));
      continue;
    } else if (taken_ || may_read()) {
      read_packet();
    } else if (is_all_read_ && decoders_.is_done()) {
      is_finished_ = true;
      finish();
    } else {
      decoders_.wait(!is_all_read_ && bytes_ < kPacketBytes * plan_.decoders);
    }
    is_suspect_ = is_suspect_ || decoders_.is_suspect();
  }
  return std::nullopt;
}

// As much as keeps all decoders at work; more only for the one whose turn it is.
bool SegmentPictures::may_read() {
  if (is_all_read_) return false;
  if (decoders_.is_hungry()) return true;
  return bytes_ < kPacketBytes * plan_.decoders && decoders_.wants_segments();
}

// One decoder alone would have given the picture only after some packets more, and near the end it matters
// whether it did.
bool SegmentPictures::is_read_beyond(const Picture& picture) const {
  return is_all_read_ || packets_ > std::max(picture.after, picture.packet + kMaxReordering);
}

void SegmentPictures::read_packet() {
  AvPtr<AVPacket> packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  const int code = demuxer_.read(*packet);
  if (code < 0) return end_reading(code);
  if (packet->stream_index == demuxer_.stream().index && packet->size > 0) {
    ++packets_;
    splitter_.add(clone(*packet), packets_);
    pass_on();
  }
  bytes_ += cost_of(*packet);
  unclocked_.push_back(std::move(packet));
}

void SegmentPictures::pass_on() {
  is_suspect_ = is_suspect_ || splitter_.is_refused();
  if (is_suspect_) return;
  while (std::optional<SplitPacket> packet = splitter_.take()) decoders_.push(std::move(*packet));
}

void SegmentPictures::end_reading(int code) {
  is_all_read_ = true;
  is_suspect_ = is_suspect_ || (code != AVERROR_EOF && !demuxer_.read_failure());
  splitter_.end();
  pass_on();
  decoders_.end();
  verdict_.foresee_end(packets_ - verdict_.packets());
}

// The verdict hears of packets and pictures in the order of one decoder, which is given packets that were
// read and clocked, each once the next one was.
void SegmentPictures::advance_to(int64_t packet) {
  while (verdict_.packets() < packet) {
    if (!unclocked_.empty()) {
      clock_next();
      continue;
    }
    verdict_.end_packets(waiting_ ? 1 : 0);
    is_clocked_ = true;
    add_waiting();
  }
}

void SegmentPictures::clock_next() {
  AvPtr<AVPacket> packet = std::move(unclocked_.front());
  unclocked_.pop_front();
  verdict_.clock(*packet, 0);
  const bool is_own = packet->stream_index == demuxer_.stream().index;
  if (is_own && packet->size > 0) {
    add_waiting();
    waiting_ = std::move(packet);
    return;
  }
  bytes_ -= cost_of(*packet);
  if (is_own) verdict_.add_empty();
}

void SegmentPictures::add_waiting() {
  if (!waiting_) return;
  bytes_ -= cost_of(*waiting_);
  verdict_.note(*waiting_);
  waiting_.reset();
}

void SegmentPictures::deliver(Picture picture) {
  for (int i = 0; i < kReadsPerPicture && may_read(); ++i) read_packet();
  is_suspect_ = is_suspect_ || !is_as_before(*picture.frame);
  if (is_suspect_) return;
  if (is_all_read_ && picture.after == packets_) {
    last_.push_back(std::move(picture));
    return;
  }
  advance_to(picture.after);
  note(std::move(picture));
}

void SegmentPictures::note(Picture picture) {
  verdict_.note(std::move(picture));
  // Nothing is to be had after a read that failed, however it is decoded.
  is_suspect_ = is_suspect_ || (verdict_.missing_pictures() > 0 && !demuxer_.read_failure());
}

// Whether a picture has the format and the tags of the first, and comes after the one before.
bool SegmentPictures::is_as_before(const AVFrame& frame) {
  const bool is_later = frame.pts != AV_NOPTS_VALUE && frame.best_effort_timestamp == frame.pts &&
                        (!last_time_ || frame.pts > *last_time_);
  if (!last_time_ && av_frame_copy_props(first_.get(), &frame) < 0) throw std::bad_alloc();
  if (!last_time_) {
    first_->width = frame.width;
    first_->height = frame.height;
    first_->format = frame.format;
  }
  last_time_ = frame.pts;
  return is_later && frame.width == first_->width && frame.height == first_->height &&
         frame.format == first_->format && frame.color_range == first_->color_range &&
         frame.color_trc == first_->color_trc && frame.colorspace == first_->colorspace &&
         frame.color_primaries == first_->color_primaries;
}

// Everything was decoded: is it all there is to a sound stream?
void SegmentPictures::finish() {
  advance_to(packets_);
  if (!is_clocked_) verdict_.end_packets(0);
  for (Picture& picture : last_) note(std::move(picture));
  last_.clear();
  verdict_.finish();
  if (demuxer_.read_failure()) return;
  is_suspect_ = is_suspect_ || verdict_.saw_damage() || verdict_.progress().pictures == 0 ||
                !verdict_.missing().empty();
}

}  // namespace vq::cli
