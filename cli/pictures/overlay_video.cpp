#include "cli/pictures/heatmap_outputs.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

extern "C" {
#include <libavutil/opt.h>
}

#include "cli/decoding/ffmpeg_log.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr int kCurveDots = 36;             // height of the curve, in dots of text
constexpr double kLowestFrameRate = 0.01;  // still slower video is hastened; MP4 has no times for it

constexpr int kSmallWidth = 640;  // that is good enough to see where flaws are
// The size of a long video is estimated from this many frames.
constexpr int64_t kMeasuredFrames = 120, kLongVideo = 1000;

// "40 s", "3 min 20 s", "1 h 12 min"
std::string duration_text(double seconds) {
  const int64_t whole = std::max<int64_t>(1, std::llround(seconds));
  if (whole < 60) return words("{} s", whole);
  if (whole < 3600) return words("{} min {} s", whole / 60, whole % 60);
  return words("{} h {} min", whole / 3600, whole / 60 % 60);
}

// H.264 of two by two chroma wants even sides.
int even(int side) {
  return (side + 1) / 2 * 2;
}

RgbImage with_curve(const RgbImage& picture, const ScoreCurve& curve) {
  const int curve_height = kCurveDots * overlay_text_scale(picture.width());
  RgbImage image(even(picture.width()), even(picture.height() + curve_height));
  for (int y = 0; y < picture.height(); ++y) {
    std::copy_n(picture.row(y), 3 * picture.width(), image.row(y));
  }
  curve.draw(image, {0, picture.height(), picture.width(), image.height() - picture.height()});
  return image;
}

// How many of the frames that will be scored lie in the range, if that is known.
std::optional<int64_t> expected(const ObservedVideo& video, const FrameRange& frames) {
  if (frames.last == FrameRange().last) {
    return video.frames ? std::optional(std::max<int64_t>(*video.frames - frames.first, 1)) : std::nullopt;
  }
  const int64_t length = frames.last - frames.first + 1;
  return video.frames ? std::min(length, std::max<int64_t>(*video.frames - frames.first, 1)) : length;
}

}  // namespace

OverlayVideo::OverlayVideo(const PictureNames& names, const ObservedVideo& video,
                           const OverlayVideoSettings& settings)
    : settings_(settings), expected_(expected(video, settings.frames)), maker_(video, settings.limit) {
  // A frame that is black shows how large all will be.
  Snapshot blank;
  blank.metric = video.metric;
  const Plane<uint8_t> black(maker_.width(), maker_.height());
  Frame frame;
  frame.luma().u8 = black.view();
  blank.picture = still_of(frame, VideoFormat(), {black.width(), black.height()});
  blank.local = Plane<uint8_t>(maker_.width(), maker_.height());
  const RgbImage picture = render_overlay(blank);
  curve_ = std::make_unique<ScoreCurve>(video.metric, picture.width(), expected_);
  const RgbImage whole = with_curve(picture, *curve_);
  file_ = std::make_unique<VideoFile>(
      names, VideoFileSettings{whole.width(), whole.height(),
                               std::max(video.frame_rate.value_or(kAssumedFrameRate), kLowestFrameRate),
                               settings.threads});
}

OverlayVideo::~OverlayVideo() = default;

void OverlayVideo::frame(const ScoredFrame& frame) {
  const auto start = std::chrono::steady_clock::now();
  curve_->add(frame.score);
  if (!first_) first_ = frame.picture.index;
  file_->write(with_curve(render_overlay(maker_.make(frame)), *curve_), frame.picture.index - *first_);
  ++written_;
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (written_ == kMeasuredFrames) estimate();
}

void OverlayVideo::estimate() {
  if (!settings_.tell || !expected_ || *expected_ < kLongVideo) return;
  const double share = static_cast<double>(*expected_) / static_cast<double>(written_);
  std::string text = words("the video of {} will take about {}", counted(*expected_, "frame"),
                           duration_text(seconds_ * share));
  if (const std::optional<double> bytes = file_->bytes_a_frame())
    text += words(" and {}", bytes_text(std::llround(*bytes * static_cast<double>(*expected_))));
  if (maker_.width() > kSmallWidth) text += words("; --heatmap-video-size {} makes that less", kSmallWidth);
  settings_.tell(text);
}

void OverlayVideo::finish() {
  if (written_ > 0) file_->finish();
}

OutputFile* OverlayVideo::output(const std::string& base, bool partial) {
  return written_ > 0 ? file_->output(base, partial) : nullptr;
}

namespace {

constexpr Colour kBackground = {12, 12, 14};
constexpr Colour kLine = {150, 150, 150};
constexpr Colour kMark = {255, 255, 255};
constexpr double kAboveNoteworthy = 1.2;
constexpr int kDash = 4;  // dots on and dots off
constexpr float kUnknown = -1;

}  // namespace

ScoreCurve::ScoreCurve(const MetricInfo& metric, int width, std::optional<int64_t> total)
    : metric_(metric), width_(width), total_(total), columns_(static_cast<size_t>(width), kUnknown) {}

size_t ScoreCurve::column_of(int64_t number) const {
  const int64_t last = std::max<int64_t>(*total_ - 1, 1);
  return static_cast<size_t>(std::min<int64_t>(number, last) * (width_ - 1) / last);
}

void ScoreCurve::add(double score) {
  max_ = std::max(max_, score);
  if (total_) {
    // Where there are fewer scores than columns, each reaches back to the one before.
    const size_t to = column_of(count_);
    const size_t from = count_ == 0 ? 0 : std::min(column_of(count_ - 1) + 1, to);
    for (size_t x = from; x <= to; ++x) columns_[x] = std::max(columns_[x], static_cast<float>(score));
  } else {
    columns_.erase(columns_.begin());
    columns_.push_back(static_cast<float>(score));
  }
  ++count_;
}

double ScoreCurve::first_top() const {
  if (metric_.noteworthy && *metric_.noteworthy > 0) return kAboveNoteworthy * *metric_.noteworthy;
  return metric_.usual_top > 0 ? metric_.usual_top : 1;
}

double ScoreCurve::top() const {
  double top = first_top();
  while (top <= max_) top *= 2;
  return top;
}

void ScoreCurve::draw(RgbImage& image, const Rectangle& area) const {
  image.fill(area, kBackground);
  const int bottom = area.y + area.height;
  const double scale_top = metric_.usual_top > 0 ? metric_.usual_top : top();
  size_t newest = 0;
  for (size_t x = 0; x < columns_.size(); ++x) {
    if (columns_[x] < 0) continue;
    newest = x;
    const double score = columns_[x];
    const int height = static_cast<int>(std::lround(score / top() * (area.height - 1))) + 1;
    image.fill({area.x + static_cast<int>(x), bottom - height, 1, height}, score_colour(score / scale_top));
  }
  draw_noteworthy(image, area);
  const int scale = overlay_text_scale(image.width());
  if (count_ > 0) image.fill({area.x + static_cast<int>(newest), area.y, scale, area.height}, kMark);
}

// A dashed line, with its score above it.
void ScoreCurve::draw_noteworthy(RgbImage& image, const Rectangle& area) const {
  if (!metric_.noteworthy) return;
  const int scale = overlay_text_scale(image.width());
  const int line = area.y + area.height - 1 -
                   static_cast<int>(std::lround(*metric_.noteworthy / top() * (area.height - 1)));
  for (int x = 0; x < area.width; ++x) {
    if (x / (kDash * scale) % 2 == 0) image.fill({area.x + x, line, 1, 1}, kLine);
  }
  const std::string text = number_text(*metric_.noteworthy, {NumberStyle::Kind::kShortest, 0});
  draw_text(image, area.x + 2 * scale, line - text_height(scale) - 2 * scale, text, {kLine, scale});
}

namespace {

constexpr int kBufferBytes = 1 << 16;
constexpr int kMaxClock = 1000000;
constexpr double kBitsPerSample = 0.15;  // for encoders that know no quality

// Encoders to try, in this order.
struct Choice {
  const char* encoder;
  const char* container;
  const char* extension;
};
constexpr Choice kChoices[] = {{"libx264", "mp4", ".mp4"},
                               {"libopenh264", "mp4", ".mp4"},
                               {"mpeg4", "mp4", ".mp4"},
                               {"ffv1", "matroska", ".mkv"}};

const Choice& choose() {
  for (const Choice& choice : kChoices) {
    if (avcodec_find_encoder_by_name(choice.encoder) != nullptr) return choice;
  }
  throw Error(ErrorKind::kUsage,
              "this libavcodec has none of the video encoders libx264, libopenh264, mpeg4 and ffv1; heatmaps "
              "can be PNG");
}

// Coefficients of limited range and ITU-R BT.709 in units of 2^-16.
struct Weights {
  int red, green, blue;
  int of(int r, int g, int b) const { return red * r + green * g + blue * b; }
};
constexpr Weights kLuma = {11966, 40254, 4064}, kCb = {-6596, -22189, 28785}, kCr = {28785, -26145, -2639};

// The chroma of two by two pixels is that of their mean.
void convert(const RgbImage& image, AVFrame& frame) {
  constexpr int kHalf = 1 << 15, kBlack = 16 << 16, kNeutral = 128 << 18;
  for (int y = 0; y < image.height(); ++y) {
    uint8_t* const luma = frame.data[0] + ptrdiff_t{frame.linesize[0]} * y;
    const uint8_t* const rgb = image.row(y);
    for (int x = 0; x < image.width(); ++x)
      luma[x] =
          static_cast<uint8_t>((kLuma.of(rgb[3 * x], rgb[3 * x + 1], rgb[3 * x + 2]) + kBlack + kHalf) >> 16);
  }
  for (int y = 0; y < image.height() / 2; ++y) {
    uint8_t* const cb = frame.data[1] + ptrdiff_t{frame.linesize[1]} * y;
    uint8_t* const cr = frame.data[2] + ptrdiff_t{frame.linesize[2]} * y;
    const uint8_t *above = image.row(2 * y), *below = image.row(2 * y + 1);
    for (int x = 0; x < image.width() / 2; ++x, above += 6, below += 6) {
      const auto sum = [&](int c) { return above[c] + above[c + 3] + below[c] + below[c + 3]; };
      const int red = sum(0), green = sum(1), blue = sum(2);
      cb[x] = static_cast<uint8_t>((kCb.of(red, green, blue) + kNeutral + 4 * kHalf) >> 18);
      cr[x] = static_cast<uint8_t>((kCr.of(red, green, blue) + kNeutral + 4 * kHalf) >> 18);
    }
  }
}

}  // namespace

VideoFile::VideoFile(const PictureNames& names, const VideoFileSettings& settings) {
  install_ffmpeg_log();
  const Choice& choice = choose();
  extension_ = choice.extension;
  path_ = names.base + extension_;
  clock_ = av_inv_q(av_d2q(settings.frame_rate, kMaxClock));
  file_ = std::make_unique<OutputFile>(path_, OutputFile::Place::kLater);
  container_.reset(avformat_alloc_context());
  if (!container_) throw std::bad_alloc();
  container_->oformat = av_guess_format(choice.container, nullptr, nullptr);
  if (container_->oformat == nullptr) check(AVERROR_MUXER_NOT_FOUND, "cannot write");
  if (av_dict_set(&container_->metadata, "comment", names.mark.c_str(), 0) < 0) throw std::bad_alloc();
  open_encoder(*avcodec_find_encoder_by_name(choice.encoder), settings);
  open_container(choice.container);
}

VideoFile::~VideoFile() = default;

// The error of the file itself says most.
void VideoFile::check(int code, const char* doing) {
  if (failure_) std::rethrow_exception(failure_);
  if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
  if (code < 0) throw Error(ErrorKind::kOutput, words("{}: {}: {}", path_, doing, ffmpeg_reason(code)));
}

template <typename Act>
int VideoFile::guarded(Act act) {
  try {
    act();
    return 0;
  } catch (...) {
    failure_ = std::current_exception();
    return AVERROR(EIO);
  }
}

void VideoFile::open_encoder(const AVCodec& codec, const VideoFileSettings& settings) {
  encoder_.reset(avcodec_alloc_context3(&codec));
  if (!encoder_) throw std::bad_alloc();
  encoder_->width = settings.width;
  encoder_->height = settings.height;
  encoder_->pix_fmt = AV_PIX_FMT_YUV420P;
  encoder_->time_base = clock_;
  encoder_->framerate = av_inv_q(clock_);
  encoder_->sample_aspect_ratio = {1, 1};
  encoder_->color_range = AVCOL_RANGE_MPEG;
  encoder_->colorspace = AVCOL_SPC_BT709;
  encoder_->color_primaries = AVCOL_PRI_BT709;
  encoder_->color_trc = AVCOL_TRC_BT709;
  encoder_->thread_count = settings.threads;
  if (container_->oformat->flags & AVFMT_GLOBALHEADER) encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  if (codec.id == AV_CODEC_ID_MPEG4) {
    encoder_->flags |= AV_CODEC_FLAG_QSCALE;
    encoder_->global_quality = 3 * FF_QP2LAMBDA;
  }
  encoder_->bit_rate =
      static_cast<int64_t>(kBitsPerSample * settings.width * settings.height * settings.frame_rate);
  if (std::string_view(codec.name) == "libx264") {
    encoder_->bit_rate = 0;
    av_opt_set(encoder_->priv_data, "preset", "veryfast", 0);
    av_opt_set(encoder_->priv_data, "crf", "20", 0);
  }
  check(avcodec_open2(encoder_.get(), &codec, nullptr), "the encoder cannot start");
}

void VideoFile::open_container(const char* format) {
  auto* const buffer = static_cast<unsigned char*>(av_malloc(kBufferBytes));
  if (buffer == nullptr) throw std::bad_alloc();
  // The type of `data` depends on the version of libavformat.
  const auto write = [](void* self, auto* data, int size) {
    VideoFile& file = *static_cast<VideoFile*>(self);
    const int code = file.guarded([&] {
      file.file_->write({reinterpret_cast<const char*>(data), static_cast<size_t>(size)});
    });
    return code < 0 ? code : size;
  };
  const auto seek = [](void* self, int64_t offset, int whence) -> int64_t {
    VideoFile& file = *static_cast<VideoFile*>(self);
    if (whence != SEEK_SET) return AVERROR(ENOSYS);
    const int code = file.guarded([&] { file.file_->seek(offset); });
    return code < 0 ? code : offset;
  };
  io_.reset(avio_alloc_context(buffer, kBufferBytes, 1, this, nullptr, write, seek));
  if (!io_) {
    av_free(buffer);
    throw std::bad_alloc();
  }
  container_->pb = io_.get();
  container_->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
  AVStream* const stream = avformat_new_stream(container_.get(), nullptr);
  if (stream == nullptr) throw std::bad_alloc();
  stream->time_base = clock_;
  stream->avg_frame_rate = av_inv_q(clock_);
  check(avcodec_parameters_from_context(stream->codecpar, encoder_.get()), format);
  check(avformat_write_header(container_.get(), nullptr), "cannot write");
}

void VideoFile::write(const RgbImage& image, int64_t time) {
  const AvPtr<AVFrame> frame(av_frame_alloc());
  if (!frame) throw std::bad_alloc();
  frame->width = image.width();
  frame->height = image.height();
  frame->format = AV_PIX_FMT_YUV420P;
  check(av_frame_get_buffer(frame.get(), 0), "no buffer");
  convert(image, *frame);
  frame->pts = time;
  encode(frame.get());
}

// nullptr: what the encoder still holds.
void VideoFile::encode(const AVFrame* frame) {
  check(avcodec_send_frame(encoder_.get(), frame), "cannot encode");
  const AvPtr<AVPacket> packet(av_packet_alloc());
  if (!packet) throw std::bad_alloc();
  for (;;) {
    const int code = avcodec_receive_packet(encoder_.get(), packet.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return;
    check(code, "cannot encode");
    ++packets_;
    packet_bytes_ += packet->size;
    av_packet_rescale_ts(packet.get(), clock_, container_->streams[0]->time_base);
    packet->stream_index = 0;
    check(av_interleaved_write_frame(container_.get(), packet.get()), "cannot write");
  }
}

std::optional<double> VideoFile::bytes_a_frame() const {
  if (packets_ == 0) return std::nullopt;
  return static_cast<double>(packet_bytes_) / static_cast<double>(packets_);
}

void VideoFile::finish() {
  encode(nullptr);
  check(av_write_trailer(container_.get()), "cannot write");
  avio_flush(io_.get());
  check(io_->error, "cannot write");
  file_->close();
}

OutputFile* VideoFile::output(const std::string& base, bool partial) {
  const std::string path = base + extension_;
  file_->move_to(partial ? openable_partial_path(path) : path);
  return file_.get();
}

}  // namespace vq::cli
