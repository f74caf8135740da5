#include "cli/decoding/damage/stream_verdict.h"

#include <cmath>
#include <cstdlib>

#include "cli/decoding/ffmpeg_log.h"
#include "cli/decoding/stream_facts.h"
#include "core/text.h"

namespace vq::cli {

static double seconds(int64_t ticks, AVRational base) { return static_cast<double>(ticks) * av_q2d(base); }

// From this distance on it may be rounded to the clock: 60 pictures a second are 16 or 17 ms apart.
constexpr int64_t kRoundedFrom = 4;
// No stream holds back more pictures.
constexpr int64_t kMostMissing = 16;

// The first ten bits after the start code of a picture of MPEG-1 or MPEG-2.
static std::optional<int64_t> temporal_reference(const AVPacket& packet) {
  constexpr std::array<uint8_t, 4> kPictureStart = {0, 0, 1, 0};
  const uint8_t *const start = packet.data, *const end = packet.data + packet.size;
  const uint8_t* const at = std::search(start, end, kPictureStart.begin(), kPictureStart.end());
  if (end - at < 6) return std::nullopt;
  return at[4] << 2 | at[5] >> 6;
}

StreamVerdict::StreamVerdict(FfmpegDemuxer& demuxer, const SourceOptions& options)
    : demuxer_(demuxer), last_picture_(demuxer, options.stop), counts_(*demuxer.stream().codecpar) {
  if (demuxer.frame_rate().num > 0) progress_.frame_seconds = 1 / av_q2d(demuxer.frame_rate());
}

void StreamVerdict::clock(const AVPacket& packet, int reordered) {
  const bool is_own = packet.stream_index == demuxer_.stream().index;
  const AVStream& stream = *demuxer_.container().streams[packet.stream_index];
  int64_t start = packet.pts != AV_NOPTS_VALUE ? packet.pts : packet.dts;
  if (is_own && packet.pts == AV_NOPTS_VALUE) progress_.reordered_pictures = reordered;
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

void StreamVerdict::note(const AVPacket& packet) {
  ++packets_;
  ++progress_.packets;
  last_picture_.add(packet);
  start_.add_packet(packet);
  if (const auto count = counts_.of(packet)) count_of_packet_.emplace(packets_, *count);
}

DecodeProgress StreamVerdict::with_packets(int64_t more) const {
  DecodeProgress had = progress_;
  had.packets += more;
  return had;
}

void StreamVerdict::foresee_end(int64_t unadded) {
  last_ = packets_ + unadded;
  // Where the container counts its packets, and none is missing, no picture is.
  may_miss_ =
      !demuxer_.declared().packets_decide || !shortage(demuxer_.declared(), with_packets(unadded)).empty();
}

void StreamVerdict::end_packets(int64_t unadded) {
  foresee_end(unadded);
  if (shortage(demuxer_.declared(), with_packets(unadded)).empty()) return;
  // For a stream that was cut within its first few pictures, the distance that the container declares is all
  // there is.
  const AVRational rate = demuxer_.frame_rate(), base = demuxer_.stream().time_base;
  if (rate.num <= 0 || rate.den <= 0 || base.num <= 0) return;
  const int64_t step = std::llround(1 / (av_q2d(rate) * av_q2d(base)));
  if (step > 0) order_.assume_step(step);
}

void StreamVerdict::number(Picture& picture, bool after_lost) {
  if (progress_.pictures == 0 && next_index_ > 0) start_.end();  // it is damaged, and told as such
  start_.add_picture(*picture.frame, picture.packet);
  next_index_ += count_missing(picture, after_lost);
  picture.index = next_index_++;
  ++progress_.pictures;
}

// Pictures before this one that will not come, but for those that were counted as lost.
int64_t StreamVerdict::count_missing(const Picture& picture, bool after_lost) {
  const AVFrame& frame = *picture.frame;
  const std::optional<int64_t> time = frame.pts != AV_NOPTS_VALUE ? std::optional(frame.pts) : std::nullopt;
  // Counts of earlier packets are of no use any more.
  count_of_packet_.erase(count_of_packet_.begin(),
                         count_of_packet_.lower_bound(picture.packet - 2 * kMaxReordering));
  const auto found = count_of_packet_.find(picture.packet);
  const auto count = found == count_of_packet_.end() ? std::nullopt : std::optional(found->second);
  const bool near_end = last_ && may_miss_ && picture.packet + kMaxReordering > *last_;
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

// The rulings.

void StreamVerdict::add_damage(Damage damage) {
  saw_damage_ = true;
  damages_.emplace(packets_, std::move(damage));
}

void StreamVerdict::note_failed_read(int code) {
  add_damage({Harm::kBetween, AV_NOPTS_VALUE, words("the container is damaged: {}", ffmpeg_reason(code))});
}

void StreamVerdict::note_answer(const AVPacket* packet, int code, const std::string& line) {
  const bool is_flagged = packet != nullptr && (packet->flags & AV_PKT_FLAG_CORRUPT) != 0;
  if (!is_flagged && line.empty() && code == 0) return;
  reason_ = !line.empty() ? printable(line, 200)
            : code != 0   ? ffmpeg_reason(code)
                          : "the packet is cut or damaged";
  const bool is_shown = packet != nullptr && (packet->flags & AV_PKT_FLAG_DISCARD) == 0;
  const Harm harm = !is_shown ? Harm::kBetween : code != 0 ? Harm::kLost : Harm::kPicture;
  add_damage({harm, packet != nullptr ? packet->pts : AV_NOPTS_VALUE, reason_});
}

void StreamVerdict::note(Picture picture) {
  film_grain_ = picture.film_grain;
  if (is_flagged(*picture.frame)) {
    saw_damage_ = true;
    picture.damage = "the decoder had to conceal errors";
  }
  bool after_lost = false;
  std::erase_if(damages_, [&](const auto& noted) {
    const auto& [packet, damage] = noted;
    const Ruling ruling = rule(packet, damage, picture);
    if (ruling == Ruling::kLostBefore) {
      ready_.push_back({.index = next_index_++, .damage = damage.reason});
      after_lost = true;
    }
    if (ruling == Ruling::kThis) picture.damage = damage.reason;
    return ruling != Ruling::kLater;
  });
  number(picture, after_lost);
  ready_.push_back(std::move(picture));
}

// The ruling on a picture, given the damage at a packet.
StreamVerdict::Ruling StreamVerdict::rule(int64_t packet, const Damage& damage, const Picture& picture) {
  const AVFrame& frame = *picture.frame;
  const bool is_timed = damage.pts != AV_NOPTS_VALUE && frame.pts != AV_NOPTS_VALUE;
  if (damage.harm == Harm::kBetween) return packet < picture.packet ? Ruling::kThis : Ruling::kLater;
  if (packet == picture.packet || (is_timed && damage.pts == frame.pts)) return Ruling::kThis;
  const bool is_past = is_timed ? damage.pts < frame.pts : packet < picture.packet;
  if (damage.harm == Harm::kLost) return is_past ? Ruling::kLostBefore : Ruling::kLater;
  // A packet that has no picture of its own, such as a second field, harms its neighbour. Without times its
  // own picture may still come.
  return is_past && (is_timed || packet + kMaxReordering < picture.packet) ? Ruling::kThis : Ruling::kLater;
}

std::optional<Picture> StreamVerdict::take() { return take_first(ready_); }

void StreamVerdict::finish() {
  if (!demuxer_.read_failure()) {
    check_last();
    demuxer_.declare_boxes();
  }
  progress_.bytes = demuxer_.end().at();
  start_.end();
  // No picture came any more to which the damage could belong.
  for (const auto& [packet, damage] : damages_)
    ready_.push_back({.index = next_index_++, .damage = damage.reason});
  damages_.clear();
}

// Whether the data of the newest picture after the last packet were cut.
void StreamVerdict::check_last() {
  const auto newest = std::ranges::max_element(ready_, {}, &Picture::packet);
  // The second field of a picture may be a packet of its own.
  if (newest == ready_.end() || newest->damage || !newest->frame || newest->packet + 1 < packets_) return;
  const bool is_comparable = film_grain_ != FilmGrain::kApplied && newest->frame->data[0] != nullptr;
  if (!last_picture_.is_cut(is_comparable ? newest->frame.get() : nullptr, packets_ - newest->packet)) return;
  newest->damage = reason_ = "its data are cut";
  saw_damage_ = true;
}

// The end of a stream.

std::string missing_at_end(const FfmpegDemuxer& demuxer, const DecodeProgress& had) {
  const std::string missing = shortage(demuxer.declared(), had);
  if (!missing.empty() || !demuxer.end().is_within_unit()) return missing;
  return "the file is cut: it ends within a packet of its container";
}

std::optional<StreamLength> length_of(const FfmpegDemuxer& demuxer, const DecodeProgress& had) {
  const int64_t start = std::max<int64_t>(0, demuxer.start_time());
  double length = had.own_end_seconds - seconds(start, demuxer.stream().time_base);
  // Times of packets may be rounded more than the duration is.
  const std::optional<double>& declared = demuxer.declared().seconds;
  if (declared && std::abs(*declared - length) < had.frame_seconds) length = *declared;
  return length > 0 ? std::optional(StreamLength{demuxer.stream_bytes(), length}) : std::nullopt;
}

std::vector<std::string> StreamVerdict::remarks() const {
  std::vector<std::string> remarks;
  if (const int64_t count = progress_.missing_pictures; count > 0) {
    remarks.push_back(
        words("the stream ends within a group of frames: {} that would be shown before the last are missing; "
              "the others keep their numbers",
              count));
  }
  if (const std::optional<int64_t> second = demuxer_.second_video()) {
    remarks.push_back(words("another video begins at byte {} of the file; only the first is read", *second));
  }
  if (missing().empty() && !demuxer_.complaint().empty()) {
    remarks.push_back(words("the container may be damaged: {}", printable(demuxer_.complaint(), 200)));
  }
  return remarks;
}

bool DisplayOrder::fits(int64_t distance, int64_t steps) const {
  return std::abs(distance - steps * step_) <= (step_ >= kRoundedFrom ? steps : 0);
}

void DisplayOrder::add(std::optional<int64_t> time) {
  irregular_ = irregular_ || !time;
  if (last_ && time && *time > *last_) {
    const int64_t distance = *time - *last_;
    if (step_ == 0) step_ = distance;
    irregular_ = irregular_ || !fits(distance, 1);
    ++steps_;
  }
  last_ = time;
}

void DisplayOrder::assume_step(int64_t step) {
  if (irregular_ || steps_ >= kEnoughSteps) return;
  if (step_ != 0 && !fits(step, 1)) return;
  step_ = step;
  steps_ = kEnoughSteps;
}

std::optional<int64_t> DisplayOrder::add_after_gap(std::optional<int64_t> time) {
  if (is_regular() && last_ && time && *time > *last_) {
    const int64_t distance = *time - *last_;
    const int64_t steps = (distance + step_ / 2) / step_;
    if (steps >= 1 && steps <= kMostMissing && fits(distance, steps)) {
      last_ = time;
      return steps - 1;
    }
  }
  add(time);
  return std::nullopt;
}

PictureCount::PictureCount(const AVCodecParameters& stream)
    : has_temporal_reference_(stream.codec_id == AV_CODEC_ID_MPEG1VIDEO ||
                              stream.codec_id == AV_CODEC_ID_MPEG2VIDEO) {
  if (stream.codec_id != AV_CODEC_ID_H264 && stream.codec_id != AV_CODEC_ID_HEVC) return;
  context_.reset(avcodec_alloc_context3(nullptr));
  if (!context_ || avcodec_parameters_to_context(context_.get(), &stream) < 0) return;
  parser_.reset(av_parser_init(stream.codec_id));
  if (parser_) parser_->flags |= PARSER_FLAG_COMPLETE_FRAMES;
}

std::optional<int64_t> PictureCount::of(const AVPacket& packet) {
  if (has_temporal_reference_) return temporal_reference(packet);
  if (!parser_) return std::nullopt;
  uint8_t* data = nullptr;
  int size = 0;
  av_parser_parse2(parser_.get(), context_.get(), &data, &size, packet.data, packet.size, packet.pts,
                   packet.dts, packet.pos);
  return parser_->output_picture_number;
}

// Two groups of five seconds at 25 Mbit/s.
constexpr int64_t kMaxKeptBytes = int64_t{32} << 20;
// Bytes after the last packet. A difference shows within a few bits.
constexpr int kFillBytes = 64;
// Samples that no slice was there for stay as they were, and differ from those of the first decoding.
constexpr int kUndecoded = 0xA5;

static bool applies_to(const FfmpegDemuxer& demuxer) {
  // Where packets are found by looking at the data, or are shortened without a word.
  constexpr std::array<std::string_view, 6> kContainers = {"h264", "hevc", "vvc", "mpegts", "mpeg", "nut"};
  constexpr std::array<AVCodecID, 3> kCodecs = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VVC};
  const std::string_view container = demuxer.container().iformat->name;
  return contains(kContainers, container) && contains(kCodecs, demuxer.stream().codecpar->codec_id);
}

static int get_marked_buffer(AVCodecContext* decoder, AVFrame* frame, int flags) {
  const int code = avcodec_default_get_buffer2(decoder, frame, flags);
  if (code >= 0) std::memset(frame->buf[0]->data, kUndecoded, frame->buf[0]->size);
  return code;
}

static AvPtr<AVCodecContext> open_decoder(const FfmpegDemuxer& demuxer) {
  AvPtr<AVCodecContext> decoder = owned(avcodec_alloc_context3(&demuxer.codec()));
  if (avcodec_parameters_to_context(decoder.get(), demuxer.stream().codecpar) < 0) return nullptr;
  decoder->max_pixels = kMaxDecodedSamples;
  decoder->flags |= AV_CODEC_FLAG_UNALIGNED;
  decoder->thread_count = 1;
  decoder->get_buffer2 = get_marked_buffer;
  carry_numbers(*decoder);
  ask_for_film_grain(*decoder, false);
  return avcodec_open2(decoder.get(), &demuxer.codec(), nullptr) < 0 ? nullptr : std::move(decoder);
}

static AvPtr<AVPacket> with_fill(const AVPacket& packet) {
  AvPtr<AVPacket> longer = copy_of(packet);
  if (av_grow_packet(longer.get(), kFillBytes) < 0) throw std::bad_alloc();
  std::memset(longer->data + packet.size, 0xFF, kFillBytes);
  return longer;
}

static bool same_luma(const AVFrame& a, const AVFrame& b) {
  if (a.width != b.width || a.height != b.height || a.format != b.format) return false;
  const int bytes = av_image_get_linesize(static_cast<AVPixelFormat>(a.format), a.width, 0);
  for (int y = 0; y < a.height; ++y) {
    const uint8_t* const row_a = a.data[0] + ptrdiff_t{a.linesize[0]} * y;
    const uint8_t* const row_b = b.data[0] + ptrdiff_t{b.linesize[0]} * y;
    if (std::memcmp(row_a, row_b, static_cast<size_t>(std::max(bytes, 0))) != 0) return false;
  }
  return true;
}

LastPicture::LastPicture(const FfmpegDemuxer& demuxer, StopToken stop)
    : demuxer_(demuxer), stop_(std::move(stop)), applies_(applies_to(demuxer)) {}

void LastPicture::forget_before(size_t first) {
  for (; first > 0; --first) {
    end_bytes_ -= end_.front()->size;
    end_.pop_front();
  }
}

void LastPicture::add(const AVPacket& packet) {
  if (!applies_) return;
  if ((packet.flags & AV_PKT_FLAG_KEY) != 0) {
    forget_before(last_key_);
    last_key_ = end_.size();
    ++keys_;
  }
  if (end_bytes_ + packet.size > kMaxKeptBytes) {
    forget_before(end_.size());
    last_key_ = 0;
    keys_ = 0;
    from_start_ = false;
  }
  if (keys_ == 0 && !from_start_) return;  // of no use without a key frame before it
  end_.push_back(copy_of(packet));
  end_bytes_ += packet.size;
}

// The frame that begins with that packet; nothing if the decoder gives none.
AvPtr<AVFrame> LastPicture::decode_again(int64_t packets_before_last, End end) const {
  const AvPtr<AVCodecContext> decoder = open_decoder(demuxer_);
  if (!decoder) return nullptr;
  const auto count = static_cast<int64_t>(end_.size());
  AvPtr<AVFrame> found;
  const auto receive = [&] {
    for (;;) {
      AvPtr<AVFrame> frame = new_frame();
      if (avcodec_receive_frame(decoder.get(), frame.get()) < 0) return;
      if (number_of(*frame) == count - packets_before_last) found = std::move(frame);
    }
  };
  int64_t number = 0;
  for (const AvPtr<AVPacket>& packet : end_) {
    if (stop_.is_requested()) return nullptr;
    const AvPtr<AVPacket> copy =
        ++number == count && end == End::kContinued ? with_fill(*packet) : copy_of(*packet);
    set_number(*decoder, *copy, number);
    avcodec_send_packet(decoder.get(), copy.get());
    receive();
  }
  avcodec_send_packet(decoder.get(), nullptr);
  receive();
  return found;
}

bool LastPicture::is_cut(const AVFrame* frame, int64_t packets_before_last) const {
  const bool is_known = from_start_ || keys_ >= 2;
  if (!applies_ || !is_known || end_.empty()) return false;
  const AvPtr<AVFrame> without_grain =
      frame == nullptr ? decode_again(packets_before_last, End::kAsItIs) : nullptr;
  if (without_grain) frame = without_grain.get();
  const AvPtr<AVFrame> again = decode_again(packets_before_last, End::kContinued);
  if (stop_.is_requested()) return false;
  return again == nullptr || frame == nullptr || !same_luma(*frame, *again);
}

// Pictures after which nothing of what was decoded before the first is still to come: with times, those that
// are shown earlier are decoded before the second; without, the most that H.264 and HEVC reorder, and one.
constexpr int64_t kPicturesWithTimes = 2;
constexpr int64_t kPicturesWithout = 17;

static std::optional<int64_t> known(int64_t time) {
  return time == AV_NOPTS_VALUE ? std::nullopt : std::optional(time);
}

void StreamStart::add_packet(const AVPacket& packet) {
  if (is_settled_) return;
  // A picture that an edit list leaves out is no loss.
  packets_.push_back({known(packet.pts), (packet.flags & AV_PKT_FLAG_DISCARD) == 0});
}

void StreamStart::add_picture(const AVFrame& picture, int64_t packet) {
  if (is_settled_) return;
  if (pictures_ == 0) first_time_ = known(picture.pts);
  lowest_packet_ = pictures_ == 0 ? packet : std::min(lowest_packet_, packet);
  is_settled_ = ++pictures_ >= (has_times() ? kPicturesWithTimes : kPicturesWithout);
}

bool StreamStart::has_times() const {
  return first_time_ &&
         std::ranges::all_of(packets_, [](const Packet& packet) { return packet.time.has_value(); });
}

int64_t StreamStart::lost() const {
  if (pictures_ == 0) return 0;
  const bool by_time = has_times();
  int64_t count = 0;
  for (size_t i = 0; i < packets_.size(); ++i) {
    const bool is_before =
        by_time ? *packets_[i].time < *first_time_ : static_cast<int64_t>(i) + 1 < lowest_packet_;
    if (is_before && packets_[i].is_shown) ++count;
  }
  return count;
}

// Not printf, whose decimal point is the locale's.
static std::string with_decimals(double value) {
  const long long thousandths = std::llround(value * 1000);
  const std::string digits = std::to_string(1000 + thousandths % 1000);
  return words("{}.{}", thousandths / 1000, digits.substr(1));
}

// Times may be rounded, and some packets are as long as a field. Where pictures are of different lengths,
// that of the last is not always known, nor is the duration always that of the stream.
static double seconds_slack(const DecodeProgress& had, double declared) {
  const double slack = had.is_regular ? 0.75 * had.frame_seconds : had.frame_seconds + 0.005 * declared;
  return slack + had.reordered_pictures * had.frame_seconds;
}

static bool reaches(double end, const DeclaredLength& declared, const DecodeProgress& had) {
  return end >= *declared.seconds - seconds_slack(had, *declared.seconds);
}

static std::string missing_seconds(const DeclaredLength& declared, const DecodeProgress& had) {
  if (!declared.seconds || reaches(had.end_seconds, declared, had)) return {};
  return words("the file ended after {} s of {} s declared", with_decimals(had.end_seconds),
               with_decimals(*declared.seconds));
}

static std::string missing_packets(const DeclaredLength& declared, const DecodeProgress& had) {
  const int64_t got = std::max(had.packets, had.pictures);
  if (!declared.packets || got >= *declared.packets - declared.packet_slack) return {};
  return words("the file ended after {} of {}", had.pictures, counted(*declared.packets, "declared frame"));
}

// A cut file may only have lost an index at its end, which does not matter if all pictures are there.
static std::string missing_bytes(const DeclaredLength& declared, const DecodeProgress& had) {
  if (!declared.bytes || !had.bytes || *had.bytes >= *declared.bytes) return {};
  const bool has_all = !declared.bytes_decide && declared.seconds && had.is_regular &&
                       had.missing_pictures == 0 && reaches(had.own_end_seconds, declared, had);
  if (has_all) return {};
  return words("the file ended after {} of {} declared bytes", *had.bytes, *declared.bytes);
}

std::string shortage(const DeclaredLength& declared, const DecodeProgress& had) {
  const std::string packets = missing_packets(declared, had);
  if (declared.packets && (declared.packets_decide || !declared.seconds)) return packets;
  const std::string seconds = missing_seconds(declared, had);
  // Empty packets are not always given out, nor are times always kept: one of the two measures is enough.
  if (declared.packets) return seconds.empty() ? std::string() : packets;
  return seconds.empty() ? missing_bytes(declared, had) : seconds;
}

}  // namespace vq::cli
