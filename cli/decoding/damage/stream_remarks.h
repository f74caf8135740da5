// Remarks on a video while it is read, each once.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/decoding/ffmpeg_frame.h"
#include "cli/decoding/picture_stream.h"
#include "cli/decoding/video_source.h"
#include "core/text.h"

namespace vq::cli {

// A stream may be joined from parts with different properties; the run uses those of the first picture.
class StreamRemarks {
 public:
  // `info` has these properties. Both arguments outlive this.
  StreamRemarks(const VideoInfo& info, std::vector<std::string>& warnings)
      : info_(info), warnings_(warnings) {}

  // The next picture of `stream`.
  void look(const Picture& picture, const PictureLayout& layout, const PictureStream& stream);
  void at_end(const PictureStream& stream) { check_start(stream); }

 private:
  void check_start(const PictureStream& stream);
  void check_tags(const Picture& picture, const PictureLayout& layout);
  void check_grain(const Picture& picture, FilmGrain now);
  std::string name() const { return shown_path(info_.path); }

  const VideoInfo& info_;
  std::vector<std::string>& warnings_;
  bool reported_start_ = false, reported_tags_ = false, reported_grain_ = false;
};

}  // namespace vq::cli
