#include <cmath>
#include <cstdio>
#include <exception>

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/decoding/ffmpeg_log.h"
#include "cli/pictures/heatmap_outputs.h"
#include "cli/pictures/still.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr Colour kStripColour = {24, 24, 28};
constexpr Colour kTextColour = {230, 230, 230};
constexpr Colour kMiddleGrey = {110, 110, 110};
constexpr int kMinStripWidth = 320;
// Measures of the scale of colours, at text scale 1.
constexpr int kLegendWidth = 100, kLegendHeight = 5, kLegendTop = 2, kMargin = 5;

// Pixels per dot of text in pictures of this width.
int overlay_text_scale(int picture_width) { return std::max(1, picture_width / 480); }

int strip_height(int picture_width) { return 22 * overlay_text_scale(picture_width); }

// Size of the picture and the strip together.
PlaneSize overlay_size(const PlaneSize& picture) {
  const int width = std::max(picture.width, kMinStripWidth);
  return {width, picture.height + strip_height(width)};
}

// The colour of each grey level under each local score: a video has too many samples to blend each.
std::vector<Colour> blended_colours() {
  std::vector<Colour> colours;
  for (const auto& [colour, opacity] : local_colours()) {
    for (int grey = 0; grey < 256; ++grey) {
      const uint8_t level = lifted(static_cast<uint8_t>(grey));
      colours.push_back(blend({level, level, level}, colour, opacity / 255.0));
    }
  }
  return colours;
}

void paint_overlay(const Snapshot& shot, RgbImage& image, int left) {
  static const std::vector<Colour> blended = blended_colours();
  const bool has_local = shot.local.width() > 0;
  const Plane<uint8_t> grey = grey_of(shot.picture);
  for (int y = 0; y < grey.height(); ++y) {
    const uint8_t* const luma = grey.row(y);
    const uint8_t* const local = has_local ? shot.local.row(y) : nullptr;
    uint8_t* to = image.row(y) + 3 * left;
    for (int x = 0; x < grey.width(); ++x, to += 3) {
      const Colour colour = blended[size_t{256} * (has_local ? local[x] : 0) + luma[x]];
      to[0] = colour.red;
      to[1] = colour.green;
      to[2] = colour.blue;
    }
  }
}

// The caption of a frame, after the name of the file.
std::string caption(const Snapshot& shot) {
  std::string text = words("{} {}   frame {}", shot.metric.title, fixed_text(shot.score, 2), shot.frame);
  if (shot.timestamp && std::isfinite(*shot.timestamp)) text += "   " + timecode(*shot.timestamp);
  return text;
}

// The scale of the colours with its name, both ends labelled; returns its left end. Its right end leaves the
// margin.
int draw_legend(const MetricInfo& metric, RgbImage& image, int top) {
  const int scale = overlay_text_scale(image.width());
  const int width = kLegendWidth * scale, height = kLegendHeight * scale;
  const int right = image.width() - kMargin * scale - text_width(shortest_text(metric.usual_top), scale) / 2;
  const int left = right - width, bar = top + kLegendTop * scale;
  for (int x = 0; x < width; ++x) {
    const double share = static_cast<double>(x) / (width - 1);
    const auto& [colour, opacity] =
        local_colours()[static_cast<size_t>(std::lround(share * kLocalScoreSteps))];
    image.fill({left + x, bar, 1, height}, blend(kMiddleGrey, colour, opacity / 255.0));
  }
  std::vector<double> ticks = {0, metric.usual_top};
  if (metric.noteworthy && *metric.noteworthy > 0 && *metric.noteworthy < metric.usual_top)
    ticks.push_back(*metric.noteworthy);
  for (const double tick : ticks) {
    const int x = left + static_cast<int>(std::lround((width - 1) * tick / metric.usual_top));
    image.fill({x, bar + height, scale, 2 * scale}, kTextColour);
    draw_text(image, x - text_width(shortest_text(tick), scale) / 2, bar + height + 3 * scale,
              shortest_text(tick), {kTextColour, scale});
  }
  const std::string subject = capitalized(std::string(metric.subject));
  const int title = left - 2 * kMargin * scale - text_width(subject, scale);
  if (title < image.width() / 2) return left - kMargin * scale;
  draw_text(image, title, top + (strip_height(image.width()) - text_height(scale)) / 2, subject,
            {kTextColour, scale});
  return title - 2 * kMargin * scale;
}

// The name of the file has the room that the rest leaves.
void draw_caption(const Snapshot& shot, RgbImage& image, int room) {
  const int scale = overlay_text_scale(image.width());
  const TextStyle style = {kTextColour, scale};
  const int y = shot.picture.height() + (strip_height(image.width()) - text_height(scale)) / 2;
  int x = kMargin * scale;
  const std::string text = fitted_text(caption(shot), room - x, scale);
  const std::string name =
      fitted_text(shot.name, room - x - text_width(text, scale) - 3 * kMargin * scale, scale);
  if (!name.empty()) {
    draw_text(image, x, y, name, style);
    x += text_width(name, scale) + 3 * kMargin * scale;
  }
  draw_text(image, x, y, text, style);
}

// Evenly spaced samples of the map, interpolated linearly.
constexpr std::array<Colour, 10> kInferno = {{{0x00, 0x00, 0x04},
                                              {0x1B, 0x0C, 0x41},
                                              {0x4A, 0x0C, 0x6B},
                                              {0x78, 0x1C, 0x6D},
                                              {0xA5, 0x2C, 0x60},
                                              {0xCF, 0x44, 0x46},
                                              {0xED, 0x69, 0x25},
                                              {0xFB, 0x9B, 0x06},
                                              {0xF7, 0xD1, 0x3D},
                                              {0xFC, 0xFF, 0xA4}}};
constexpr double kDarkestUsed = 1.0 / 3.0;
constexpr double kFullCover = 0.6;
constexpr double kCoveredFrom = 1.0 / 8;  // shares from here on have the full cover

constexpr int kBufferBytes = 1 << 16;
constexpr int kMaxClock = 1000000;
constexpr double kBitsPerSample = 0.15;  // for encoders that know no quality

// Encoders to try, in this order.
struct Choice {
  const char *encoder, *container, *extension;
};
constexpr Choice kChoices[] = {{"libx264", "mp4", ".mp4"},
                               {"libopenh264", "mp4", ".mp4"},
                               {"mpeg4", "mp4", ".mp4"},
                               {"ffv1", "matroska", ".mkv"}};

const Choice& choose() {
  for (const Choice& choice : kChoices) {
    if (avcodec_find_encoder_by_name(choice.encoder) != nullptr) return choice;
  }
  throw usage_error(
      "this libavcodec has none of the video encoders libx264, libopenh264, mpeg4 and ffv1; heatmaps can be "
      "PNG");
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
  const auto row = [&](int plane, int y) { return frame.data[plane] + ptrdiff_t{frame.linesize[plane]} * y; };
  for (int y = 0; y < image.height(); ++y) {
    uint8_t* const luma = row(0, y);
    const uint8_t* rgb = image.row(y);
    for (int x = 0; x < image.width(); ++x, rgb += 3)
      luma[x] = static_cast<uint8_t>((kLuma.of(rgb[0], rgb[1], rgb[2]) + kBlack + kHalf) >> 16);
  }
  for (int y = 0; y < image.height() / 2; ++y) {
    uint8_t *const cb = row(1, y), *const cr = row(2, y);
    const uint8_t *above = image.row(2 * y), *below = image.row(2 * y + 1);
    for (int x = 0; x < image.width() / 2; ++x, above += 6, below += 6) {
      const auto sum = [&](int c) { return above[c] + above[c + 3] + below[c] + below[c + 3]; };
      const auto sample = [&](const Weights& weights) {
        return static_cast<uint8_t>((weights.of(sum(0), sum(1), sum(2)) + kNeutral + 4 * kHalf) >> 18);
      };
      cb[x] = sample(kCb);
      cr[x] = sample(kCr);
    }
  }
}

template <typename T>
T* needed(T* made) {
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

}  // namespace

uint8_t lifted(uint8_t grey) {
  static const auto table = [] {
    std::array<uint8_t, 256> levels;
    for (size_t i = 0; i < levels.size(); ++i)
      levels[i] = static_cast<uint8_t>(std::lround(255 * std::sqrt(static_cast<double>(i) / 255)));
    return levels;
  }();
  return table[grey];
}

std::span<const LayerColour> local_colours() {
  static const auto table = [] {
    std::array<LayerColour, 256> colours;
    for (size_t i = 0; i < colours.size(); ++i) {
      const double share = static_cast<double>(i) / kLocalScoreSteps;
      colours[i] = {score_colour(share), static_cast<uint8_t>(std::lround(255 * score_cover(share)))};
    }
    return colours;
  }();
  return table;
}

RgbImage render_overlay(const Snapshot& shot) {
  const auto [width, height] = overlay_size({shot.picture.width(), shot.picture.height()});
  RgbImage image(width, height, kStripColour);
  paint_overlay(shot, image, (width - shot.picture.width()) / 2);
  int room = width - kMargin * overlay_text_scale(width);
  if (shot.metric.usual_top > 0) room = draw_legend(shot.metric, image, shot.picture.height());
  draw_caption(shot, image, room);
  return image;
}

Colour score_colour(double share) {
  const double inside = std::clamp(share, 0.0, 1.0);
  const double position = (kDarkestUsed + (1 - kDarkestUsed) * inside) * (kInferno.size() - 1);
  const auto below = std::min(static_cast<size_t>(position), kInferno.size() - 2);
  return blend(kInferno[below], kInferno[below + 1], position - static_cast<double>(below));
}

double score_cover(double share) { return kFullCover * std::clamp(share / kCoveredFrom, 0.0, 1.0); }

constexpr Colour kBackground = {12, 12, 14}, kLine = {150, 150, 150}, kMark = {255, 255, 255};
constexpr double kAboveNoteworthy = 1.2;
constexpr int kDash = 4;  // dots on and dots off
constexpr float kNoValue = -1;

ScoreCurve::ScoreCurve(const MetricInfo& metric, int width, std::optional<int64_t> total)
    : metric_(metric), width_(width), total_(total), columns_(static_cast<size_t>(width), kNoValue) {}

size_t ScoreCurve::column_of(int64_t number) const {
  const int64_t last = std::max<int64_t>(*total_ - 1, 1);
  return static_cast<size_t>(std::min<int64_t>(number, last) * (width_ - 1) / last);
}

void ScoreCurve::add(double score) {
  max_ = std::max(max_, score);
  if (total_) {
    // If there are fewer scores than columns, each reaches back to the one before.
    const size_t to = column_of(count_);
    const size_t from = count_ == 0 ? 0 : std::min(column_of(count_ - 1) + 1, to);
    for (size_t x = from; x <= to; ++x) columns_[x] = std::max(columns_[x], static_cast<float>(score));
  } else {
    columns_.erase(columns_.begin());
    columns_.push_back(static_cast<float>(score));
  }
  ++count_;
}

double ScoreCurve::top() const {
  double top = metric_.usual_top > 0 ? metric_.usual_top : 1;
  if (metric_.noteworthy && *metric_.noteworthy > 0) top = kAboveNoteworthy * *metric_.noteworthy;
  while (top <= max_) top *= 2;
  return top;
}

void ScoreCurve::draw(RgbImage& image, const Rectangle& area) const {
  image.fill(area, kBackground);
  const int scale = overlay_text_scale(image.width());
  const auto height_of = [&](double score) {
    return static_cast<int>(std::lround(score / top() * (area.height - 1)));
  };
  const double scale_top = metric_.usual_top > 0 ? metric_.usual_top : top();
  size_t newest = 0;
  for (size_t x = 0; x < columns_.size(); ++x) {
    if (columns_[x] < 0) continue;
    newest = x;
    const double score = columns_[x];
    const int height = height_of(score) + 1;
    image.fill({area.x + static_cast<int>(x), area.y + area.height - height, 1, height},
               score_colour(score / scale_top));
  }
  if (metric_.noteworthy) {  // a dashed line, with its score above it
    const int line = area.y + area.height - 1 - height_of(*metric_.noteworthy);
    for (int x = 0; x < area.width; ++x) {
      if (x / (kDash * scale) % 2 == 0) image.fill({area.x + x, line, 1, 1}, kLine);
    }
    draw_text(image, area.x + 2 * scale, line - text_height(scale) - 2 * scale,
              shortest_text(*metric_.noteworthy), {kLine, scale});
  }
  if (count_ > 0) image.fill({area.x + static_cast<int>(newest), area.y, scale, area.height}, kMark);
}

// H.264 in BASE.mp4, or MPEG-4 if this libavcodec has no H.264 encoder; without either, FFV1 in BASE.mkv.
class OverlayVideo::File {
 public:
  // `size`: even. Throws Error{kOutput}, and Error{kUsage} if libavcodec has no encoder at all.
  File(const PictureNames& names, const PlaneSize& size, double frame_rate, int threads)
      : extension_(choose().extension),
        path_(names.base + extension_),
        file_(path_, OutputFile::Place::kLater) {
    install_ffmpeg_log();
    clock_ = av_inv_q(av_d2q(frame_rate, kMaxClock));
    container_.reset(needed(avformat_alloc_context()));
    container_->oformat = av_guess_format(choose().container, nullptr, nullptr);
    if (container_->oformat == nullptr) check(AVERROR_MUXER_NOT_FOUND, "cannot write");
    if (av_dict_set(&container_->metadata, "comment", names.mark.c_str(), 0) < 0) throw std::bad_alloc();
    open_encoder(*avcodec_find_encoder_by_name(choose().encoder), size, frame_rate, threads);
    open_container();
  }
  File& operator=(File&&) = delete;

  // `time`: ascending, in frames of the frame rate from the start.
  void write(const RgbImage& image, int64_t time) {
    const AvPtr<AVFrame> frame = new_frame();
    frame->width = image.width();
    frame->height = image.height();
    frame->format = AV_PIX_FMT_YUV420P;
    check(av_frame_get_buffer(frame.get(), 0), "no buffer");
    convert(image, *frame);
    frame->pts = time;
    encode(frame.get());
  }

  // Average over the frames that have left the encoder; nothing before the first.
  std::optional<double> bytes_a_frame() const {
    return packets_ > 0 ? std::optional(static_cast<double>(packet_bytes_) / static_cast<double>(packets_))
                        : std::nullopt;
  }

  // Flushes the encoder and ends the file. Nothing can be added after that.
  void finish() {
    encode(nullptr);
    check(av_write_trailer(container_.get()), "cannot write");
    avio_flush(io_.get());
    check(io_->error, "cannot write");
    file_.close();
  }

  // The file, to be committed as BASE.mp4, or for a run that ended early as BASE.partial.mp4.
  OutputFile* output(const std::string& base, bool partial) {
    const std::string path = base + extension_;
    file_.move_to(partial ? openable_partial_path(path) : path);
    return &file_;
  }

 private:
  struct OutputDeleter {
    void operator()(AVFormatContext* context) const { avformat_free_context(context); }
  };

  // The error of the file itself says most.
  void check(int code, const char* doing) {
    if (failure_) std::rethrow_exception(failure_);
    if (code == AVERROR(ENOMEM)) throw std::bad_alloc();
    if (code < 0) throw Error(ErrorKind::kOutput, "{}: {}: {}", path_, doing, ffmpeg_reason(code));
  }

  void open_encoder(const AVCodec& codec, const PlaneSize& size, double frame_rate, int threads) {
    encoder_ = owned(avcodec_alloc_context3(&codec));
    encoder_->width = size.width;
    encoder_->height = size.height;
    encoder_->pix_fmt = AV_PIX_FMT_YUV420P;
    encoder_->time_base = clock_;
    encoder_->framerate = av_inv_q(clock_);
    encoder_->sample_aspect_ratio = {1, 1};
    encoder_->color_range = AVCOL_RANGE_MPEG;
    encoder_->colorspace = AVCOL_SPC_BT709;
    encoder_->color_primaries = AVCOL_PRI_BT709;
    encoder_->color_trc = AVCOL_TRC_BT709;
    encoder_->thread_count = threads;
    if (container_->oformat->flags & AVFMT_GLOBALHEADER) encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    if (codec.id == AV_CODEC_ID_MPEG4) {
      encoder_->flags |= AV_CODEC_FLAG_QSCALE;
      encoder_->global_quality = 3 * FF_QP2LAMBDA;
    }
    if (std::string_view(codec.name) == "libx264") {
      encoder_->bit_rate = 0;
      av_opt_set(encoder_->priv_data, "preset", "veryfast", 0);
      av_opt_set(encoder_->priv_data, "crf", "20", 0);
    } else {
      encoder_->bit_rate = static_cast<int64_t>(kBitsPerSample * size.width * size.height * frame_rate);
    }
    check(avcodec_open2(encoder_.get(), &codec, nullptr), "the encoder cannot start");
  }

  // Does something with the file of a container, whose errors pass through C code.
  template <typename Act>
  static int64_t guarded(void* self, int64_t result, Act act) {
    File& file = *static_cast<File*>(self);
    try {
      act(file.file_);
      return result;
    } catch (...) {
      file.failure_ = std::current_exception();
      return AVERROR(EIO);
    }
  }

  void open_container() {
    auto* const buffer = static_cast<unsigned char*>(needed(av_malloc(kBufferBytes)));
    // The type of `data` depends on the version of libavformat.
    const auto write = [](void* self, auto* data, int size) {
      return static_cast<int>(guarded(self, size, [&](OutputFile& file) {
        file.write({reinterpret_cast<const char*>(data), static_cast<size_t>(size)});
      }));
    };
    const auto seek = [](void* self, int64_t offset, int whence) {
      if (whence != SEEK_SET) return int64_t{AVERROR(ENOSYS)};
      return guarded(self, offset, [&](OutputFile& file) { file.seek(offset); });
    };
    io_.reset(avio_alloc_context(buffer, kBufferBytes, 1, this, nullptr, write, seek));
    if (!io_) {
      av_free(buffer);
      throw std::bad_alloc();
    }
    container_->pb = io_.get();
    container_->flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT;
    AVStream* const stream = needed(avformat_new_stream(container_.get(), nullptr));
    stream->time_base = clock_;
    stream->avg_frame_rate = av_inv_q(clock_);
    check(avcodec_parameters_from_context(stream->codecpar, encoder_.get()), choose().container);
    check(avformat_write_header(container_.get(), nullptr), "cannot write");
  }

  // nullptr: what the encoder still holds.
  void encode(const AVFrame* frame) {
    check(avcodec_send_frame(encoder_.get(), frame), "cannot encode");
    const AvPtr<AVPacket> packet = new_packet();
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

  const std::string extension_, path_;
  OutputFile file_;
  std::exception_ptr failure_;  // an exception of the file
  AvPtr<AVIOContext> io_;
  AvPtr<AVCodecContext> encoder_;
  std::unique_ptr<AVFormatContext, OutputDeleter> container_;
  AVRational clock_ = {1, 25};
  int64_t packets_ = 0, packet_bytes_ = 0;
};

constexpr int kCurveDots = 36;             // height of the curve, in dots of text
constexpr double kLowestFrameRate = 0.01;  // still slower video is hastened; MP4 has no times for it
constexpr int kSmallWidth = 640;           // that is good enough to see where flaws are
// The size of a long video is estimated from this many frames.
constexpr int64_t kMeasuredFrames = 120, kLongVideo = 1000;

// "40 s", "3 min 20 s", "1 h 12 min"
static std::string rough_duration(double seconds) {
  const int64_t whole = std::max<int64_t>(1, std::llround(seconds));
  if (whole < 60) return words("{} s", whole);
  if (whole < 3600) return words("{} min {} s", whole / 60, whole % 60);
  return words("{} h {} min", whole / 3600, whole / 60 % 60);
}

// How many of the frames that will be scored lie in the range, if that is known.
static std::optional<int64_t> expected(const ObservedVideo& video, const FrameRange& frames) {
  std::optional<int64_t> count;
  if (video.frames) count = std::max<int64_t>(*video.frames - frames.first, 1);
  if (frames.last == FrameRange().last) return count;
  const int64_t length = frames.last - frames.first + 1;
  return std::min(length, count.value_or(length));
}

// A picture with the curve below it. H.264 of two by two chroma wants even sides.
static PlaneSize size_with_curve(const PlaneSize& picture) {
  const auto even = [](int side) { return (side + 1) / 2 * 2; };
  return {even(picture.width), even(picture.height + kCurveDots * overlay_text_scale(picture.width))};
}

OverlayVideo::OverlayVideo(const PictureNames& names, const ObservedVideo& video,
                           const OverlayVideoSettings& settings)
    : settings_(settings),
      expected_(expected(video, settings.frames)),
      maker_(video, settings.limit),
      curve_(video.metric, overlay_size({maker_.width(), maker_.height()}).width, expected_),
      file_(std::make_unique<File>(names, size_with_curve(overlay_size({maker_.width(), maker_.height()})),
                                   std::max(video.frame_rate.value_or(kAssumedFrameRate), kLowestFrameRate),
                                   settings.threads)) {}

OverlayVideo::~OverlayVideo() = default;

void OverlayVideo::frame(const ScoredFrame& frame) {
  const auto start = std::chrono::steady_clock::now();
  curve_.add(frame.score);
  if (!first_) first_ = frame.picture.index;
  const RgbImage picture = render_overlay(maker_.make(frame));
  const PlaneSize size = size_with_curve({picture.width(), picture.height()});
  RgbImage image(size.width, size.height);
  for (int y = 0; y < picture.height(); ++y) std::copy_n(picture.row(y), 3 * picture.width(), image.row(y));
  curve_.draw(image, {0, picture.height(), picture.width(), size.height - picture.height()});
  file_->write(image, frame.picture.index - *first_);
  ++written_;
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (written_ == kMeasuredFrames) estimate();
}

void OverlayVideo::estimate() {
  if (!settings_.tell || !expected_ || *expected_ < kLongVideo) return;
  const double share = static_cast<double>(*expected_) / static_cast<double>(written_);
  std::string text = words("the video of {} will take about {}", counted(*expected_, "frame"),
                           rough_duration(seconds_ * share));
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

}  // namespace vq::cli
