#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "cli/decoding/damage/picture_numbering.h"
#include "cli/decoding/decoded_stream.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/open_video.h"
#include "cli/decoding/uncompressed/byte_source.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// Decodes a part of a stream, from its first packet on.
class PartPictures {
 public:
  // `options` outlives this. Throws as open_video().
  PartPictures(const SourceOptions& options, const StreamPart& part);

  // The pictures of the part in order, each with its number; nothing at the end, and if the stream is not
  // intact: is_suspect(). Throws errors of the decoder.
  struct Numbered {
    SegmentPicture picture;
    int64_t index = 0;
  };
  std::optional<Numbered> next();
  bool is_suspect() const { return is_suspect_; }
  const AVStream& stream() const { return demuxer_.stream(); }
  std::string decoder_name() const;

 private:
  bool find_start();
  bool may_feed();
  void feed();
  bool read_packet(AvPtr<AVPacket>& packet);
  void push(AvPtr<AVPacket> packet);
  void end_feeding();
  std::optional<Numbered> take(SegmentPicture picture);
  bool is_whole_at_end();

  const SourceOptions& options_;
  const StreamPart part_;
  ByteReader reader_;
  FfmpegDemuxer demuxer_;
  LastPicture last_picture_;
  SegmentDecoders decoders_;
  std::deque<Numbered> held_;    // after the last packet of the stream
  int64_t packets_ = 0;          // given to the decoder
  int64_t wanted_ = 0;           // number of these whose pictures belong to the part
  int64_t pictures_ = 0;         // returned by the decoder
  std::optional<int64_t> time_;  // of the last one
  bool has_begun_ = false, is_all_fed_ = false, is_checked_ = false, is_suspect_ = false;
};

SourceOptions without_part(SourceOptions options) {
  options.part.reset();
  options.upright = false;  // turned is what comes of it
  return options;
}

// Whether the picture is as declared; a source of the whole video warns of a difference, or fails.
bool is_as_described(const AVFrame& picture, const PictureLayout& layout, const VideoInfo& info) {
  const VideoFormat& format = info.format;
  if (picture.width != format.width || picture.height != format.height ||
      pixel_format_name(static_cast<AVPixelFormat>(picture.format)) != info.pixel_format) {
    return false;
  }
  const Range range = range_of(picture, layout);
  const Transfer transfer = map_transfer(picture.color_trc);
  return (range == Range::kUnspecified || range == format.range) &&
         (transfer == Transfer::kUnspecified || transfer == format.transfer);
}

class PartSource final : public VideoSource {
 public:
  explicit PartSource(const SourceOptions& options)
      : options_(without_part(options)),
        part_(*options.part),
        is_on_hardware_(may_be_hardware(options.hardware)) {
    const std::unique_ptr<VideoSource> whole = open_video(options_);
    info_ = whole->info();
    info_.decoder_count = 1;
    info_.ahead_bytes = 0;
    warnings_ = whole->take_warnings();
    is_on_hardware_ = is_on_hardware_ && info_.decoder.find(' ') != std::string::npos;
    start();
  }

  const VideoInfo& info() const override { return info_; }
  std::optional<Frame> read() override;
  int64_t skip(int64_t count) override;
  std::vector<std::string> take_warnings() override;
  std::string decoders() const override { return decoders_.empty() ? info_.decoder : decoders_; }
  std::optional<StreamLength> measured_length() const override;

 private:
  void start();
  void go_plainer();
  std::optional<Frame> next_frame();
  std::optional<Frame> next_of_part();
  std::optional<Frame> next_of_whole();
  Frame frame_of(PartPictures::Numbered numbered);
  void check_time(const Frame& frame, int64_t index, int64_t time) const;
  double seconds(int64_t time) const { return static_cast<double>(time - start_time_) * tick_; }
  void note_decoder(const std::string& name);
  [[noreturn]] void refuse() const;

  SourceOptions options_;
  const StreamPart part_;
  bool is_on_hardware_;
  VideoInfo info_;
  std::unique_ptr<PartPictures> pictures_;  // null once the whole video is read
  std::unique_ptr<VideoSource> whole_;
  int64_t start_time_ = 0;
  double tick_ = 0;
  int64_t position_ = 0;  // index at which the next read starts
  bool ended_ = false;
  std::string decoders_;
  std::vector<std::string> warnings_;
};

void PartSource::start() {
  if (!is_on_hardware_) options_.hardware.decoder = DecoderRequest::kSoftware;
  pictures_ = std::make_unique<PartPictures>(options_, part_);
  const AVStream& stream = pictures_->stream();
  start_time_ = stream.start_time != AV_NOPTS_VALUE ? stream.start_time : 0;
  tick_ = av_q2d(stream.time_base);
}

// Hardware leaves the part to software, and that to one who reads all of the video.
void PartSource::go_plainer() {
  if (std::exchange(is_on_hardware_, false)) return start();
  pictures_.reset();
  whole_ = open_video(options_);
  whole_->skip(part_.picture);
}

void PartSource::note_decoder(const std::string& name) {
  if (decoders_ == name || decoders_.ends_with(", " + name)) return;
  decoders_ += (decoders_.empty() ? "" : ", ") + name;
}

std::vector<std::string> PartSource::take_warnings() {
  std::vector<std::string> lines = std::exchange(warnings_, {});
  if (!whole_) return lines;
  for (std::string& line : whole_->take_warnings()) {
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

std::optional<StreamLength> PartSource::measured_length() const {
  return ended_ && !part_.end_time ? options_.measured : std::nullopt;
}

Frame PartSource::frame_of(PartPictures::Numbered numbered) {
  DecodedPicture& decoded = numbered.picture.decoded;
  const int64_t time = decoded.frame->pts;
  const PictureLayout layout = picture_layout(static_cast<AVPixelFormat>(decoded.frame->format));
  Frame frame;
  if (decoded.frame->data[0] != nullptr) {
    frame = make_frame(std::move(decoded.frame), layout, delivered_planes(layout, options_.planes),
                       std::move(decoded.place));
  } else {  // it stays on its device
    frame.bit_depth = layout.bit_depth;
    frame.place = std::move(decoded.place);
  }
  frame.index = numbered.index;
  frame.timestamp = seconds(time);
  return frame;
}

// Nothing at the end, and if the whole video has to be read from here on.
std::optional<Frame> PartSource::next_of_part() {
  while (std::optional<PartPictures::Numbered> numbered = pictures_->next()) {
    note_decoder(pictures_->decoder_name());
    const AVFrame& picture = *numbered->picture.decoded.frame;
    const PictureLayout layout = picture_layout(static_cast<AVPixelFormat>(picture.format));
    if (!is_as_described(picture, layout, info_)) {
      go_plainer();
      return std::nullopt;
    }
    if (numbered->index >= position_) return frame_of(std::move(*numbered));
  }
  if (pictures_->is_suspect()) {
    go_plainer();
  } else {
    ended_ = true;
  }
  return std::nullopt;
}

void PartSource::refuse() const {
  throw Error(ErrorKind::kIncomplete,
              shown_path(options_.path) +
                  ": its pictures are not where its packets say, so it cannot be cut. Try: --shards 1");
}

void PartSource::check_time(const Frame& frame, int64_t index, int64_t time) const {
  if (frame.index != index || !frame.timestamp || *frame.timestamp != seconds(time)) refuse();
}

// Whether the numbers of the part are those of the whole video is seen at both of its ends.
std::optional<Frame> PartSource::next_of_whole() {
  while (std::optional<Frame> frame = whole_->read()) {
    note_decoder(whole_->decoders());
    if (frame->index == part_.picture) check_time(*frame, part_.picture, part_.time);
    if (frame->index >= part_.end) break;
    if (frame->index + 1 == part_.end) {
      const std::optional<Frame> behind = whole_->read();
      if (behind.has_value() != part_.end_time.has_value()) refuse();
      if (behind) check_time(*behind, part_.end, *part_.end_time);
    }
    if (frame->index >= position_) return frame;
  }
  ended_ = true;
  return std::nullopt;
}

std::optional<Frame> PartSource::next_frame() {
  while (!ended_) {
    if (std::optional<Frame> frame = whole_ ? next_of_whole() : next_of_part()) return frame;
  }
  return std::nullopt;
}

std::optional<Frame> PartSource::read() {
  if (position_ < part_.picture)
    throw Error(ErrorKind::kInternal, "a part of a video was read before it begins");
  if (position_ >= part_.end) ended_ = true;
  std::optional<Frame> frame = next_frame();
  if (frame) position_ = frame->index + 1;
  return frame;
}

int64_t PartSource::skip(int64_t count) {
  position_ += count;
  return count;
}

// Packets ahead of the pictures that came back, beside those that the decoder's threads and reordering keep.
constexpr int64_t kAhead = 8;
// Decoded pictures that wait.
constexpr int64_t kWaiting = 4;

int threads_of(const SourceOptions& options) {
  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return std::min(options.threads > 0 ? options.threads : cores, kMaxDecoderThreads);
}

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

// Pictures behind the part come if it ends within a group.
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

}  // namespace

std::unique_ptr<VideoSource> open_part(const SourceOptions& options) {
  auto part = std::make_unique<PartSource>(options);
  return options.upright ? upright(std::move(part)) : std::move(part);
}

}  // namespace vq::cli
