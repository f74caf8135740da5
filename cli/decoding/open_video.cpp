#include "cli/decoding/open_video.h"

#include <cmath>

#include "cli/decoding/ffmpeg_decoder.h"
#include "cli/decoding/ffmpeg_demuxer.h"
#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/stream_facts.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {

// Null if FFmpeg reads it.
static std::unique_ptr<VideoSource> open_uncompressed(const SourceOptions& options, ByteReader& reader) {
  if (options.raw) return open_raw(options, std::move(reader));
  return is_y4m(reader) ? open_y4m(options, std::move(reader)) : nullptr;
}

static std::unique_ptr<VideoSource> open_stored(const SourceOptions& options,
                                                std::unique_ptr<ByteSource> bytes) {
  try {
    ByteReader reader(std::move(bytes));
    if (std::unique_ptr<VideoSource> source = open_uncompressed(options, reader)) return source;
    const std::string_view first = reader.peek(1);
    if (first.empty()) throw Error(ErrorKind::kInput, "{} is empty", shown_path(options.path));
    if (first == "{") {  // no container begins so
      throw Error(ErrorKind::kInput,
                  "{} is JSON, such as a report, and no video. Try: cambi report or cambi diff, which take "
                  "reports from pipes",
                  shown_path(options.path));
    }
    return open_ffmpeg(options, std::move(reader));
  } catch (const ReadError& error) {
    throw Error(ErrorKind::kInput, "{} cannot be read: {}", shown_path(options.path), error.what());
  }
}

std::unique_ptr<VideoSource> open_video(const SourceOptions& options) {
  if (!options.raw) {
    const std::optional<std::vector<std::string>> files = sequence_files(options.path);
    if (files) return open_sequence(options, *files);
  }
  return open_video(options, open_byte_source(options.path, options.stop));
}

std::unique_ptr<VideoSource> open_video(const SourceOptions& options, std::unique_ptr<ByteSource> bytes) {
  std::unique_ptr<VideoSource> source = open_stored(options, std::move(bytes));
  if (options.upright) source->turn_upright();
  return source;
}

VideoInfo declared_info(const SourceOptions& options) {
  if (!options.raw && sequence_files(options.path)) return {};
  ByteReader reader(open_byte_source(options.path, options.stop));
  if (const std::unique_ptr<VideoSource> source = open_uncompressed(options, reader)) return source->info();
  const FfmpegDemuxer demuxer(reader, options, FfmpegDemuxer::Probe::kHeaderAlone);
  VideoInfo info;
  info.format.width = demuxer.stream().codecpar->width;
  info.format.height = demuxer.stream().codecpar->height;
  demuxer.declare(info);
  return info;
}

// Before the frame that is looked for: containers seek by times of decoding, and the pictures right behind a
// key frame may lean on what came before it.
constexpr double kLeadSeconds = 1.5;
// The share of a frame's duration by which its time may be rounded.
constexpr double kReach = 0.45;

// Decodes from the key frame before each frame.
class FrameFinder::Seeker {
 public:
  Seeker(const SourceOptions& options, const VideoInfo& info)
      : options_(options),
        reader_(open_byte_source(options.path, options.stop)),
        demuxer_(reader_, options_),
        decoder_(demuxer_, options_, std::max(1, options.threads)),
        orientation_(info.orientation),
        reach_(kReach / info.frame_rate().value_or(kAssumedFrameRate)) {}

  // False if the container cannot seek.
  bool seek(double seconds) {
    if (!demuxer_.seek(std::max(0.0, seconds - kLeadSeconds)) && !demuxer_.seek(0)) return false;
    decoder_.flush();
    at_end_ = false;
    return true;
  }

  // The picture nearest to that time, within reach of it.
  std::optional<Frame> read_to(double seconds) {
    AvPtr<AVFrame> best;
    double least = reach_;
    while (AvPtr<AVFrame> picture = next_picture()) {
      const std::optional<double> time = time_of(*picture);
      if (!time) continue;
      const double distance = std::fabs(*time - seconds);
      if (distance < least) {
        least = distance;
        best = std::move(picture);
      } else if (*time > seconds) {
        break;
      }
    }
    if (!best || is_flagged(*best)) return std::nullopt;
    PictureLayout layout = picture_layout(static_cast<AVPixelFormat>(best->format));
    layout.bottom_up = is_upside_down(demuxer_.stream().codecpar->codec_id);
    Frame frame = make_frame(std::move(best), layout, delivered_planes(layout, options_.planes));
    frame.timestamp = seconds;
    return options_.upright ? turned(frame, orientation_) : frame;
  }

 private:
  std::optional<double> time_of(const AVFrame& picture) const {
    if (picture.best_effort_timestamp == AV_NOPTS_VALUE) return std::nullopt;
    return static_cast<double>(picture.best_effort_timestamp - demuxer_.start_time()) *
           av_q2d(demuxer_.stream().time_base);
  }

  AvPtr<AVFrame> next_picture() {
    for (;;) {
      if (options_.stop.is_requested()) return nullptr;
      Picture picture;
      const int code = decoder_.receive(picture);
      if (code >= 0) return std::move(picture.frame);
      if (code != AVERROR(EAGAIN) || at_end_) return nullptr;
      feed();
    }
  }

  // Packets that cannot be decoded are passed over: the ones right behind a seek may lack what they lean on.
  void feed() {
    int code = demuxer_.read(*packet_);
    while (code >= 0 && packet_->stream_index != demuxer_.stream().index) code = demuxer_.read(*packet_);
    at_end_ = code < 0;
    decoder_.send(at_end_ ? nullptr : packet_.get(), 0);
  }

  const SourceOptions options_;
  ByteReader reader_;
  FfmpegDemuxer demuxer_;
  FfmpegDecoder decoder_;
  const AvPtr<AVPacket> packet_ = new_packet();
  const Orientation orientation_;
  const double reach_;
  bool at_end_ = false;
};

FrameFinder::FrameFinder(const SourceOptions& options) : options_(options), source_(open_video(options)) {
  if (!is_planar(source_->info()) && !is_sequence(source_->info()))
    seeker_ = std::make_unique<Seeker>(options, source_->info());
}

FrameFinder::~FrameFinder() = default;

std::optional<Frame> FrameFinder::find(int64_t index, std::optional<double> timestamp) {
  std::optional<Frame> frame;
  if (seeker_ && timestamp && std::isfinite(*timestamp) && seeker_->seek(*timestamp)) {
    frame = seeker_->read_to(*timestamp);
  } else {
    frame = read_on(index, timestamp);
  }
  if (frame) frame->index = index;
  return frame;
}

std::optional<Frame> FrameFinder::read_on(int64_t index, std::optional<double> timestamp) {
  const std::optional<double> rate = info().frame_rate();
  // Pictures of a sequence are found by number, whatever rate they had.
  const bool has_times = timestamp && std::isfinite(*timestamp) && !is_sequence(info());
  if (has_times && rate) index = std::llround(*timestamp * *rate);
  if (index < position_) return std::nullopt;
  position_ += source_->skip(index - position_);
  std::optional<Frame> frame = source_->read();
  if (!frame) return std::nullopt;
  position_ = frame->index + 1;
  return frame->index == index ? std::move(frame) : std::nullopt;
}

constexpr int kSecondsDecimals = 6;

ProbeFacts probe_facts(const VideoInfo& info) {
  ProbeFacts facts;
  facts.stream = {{"index", int64_t{0}},
                  {"codec_name", info.codec},
                  {"width", int64_t{info.format.width}},
                  {"height", int64_t{info.format.height}},
                  {"pix_fmt", info.pixel_format}};
  if (info.format.range != Range::kUnspecified) {
    facts.stream.emplace_back("color_range", info.format.range == Range::kFull ? "pc" : "tv");
  }
  if (info.frame_rate()) {
    facts.stream.emplace_back("r_frame_rate", words("{}/{}", info.rate.num, info.rate.den));
  }
  if (info.duration) facts.stream.emplace_back("duration", *info.duration);
  if (info.frames) facts.stream.emplace_back("nb_frames", *info.frames);
  facts.format.emplace_back("format_name", info.container);
  if (info.duration) facts.format.emplace_back("duration", *info.duration);
  if (info.file_bytes) facts.format.emplace_back("size", *info.file_bytes);
  return facts;
}

std::optional<Frame> VideoSource::read() {
  std::optional<Frame> frame = read_stored();
  if (frame && turned_) frame = turned(*frame, turned_->orientation);
  return frame;
}

void VideoSource::decode_by(const SourceOptions& options) {
  restart(options);
  if (turned_) turned_ = turned_info(info_);
}

ProbeFacts VideoSource::probe() const { return probe_facts(info_); }

void VideoSource::turn_upright() {
  if (info_.orientation != Orientation() && !info_.is_turned) turned_ = turned_info(info_);
}

VideoInfo turned_info(VideoInfo info) {
  const std::optional<Chroma> chroma = turned_chroma(info.format.chroma, info.orientation);
  if (!chroma) {
    throw Error(ErrorKind::kMismatch, "{} is to be turned by its tag ({}), but {} cannot be.",
                shown_path(info.path), describe(info.orientation), to_string(info.format.chroma));
  }
  info.format.chroma = *chroma;
  if (info.orientation.transposes) {
    std::swap(info.format.width, info.format.height);
    if (info.sample_aspect > 0) info.sample_aspect = 1 / info.sample_aspect;
  }
  info.is_turned = true;
  info.rotation = 0;
  info.conversions.push_back(words("{} ({})", kTurnedByTag, describe(info.orientation)));
  return info;
}

const FactValue* find_fact(const Facts& facts, const std::string& name) {
  const auto found = std::ranges::find_if(facts, [&](const auto& fact) { return fact.first == name; });
  return found == facts.end() ? nullptr : &found->second;
}

std::string fact_text(const Facts& facts, const std::string& name) {
  const FactValue* const value = find_fact(facts, name);
  if (value == nullptr) return {};
  if (const auto* number = std::get_if<int64_t>(value)) return std::to_string(*number);
  if (const auto* real = std::get_if<double>(value)) return fixed_text(*real, kSecondsDecimals);
  return std::get<std::string>(*value);
}

}  // namespace vq::cli
