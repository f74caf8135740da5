#include "cli/pictures/overlay_video.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "cli/pictures/overlay.h"
#include "cli/pictures/video_file.h"
#include "core/text.h"
#include "core/text/message_text.h"
#include "core/text/number_text.h"

namespace vq::cli {
namespace {

constexpr int kCurveDots = 36;             // height of the curve, in dots of text
constexpr double kLowestFrameRate = 0.01;  // still slower video is hastened; MP4 has no times for it

constexpr int kSmallWidth = 640;  // that is good enough to see where flaws are
// What a video takes is judged by so many frames, where it has many more.
constexpr int64_t kMeasuredFrames = 120, kLongVideo = 1000;

// "40 s", "3 min 20 s", "1 h 12 min"
std::string duration_text(double seconds) {
  const int64_t whole = std::max<int64_t>(1, std::llround(seconds));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
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

// How many of the frames that will be scored lie in the range, where that is known.
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
  std::string text =
      "the video of " + counted(*expected_, "frame") + " will take about " + duration_text(seconds_ * share);
  if (const std::optional<double> bytes = file_->bytes_a_frame())
    text += " and " + bytes_text(std::llround(*bytes * static_cast<double>(*expected_)));
  if (maker_.width() > kSmallWidth)
    text += "; --heatmap-video-size " + std::to_string(kSmallWidth) + " makes that less";
  settings_.tell(text);
}

void OverlayVideo::finish() {
  if (written_ > 0) file_->finish();
}

OutputFile* OverlayVideo::output(const std::string& base, bool partial) {
  return written_ > 0 ? file_->output(base, partial) : nullptr;
}

}  // namespace vq::cli
