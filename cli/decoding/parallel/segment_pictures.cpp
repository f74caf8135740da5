#include "cli/decoding/decoded_stream.h"

namespace vq::cli {

// Memory that a packet takes beside its data.
constexpr int64_t kPacketOverhead = 512;

static int64_t cost_of(const AVPacket& packet) { return packet.size + kPacketOverhead; }

static AvPtr<AVPacket> clone(const AVPacket& packet) {
  AvPtr<AVPacket> copy(av_packet_clone(&packet));
  if (!copy) throw std::bad_alloc();
  return copy;
}

SplitPictures::SplitPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan)
    : PictureStream(demuxer, options),
      plan_(plan),
      splitter_(entry_finder(*demuxer.stream().codecpar), plan.shortest_segment),
      decoders_(demuxer, options, plan) {}

std::optional<Picture> SplitPictures::next() {
  // Packets that the decoders are given for each picture that they give, beside those that are read while
  // none is there.
  constexpr int kReadsPerPicture = 4;
  if (!std::exchange(has_begun_, true)) suspect_if(!begin());
  while (!is_suspect_) {
    if (std::optional<Picture> picture = verdict_.take()) {
      picture->index += pictures_before(*picture);
      return picture;
    }
    if (is_finished_) return std::nullopt;
    if (!taken_) taken_ = decoders_.take();
    if (taken_ && is_read_beyond(*taken_)) {
      for (int i = 0; i < kReadsPerPicture && may_read(); ++i) read_packet();
      ++pictures_;
      deliver(*std::exchange(taken_, std::nullopt));
    } else if (taken_ || may_read()) {
      read_packet();
    } else if (is_all_read_ && decoders_.is_done()) {
      is_finished_ = true;
      finish();
    } else {
      decoders_.wait(plan_.decoders > 1 && has_room());
    }
    suspect_if(decoders_.is_suspect());
  }
  return std::nullopt;
}

// As much as keeps all decoders at work; more only for the one whose turn it is. One alone gets some packets
// ahead of the pictures that came back, beside those that its threads and reordering keep.
bool SplitPictures::may_read() {
  constexpr int64_t kAhead = 8;
  if (is_all_read_ || is_suspect_) return false;
  if (decoders_.is_hungry()) return true;
  if (plan_.decoders > 1) return has_room() && decoders_.wants_segments();
  return packets_ - pictures_ < kMaxReordering + plan_.threads + kAhead;
}

void SplitPictures::split(AvPtr<AVPacket> packet, int64_t number) {
  splitter_.add(std::move(packet), number);
  pass_on();
}

void SplitPictures::end_splitting() {
  splitter_.end();
  pass_on();
  decoders_.end();
}

void SplitPictures::pass_on() {
  suspect_if(splitter_.is_refused());
  if (is_suspect_) return;
  while (std::optional<SplitPacket> packet = splitter_.take()) decoders_.push(std::move(*packet));
}

SegmentPictures::SegmentPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, DecoderPlan plan)
    : SplitPictures(demuxer, options, plan), first_(av_frame_alloc()) {
  if (!first_) throw std::bad_alloc();
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
  if (packet->stream_index == demuxer_.stream().index && packet->size > 0) split(clone(*packet), ++packets_);
  bytes_ += cost_of(*packet);
  unclocked_.push_back(std::move(packet));
}

void SegmentPictures::end_reading(int code) {
  is_all_read_ = true;
  suspect_if(code != AVERROR_EOF && !demuxer_.read_failure());
  end_splitting();
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
  suspect_if(!is_as_before(*picture.frame));
  if (is_suspect()) return;
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
  suspect_if(verdict_.missing_pictures() > 0 && !demuxer_.read_failure());
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

void SegmentPictures::finish() {
  advance_to(packets_);
  if (!is_clocked_) verdict_.end_packets(0);
  for (Picture& picture : last_) note(std::move(picture));
  last_.clear();
  verdict_.finish();
  if (demuxer_.read_failure()) return;
  suspect_if(verdict_.saw_damage() || verdict_.progress().pictures == 0 || !verdict_.missing().empty());
}

PartPictures::PartPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, const StreamPart& part,
                           DecoderPlan plan)
    : SplitPictures(demuxer, options, plan), options_(options), part_(part) {}

int64_t PartPictures::pictures_before(const Picture& picture) const {
  return part_.picture + (is_wanted(picture.frame->pts) ? part_.left_out : 0);
}

// False at the end of the stream.
bool PartPictures::next_packet(AvPtr<AVPacket>& packet) {
  for (;;) {
    packet.reset(av_packet_alloc());
    if (!packet) throw std::bad_alloc();
    const int code = demuxer_.read(*packet);
    if (code < 0) {
      suspect_if(code != AVERROR_EOF);
      return false;
    }
    if (packet->stream_index == demuxer_.stream().index && packet->size > 0) return true;
  }
}

// A container finds the packet or one before it.
bool PartPictures::begin() {
  if (part_.picture > 0 && !demuxer_.seek_ticks(part_.seek)) return false;
  AvPtr<AVPacket> packet;
  while (next_packet(packet)) {
    if (options_.stop.is_requested()) return false;
    if (packet->pts != part_.time) continue;
    push(std::move(packet));
    return true;
  }
  return false;
}

void PartPictures::read_packet() {
  if (part_.end_time && wanted_ == part_.end - part_.picture) return end_reading();
  AvPtr<AVPacket> packet;
  if (!next_packet(packet)) return end_reading();
  if (packet->pts == AV_NOPTS_VALUE) return suspect_if(true);
  if (may_leave_out(*packet)) {
    if (is_wanted(packet->pts)) return;  // behind the part
    ++left_out_;
    ++wanted_;
  } else if (packet->pts > part_.time) {  // what is shown before the first picture belongs to the part before
    push(std::move(packet));
  }
}

// Pictures that no other needs, if they are not wanted.
bool PartPictures::may_leave_out(const AVPacket& packet) const {
  if (!part_.wanted_time || !part_.end_time || packet.pts <= part_.time) return false;
  return (!is_wanted(packet.pts) || packet.pts >= *part_.end_time) && splitter_.may_leave_out(packet);
}

void PartPictures::push(AvPtr<AVPacket> packet) {
  if (!part_.end_time || packet->pts < *part_.end_time) ++wanted_;
  bytes_ += packet->size;
  unnoted_.push_back(clone(*packet));
  split(std::move(packet), ++packets_);
}

void PartPictures::end_reading() {
  is_all_read_ = true;
  suspect_if(demuxer_.read_failure() || wanted_ != part_.end - part_.picture);
  end_splitting();
}

// The verdict hears of packets and pictures in the order of one decoder.
void PartPictures::note_packets(int64_t last) {
  for (; verdict_.packets() < last; unnoted_.pop_front()) {
    bytes_ -= unnoted_.front()->size;
    verdict_.note(*unnoted_.front());
  }
}

// Pictures behind the part come if it ends within a group.
void PartPictures::deliver(Picture picture) {
  const int64_t time = picture.frame->pts;
  suspect_if(picture.frame->best_effort_timestamp != time || (last_time_ && time <= *last_time_));
  last_time_ = time;
  suspect_if(is_wanted(time) && left_out_ != part_.left_out);  // numbers rest on it
  const bool is_behind = part_.picture + left_out_ + pictures_ > part_.end;
  if (is_suspect() || is_behind) return;
  if (is_all_read_ && !part_.end_time && picture.after == packets_) {
    last_.push_back(std::move(picture));
  } else {
    note_packets(picture.after);
    verdict_.note(std::move(picture));
  }
}

// The last picture of a stream may have been cut, which no decoder tells.
void PartPictures::finish() {
  suspect_if(left_out_ + pictures_ < part_.end - part_.picture);
  if (part_.end_time || is_suspect()) return;
  note_packets(packets_);
  for (Picture& picture : last_) verdict_.note(std::move(picture));
  verdict_.finish();
  suspect_if(verdict_.saw_damage());
}

}  // namespace vq::cli
