#include "cli/pictures/overlay_video.h"

#include <algorithm>

#include "cli/pictures/overlay.h"
#include "cli/pictures/video_file.h"

namespace vq::cli {
namespace {

constexpr int kCurveDots = 36;  // height of the curve, in dots of text
constexpr double kLowestFrameRate = 0.01;  // still slower video is hastened; MP4 has no times for it

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

OverlayVideo::OverlayVideo(HiddenFolder& hidden, const PictureNames& names, const ObservedVideo& video,
                           const OverlayVideoSettings& settings)
    : frames_(settings.frames), maker_(video) {
  // A frame that is black shows how large all will be.
  Snapshot blank;
  blank.metric = video.metric;
  blank.luma = Plane<uint8_t>(maker_.width(), maker_.height());
  blank.local = Plane<uint8_t>(maker_.width(), maker_.height());
  const RgbImage picture = render_overlay(blank);
  curve_ = std::make_unique<ScoreCurve>(video.metric, picture.width(), expected(video, frames_));
  const RgbImage whole = with_curve(picture, *curve_);
  file_ = std::make_unique<VideoFile>(
      hidden, names,
      VideoFileSettings{whole.width(), whole.height(), std::max(video.frame_rate.value_or(kAssumedFrameRate), kLowestFrameRate),
                              settings.threads});
}

OverlayVideo::~OverlayVideo() = default;

void OverlayVideo::frame(const ScoredFrame& frame) {
  curve_->add(frame.score);
  if (!first_) first_ = frame.picture.index;
  file_->write(with_curve(render_overlay(maker_.make(frame)), *curve_), frame.picture.index - *first_);
  ++written_;
}

void OverlayVideo::finish() {
  if (written_ > 0) file_->finish();
}

OutputFile* OverlayVideo::output(const std::string& base, bool partial) {
  return written_ > 0 ? file_->output(base, partial) : nullptr;
}

}  // namespace vq::cli
