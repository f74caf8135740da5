// Access to single frames of a video that was read before, without reading all earlier ones if the file
// allows it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "cli/decoding/video_source.h"

namespace vq::cli {

class FrameFinder {
 public:
  // Opens a video that can be read twice. Throws as open_video().
  explicit FrameFinder(const SourceOptions& options);
  ~FrameFinder();
  FrameFinder(const FrameFinder&) = delete;
  FrameFinder& operator=(const FrameFinder&) = delete;

  const VideoInfo& info() const { return source_->info(); }
  // The frame with that number and time (Frame::timestamp); the time decides if it is known. Nothing if the
  // video has no such frame, or it cannot be decoded. Needs: ascending frames. Throws as VideoSource::read().
  std::optional<Frame> find(int64_t index, std::optional<double> timestamp);

 private:
  class Seeker;
  std::optional<Frame> read_on(int64_t index, std::optional<double> timestamp);

  const SourceOptions options_;
  std::unique_ptr<VideoSource> source_;
  std::unique_ptr<Seeker> seeker_;  // null if frames must be read in order
  int64_t position_ = 0;            // of the source
};

}  // namespace vq::cli
