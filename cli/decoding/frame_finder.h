// Single frames of a video that was read before, without reading all that lies before them where the file
// allows that.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "cli/decoding/video_source.h"

namespace vq::cli {

class FrameFinder {
 public:
  // Opens the video, which must be one that can be read twice. Throws as open_video().
  explicit FrameFinder(const SourceOptions& options);
  ~FrameFinder();
  FrameFinder(const FrameFinder&) = delete;
  FrameFinder& operator=(const FrameFinder&) = delete;

  const VideoInfo& info() const { return source_->info(); }
  // The frame that was read as the one of that number and time (Frame::timestamp); the time decides where it
  // is known. Nothing where the video has no such frame, or it cannot be decoded. Needs: ascending frames.
  // Throws as VideoSource::read().
  std::optional<Frame> find(int64_t index, std::optional<double> timestamp);

 private:
  class Seeker;
  std::optional<Frame> read_on(int64_t index, std::optional<double> timestamp);

  const SourceOptions options_;
  std::unique_ptr<VideoSource> source_;
  std::unique_ptr<Seeker> seeker_;  // null where frames have to be read one after the other
  int64_t position_ = 0;            // of the source
};

}  // namespace vq::cli
