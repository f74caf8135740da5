#include "cli/decoding/ffmpeg_pictures.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <utility>
#include <vector>

#include "cli/decoding/allocation_watch.h"
#include "cli/decoding/ffmpeg_compat.h"
#include "cli/decoding/film_grain.h"
#include "cli/text/message_text.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// A demuxer or decoder that fails this often in a row makes no progress.
constexpr int kMaxErrorsInARow = 64;
// Packets by which a picture may come later than its place in the stream; the most H.264 and HEVC allow.
constexpr int64_t kMaxReordering = 16;

double seconds(int64_t ticks, AVRational base) {
  return static_cast<double>(ticks) * av_q2d(base);
}

bool is_flagged(const AVFrame& frame) {
  return frame.decode_error_flags != 0 || (frame.flags & AV_FRAME_FLAG_CORRUPT) != 0;
}

}  // namespace

FfmpegPictures::FfmpegPictures(FfmpegDemuxer& demuxer, const SourceOptions& options, int threads)
    : demuxer_(demuxer),
      threads_(threads),
      wants_grain_(options.film_grain),
      decoder_(demuxer, options, threads),
      packet_(av_packet_alloc()),
      waiting_(av_packet_alloc()),
      last_picture_(demuxer, options.stopped),
      counts_(*demuxer.stream().codecpar) {
  if (!packet_ || !waiting_) throw std::bad_alloc();
  errors_at_start_ = decoder_.log().errors();
  if (demuxer.frame_rate().num > 0) progress_.frame_seconds = 1 / av_q2d(demuxer.frame_rate());
}

bool FfmpegPictures::saw_damage() const {
  return saw_error_ || decoder_.log().errors() > errors_at_start_ || decoder_.log().concealments() > 0;
}

// Hardware may add other grain than libavcodec does, or none.
bool FfmpegPictures::has_other_grain() const {
  return is_hardware() && wants_grain_ && film_grain_ != FilmGrain::kNone && film_grain_ != FilmGrain::kUnknown;
}

bool FfmpegPictures::is_suspect() const {
  return (threads_ > 1 || is_hardware()) && (saw_damage() || has_other_grain() || !hardware_failure().empty());
}

std::string FfmpegPictures::hardware_failure() const {
  if (!is_hardware()) return {};
  const std::string& failure = decoder_.hardware()->failure();
  return failure.empty() && tells_of_hardware(reason_) ? reason_ : failure;
}

std::string FfmpegPictures::hardware_doubt() const {
  if (is_hardware() && !decoder_.hardware()->doubt().empty()) return decoder_.hardware()->doubt();
  if (has_other_grain()) return "it has film grain, which software adds";
  return "it may be damaged" + (reason_.empty() ? std::string() : " (" + reason_ + ")");
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
    clock(*packet_);
    // What a writer leaves in place of a repeated picture.
    const bool is_empty = packet_->size == 0;
    if (packet_->stream_index != demuxer_.stream().index) return true;
    if (is_empty) ++progress_.packets;
    if (is_empty) return true;
    work_on_waiting();
    std::swap(packet_, waiting_);
    return true;
  }
  if (code != AVERROR_EOF && !demuxer_.read_failure()) {
    work_on_waiting();
    add_damage({DamageKind::kBetween, AV_NOPTS_VALUE, "the container is damaged: " + ffmpeg_reason(code)});
    if (++demux_errors_ < kMaxErrorsInARow) return true;
  }
  finish();
  return false;
}

void FfmpegPictures::finish() {
  at_end_ = true;
  may_miss_ = !is_all_read();
  if (!shortage(demuxer_.declared(), read_so_far()).empty()) assume_declared_rate();
  work_on_waiting();
  work_on(nullptr);
  if (!demuxer_.read_failure()) {
    check_last();
    demuxer_.declare_boxes();
  }
  progress_.bytes = demuxer_.end().at();
  queue_unsettled();
  start_.end();
}

void FfmpegPictures::work_on_waiting() {
  if (waiting_->size == 0) return;
  ++number_;
  ++progress_.packets;
  last_picture_.add(*waiting_);
  start_.add_packet(*waiting_);
  if (const auto count = counts_.of(*waiting_)) count_of_packet_.emplace(number_, *count);
  work_on(waiting_.get());
  av_packet_unref(waiting_.get());
}

DecodeProgress FfmpegPictures::read_so_far() const {
  DecodeProgress had = progress_;
  if (waiting_->size > 0) ++had.packets;
  return had;
}

// Whether the container counts its packets, and none is missing.
bool FfmpegPictures::is_all_read() const {
  return demuxer_.declared().packets_decide && shortage(demuxer_.declared(), read_so_far()).empty();
}

// Of a stream that was cut within its first few pictures, what the container says of their distance is all there is.
void FfmpegPictures::assume_declared_rate() {
  const AVRational rate = demuxer_.frame_rate(), base = demuxer_.stream().time_base;
  if (rate.num <= 0 || rate.den <= 0 || base.num <= 0) return;
  const int64_t step = std::llround(1 / (av_q2d(rate) * av_q2d(base)));
  if (step > 0) order_.assume_step(step);
}

// The newest of the pictures that came at the end.
void FfmpegPictures::check_last() {
  const auto last = std::max_element(ready_.begin(), ready_.end(),
                                     [](const Picture& a, const Picture& b) { return a.packet < b.packet; });
  // The second field of a picture may be a packet of its own.
  if (last == ready_.end() || last->damaged || !last->frame || last->packet + 1 < number_) return;
  const bool is_comparable = film_grain_ != FilmGrain::kApplied && last->frame->data[0] != nullptr;
  if (!last_picture_.is_cut(is_comparable ? last->frame.get() : nullptr, number_ - last->packet)) return;
  last->damaged = true;
  last->reason = reason_ = "its data are cut";
  saw_error_ = true;
}

void FfmpegPictures::clock(const AVPacket& packet) {
  const bool is_own = packet.stream_index == demuxer_.stream().index;
  const AVStream& stream = *demuxer_.container().streams[packet.stream_index];
  int64_t start = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  if (is_own && packet.pts == AV_NOPTS_VALUE) progress_.reordered_pictures = decoder_.context().has_b_frames;
  double end = 0;
  if (start != AV_NOPTS_VALUE) {
    const double length = seconds(std::max<int64_t>(0, packet.duration), stream.time_base);
    end = seconds(start, stream.time_base) + (length > 0 ? length : progress_.frame_seconds);
  } else if (is_own) {
    end = progress_.own_end_seconds + progress_.frame_seconds;
  }
  progress_.end_seconds = std::max(progress_.end_seconds, end);
  if (is_own) progress_.own_end_seconds = std::max(progress_.own_end_seconds, end);
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
  damages_.emplace(number_, std::move(damage));
}

void FfmpegPictures::note_error(int code) {
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  error_code_ = code;
}

void FfmpegPictures::send(AVPacket* packet) {
  int code = decoder_.send(packet, number_);
  if (code == AVERROR(EAGAIN)) {
    receive_all();
    code = decoder_.send(packet, number_);
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
    if (allocation_has_failed()) throw std::bad_alloc();
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
  const int64_t first = next_index_;
  for (auto it = damages_.begin(); it != damages_.end();) {
    const Verdict verdict = judge(it->first, it->second, *picture.frame);
    if (verdict == Verdict::kLater) {
      ++it;
      continue;
    }
    if (verdict == Verdict::kLostBefore) queue_lost(it->second.reason);
    if (verdict == Verdict::kThis) {
      picture.damaged = true;
      picture.reason = it->second.reason;
    }
    it = damages_.erase(it);
  }
  if (progress_.pictures == 0 && next_index_ > 0) start_.end();  // it is damaged, and told as such
  start_.add_picture(*picture.frame, picture.packet);
  next_index_ += count_missing(*picture.frame, next_index_ > first);
  picture.index = next_index_++;
  ++progress_.pictures;
  ready_.push_back(std::move(picture));
}

// The count of a packet's picture; those of earlier packets are of no use any more.
std::optional<int64_t> FfmpegPictures::take_count(int64_t packet) {
  count_of_packet_.erase(count_of_packet_.begin(), count_of_packet_.lower_bound(packet - 2 * kMaxReordering));
  const auto found = count_of_packet_.find(packet);
  return found == count_of_packet_.end() ? std::nullopt : std::optional(found->second);
}

// Pictures before this one that will not come, but for those that were counted as lost.
int64_t FfmpegPictures::count_missing(const AVFrame& frame, bool after_lost) {
  const std::optional<int64_t> time = frame.pts != AV_NOPTS_VALUE ? std::optional(frame.pts) : std::nullopt;
  const std::optional<int64_t> count = take_count(number_of(frame));
  const bool near_end = at_end_ && may_miss_ && number_of(frame) + kMaxReordering > number_;
  int64_t missing = 0;
  if (near_end || after_lost) {
    const auto by_time = order_.add_after_gap(time), by_count = counted_order_.add_after_gap(count);
    missing = by_count ? *by_count : by_time.value_or(0);
  } else {
    order_.add(time);
    counted_order_.add(count);
  }
  progress_.is_regular = order_.is_regular();
  // Rates that containers declare may be those of fields.
  if (order_.is_regular()) progress_.frame_seconds = seconds(order_.step(), demuxer_.stream().time_base);
  if (after_lost) return 0;
  progress_.missing_pictures += missing;
  return missing;
}

// What the damage at packet `number` means for a picture.
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
  picture.index = next_index_++;
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
