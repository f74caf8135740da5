#include "cli/run/fitting.h"

#include <algorithm>
#include <utility>

#include "cli/text/message_text.h"

namespace vq::cli {
namespace {

std::vector<std::string> notes_on(const VideoFormat& format, const FittedFormat& fitting) {
  std::vector<std::string> notes;
  if (fitting.size != PlaneSize{format.width, format.height}) {
    notes.push_back(shown_path(format.name) + " scaled to " + std::to_string(fitting.size.width) + "x" +
                    std::to_string(fitting.size.height) + " (" + std::string(to_string(fitting.kernel)) + ")");
  }
  if (fitting.bit_depth != format.bit_depth) {
    notes.push_back(shown_path(format.name) + " scored at " + std::to_string(fitting.bit_depth) + " bits");
  }
  return notes;
}

}  // namespace

std::optional<FittedFormat> fitting_of(const RunOptions& arguments, const VideoFormat& video,
                                       const std::optional<VideoFormat>& reference) {
  const PlaneSize own = {video.width, video.height};
  FittedFormat fitting = {own, std::max(video.bit_depth, arguments.score_bits), arguments.scale_kernel};
  if (arguments.scale && arguments.scale->size) {
    fitting.size = *arguments.scale->size;
  } else if (arguments.scale && reference) {
    fitting.size = {reference->width, reference->height};
  }
  if (fitting.size == own && fitting.bit_depth == video.bit_depth) return std::nullopt;
  return fitting;
}

VideoFormat fitted_format(VideoFormat format, const FittedFormat& fitting) {
  format.width = fitting.size.width;
  format.height = fitting.size.height;
  format.bit_depth = fitting.bit_depth;
  return format;
}

std::vector<std::string> fit_videos(const RunOptions& arguments, InputFormats& formats, int planes, OpenVideos& videos) {
  std::vector<std::string> notes;
  const std::optional<VideoFormat> reference = formats.reference;
  const auto fit = [&](std::unique_ptr<FrameReader>& video, VideoFormat& format) {
    const std::optional<FittedFormat> fitting = fitting_of(arguments, format, reference);
    if (!fitting) return;
    for (std::string& note : notes_on(format, *fitting)) notes.push_back(std::move(note));
    video = fitted(std::move(video), *fitting, planes);
    format = fitted_format(std::move(format), *fitting);
  };
  fit(videos.distorted, formats.distorted);
  if (videos.reference) fit(videos.reference, *formats.reference);
  return notes;
}

}  // namespace vq::cli
