#include "cli/decoding/ffmpeg_demuxer.h"

#include <cmath>
#include <cstdio>

#include "core/error.h"
#include "core/text.h"
#include "core/trace.h"

namespace vq::cli {
namespace {

constexpr int kIoBufferBytes = 64 << 10;
// Far more than broadcast multiplexes have; each stream costs memory while it is probed.
constexpr unsigned kMaxStreams = 256;
// Seven weeks at 24 frames a second.
constexpr int64_t kMaxDeclaredFrames = 100'000'000;
// Formats that name other files, and text that FFmpeg would draw as a picture.
constexpr std::array<std::string_view, 12> kRefusedFormats = {
    "hls", "dash", "concat", "image2", "sdp", "rtsp", "rtp", "sap", "imf", "webm_dash_manifest",
    "tty", "lavfi"};

int deny_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) { return AVERROR(EPERM); }

bool is_refused(const AVInputFormat& format) {
  if (format.flags & AVFMT_NOFILE) return true;
  return std::ranges::any_of(split(format.name, ','),
                             [](std::string_view name) { return contains(kRefusedFormats, name); });
}

}  // namespace

FfmpegDemuxer::FfmpegDemuxer(ByteReader& reader, const SourceOptions& options, Probe probe)
    : reader_(reader), options_(options), end_(reader.size()) {
  install_ffmpeg_log();
  const std::string start(reader_.peek(ByteReader::kMaxPeek));
  open();
  log_.mark();
  ContainerDeclarations promise(*context_, start);
  if (probe == Probe::kStreams) probe_streams();
  promise.add_probed(*context_);
  choose_stream();
  apply(promise);
  discard_other_streams();
}

FfmpegDemuxer::~FfmpegDemuxer() = default;

void FfmpegDemuxer::refuse(ErrorKind kind, const std::string& why) const {
  throw Error(kind, words("{} {}", shown_path(options_.path), why));
}

void FfmpegDemuxer::rethrow_failure() const {
  if (failure_) std::rethrow_exception(failure_);
}

void FfmpegDemuxer::refuse_streams() const {
  refuse(ErrorKind::kResource,
         words("has more streams or a larger index than can be read: at most {} streams", kMaxStreams));
}

void FfmpegDemuxer::refuse_open(int code) const {
  rethrow_failure();
  const std::string line = log_.first();
  if (code == AVERROR(ENOMEM) || tells_of_too_many_streams(line)) refuse_streams();
  refuse(ErrorKind::kInput, words("cannot be opened as video: {}{}. Is the file whole?", ffmpeg_reason(code),
                                  line.empty() ? "" : words(" ({})", printable(line, 200))));
}

int FfmpegDemuxer::read_bytes(void* self, uint8_t* data, int size) noexcept {
  auto& demuxer = *static_cast<FfmpegDemuxer*>(self);
  if (demuxer.failure_) return AVERROR(EIO);
  try {
    const size_t count = demuxer.reader_.read_some(data, static_cast<size_t>(size));
    return count > 0 ? static_cast<int>(count)
                     : demuxer.end_.read_beyond(demuxer.reader_.offset(), data, size);
  } catch (...) {
    demuxer.failure_ = std::current_exception();
    return AVERROR(EIO);
  }
}

int64_t FfmpegDemuxer::seek_bytes(void* self, int64_t offset, int whence) noexcept {
  auto& demuxer = *static_cast<FfmpegDemuxer*>(self);
  if (demuxer.failure_) return AVERROR(EIO);
  try {
    const auto size = demuxer.reader_.size();
    if (!size) return AVERROR(ENOSYS);
    if (whence & AVSEEK_SIZE) return *size;
    if (whence == SEEK_CUR) offset += demuxer.reader_.offset() + demuxer.end_.beyond();
    if (whence == SEEK_END) offset += *size;
    if (offset < 0) return AVERROR(EINVAL);
    demuxer.reader_.seek(demuxer.end_.seek(offset, *size));
    return offset;
  } catch (...) {
    demuxer.failure_ = std::current_exception();
    return AVERROR(EIO);
  }
}

void FfmpegDemuxer::open() {
  auto* const buffer = static_cast<uint8_t*>(av_malloc(kIoBufferBytes));
  if (buffer == nullptr) throw std::bad_alloc();
  io_.reset(avio_alloc_context(buffer, kIoBufferBytes, 0, this, &read_bytes, nullptr, &seek_bytes));
  context_.reset(avformat_alloc_context());
  if (!io_ || !context_) throw std::bad_alloc();
  io_->seekable = reader_.size() ? AVIO_SEEKABLE_NORMAL : 0;
  context_->pb = io_.get();
  context_->flags |=
      AVFMT_FLAG_CUSTOM_IO;  // else closing a context that was never opened closes `io_` as well
  context_->opaque = &log_;
  context_->io_open = &deny_open;
  // One more than is taken, so that too many can be told from just enough: some demuxers stop there quietly.
  context_->max_streams = kMaxStreams + 1;

  const AVInputFormat* format = nullptr;
  const int probed = av_probe_input_buffer2(io_.get(), &format, "", nullptr, 0, 0);
  rethrow_failure();
  if (probed < 0 || format == nullptr) {
    refuse(ErrorKind::kInput, "is not a video in any known container. For raw video give -w, -h, -p and -b");
  }
  if (is_refused(*format)) {
    refuse(ErrorKind::kInput, std::string("is not a video but a playlist, a description or text (") +
                                  format->name + "); give the file with the pictures itself");
  }
  AVFormatContext* raw = context_.release();
  const int opened = avformat_open_input(&raw, "", format, nullptr);  // frees it if it fails
  context_.reset(raw);
  if (opened < 0) refuse_open(opened);
  end_.set_format(*context_->iformat);
  if (context_->nb_streams > kMaxStreams) refuse_streams();
}

void FfmpegDemuxer::probe_streams() {
  std::vector<AVDictionary*> options(context_->nb_streams);
  for (AVDictionary*& each : options) av_dict_set_int(&each, "max_pixels", kMaxDecodedSamples, 0);
  const int probed = avformat_find_stream_info(context_.get(), options.empty() ? nullptr : options.data());
  for (AVDictionary*& each : options) av_dict_free(&each);
  rethrow_failure();
  if (probed < 0) refuse_open(probed);
  if (context_->nb_streams > kMaxStreams) refuse_streams();
}

void FfmpegDemuxer::choose_stream() {
  if (options_.stream >= static_cast<int>(context_->nb_streams)) {
    refuse(ErrorKind::kUsage,
           words("has {}; there is none of index {}{}", counted(context_->nb_streams, "stream"),
                 options_.stream, options_.stream_advice));
  }
  const int best = av_find_best_stream(context_.get(), AVMEDIA_TYPE_VIDEO, options_.stream, -1, &codec_, 0);
  if (best == AVERROR_DECODER_NOT_FOUND)
    refuse(ErrorKind::kInput, "is coded in a way this FFmpeg cannot decode");
  if (best < 0 && options_.stream >= 0) {
    refuse(ErrorKind::kUsage, words("has no video in stream {}{}", options_.stream, options_.stream_advice));
  }
  if (best < 0) {
    refuse(ErrorKind::kInput, context_->nb_streams > 0 ? "has no video stream, only sound or other data"
                                                       : "has no video stream, nor any other");
  }
  stream_ = context_->streams[best];
  if (options_.stream < 0 && (stream_->disposition & AV_DISPOSITION_ATTACHED_PIC)) {
    refuse(ErrorKind::kInput, "has no video stream, only a cover picture");
  }
  check_size(stream_->codecpar->width, stream_->codecpar->height);
}

// Where the size is not known yet, the decoder will refuse what is too large. FFmpeg keeps sizes from 2^31 on
// as negative numbers.
void FfmpegDemuxer::check_size(int width, int height) const {
  const auto side = [](int value) { return static_cast<uint32_t>(value); };
  const std::string size = words("{}x{}", side(width), side(height));
  if (side(width) > kMaxSide || side(height) > kMaxSide) {
    refuse(ErrorKind::kMismatch, words("is {}; the sides may be at most {}", size, kMaxSide));
  }
  if (int64_t{width} * height > kMaxDecodedSamples) {
    refuse(ErrorKind::kMismatch,
           words("is {}; a compressed picture may have at most {} samples", size, kMaxDecodedSamples));
  }
}

void FfmpegDemuxer::apply(const ContainerDeclarations& promise) {
  declared_ = promise.length(*context_, *stream_);
  const StreamDeclaration* const own = promise.of(*stream_);
  if (own == nullptr) return;
  check_size(own->width, own->height);
  if (own->frames > kMaxDeclaredFrames) {
    refuse(ErrorKind::kResource,
           words("declares {} frames; at most {} can be read", own->frames, kMaxDeclaredFrames));
  }
  tagged_range_ = own->range;
  tagged_transfer_ = own->transfer;
}

void FfmpegDemuxer::discard_other_streams() {
  const bool clocked = declared_.seconds_of_all_streams && declared_.seconds && !declared_.packets;
  for (unsigned i = 0; i < context_->nb_streams; ++i) {
    AVStream& other = *context_->streams[i];
    const bool picture = (other.disposition & AV_DISPOSITION_ATTACHED_PIC) != 0;
    if (&other != stream_ && (!clocked || picture)) other.discard = AVDISCARD_ALL;
  }
}

std::string FfmpegDemuxer::seek_hint() const {
  if ((io_->seekable & AVIO_SEEKABLE_NORMAL) || !is_mov(*context_)) return {};
  return ". An mp4 with its index at the end cannot be read from a pipe. Try: give the file by name, or "
         "write it "
         "with -movflags +faststart";
}

AVRational FfmpegDemuxer::frame_rate() const {
  const AVRational rate = stream_->avg_frame_rate.num > 0 ? stream_->avg_frame_rate : stream_->r_frame_rate;
  return rate.num > 0 && rate.den > 0 ? rate : AVRational{0, 1};
}

void FfmpegDemuxer::declare(VideoInfo& info) const {
  const AVRational rate = frame_rate();
  info.frames = declared_.pictures;
  info.duration = declared_.seconds;
  info.rate = {rate.num, rate.den};
}

bool FfmpegDemuxer::seek(double seconds) {
  if (!(std::abs(seconds) <= kMaxSeconds)) return false;
  return seek_ticks(start_time() + std::llround(seconds / av_q2d(stream_->time_base)));
}

bool FfmpegDemuxer::seek_ticks(int64_t ticks) {
  if (!(io_->seekable & AVIO_SEEKABLE_NORMAL)) return false;
  put_back({}, 0);
  return av_seek_frame(context_.get(), stream_->index, ticks, AVSEEK_FLAG_BACKWARD) >= 0 && !failure_;
}

void FfmpegDemuxer::declare_boxes() {
  if (!is_mov(*context_) || !reader_.size()) return;
  try {
    const std::optional<MediaBoxes> boxes = media_boxes(reader_);
    if (boxes) second_video_ = boxes->second;
    if (declared_.packets_decide) return;
    declared_.bytes = boxes ? std::optional(boxes->end) : std::nullopt;
    declared_.bytes_decide = true;
  } catch (...) {
    failure_ = std::current_exception();
  }
}

void FfmpegDemuxer::put_back(std::deque<AvPtr<AVPacket>> packets, int code) {
  put_back_ = std::move(packets);
  put_back_code_ = code;
}

int FfmpegDemuxer::read(AVPacket& packet) {
  av_packet_unref(&packet);
  if (!put_back_.empty()) {
    av_packet_move_ref(&packet, put_back_.front().get());
    put_back_.pop_front();
    return 0;
  }
  if (put_back_code_ < 0) return std::exchange(put_back_code_, 0);
  const TraceSpan span("read a packet");
  const int code = av_read_frame(context_.get(), &packet);
  if (failure_) return AVERROR(EIO);
  if (code < 0 && avio_feof(io_.get()) != 0 && end_.is_end(code)) return AVERROR_EOF;
  // Without seeking a demuxer may complain of nothing else.
  if (complaint_.empty() && (io_->seekable & AVIO_SEEKABLE_NORMAL)) complaint_ = log_.first();
  if (code < 0) return code;
  end_.note(packet);
  if (packet.stream_index == stream_->index) {
    if (stream_bytes_ == 0) first_packet_bytes_ = packet.size;
    stream_bytes_ += packet.size;
  }
  if (end_.cuts(packet)) packet.flags |= AV_PKT_FLAG_CORRUPT;
  return code;
}

}  // namespace vq::cli
