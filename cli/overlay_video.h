// A video of the coloured frames with the curve of their scores, through libavcodec and libavformat.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/frame_observer.h"
#include "cli/score_curve.h"
#include "cli/snapshot.h"

namespace vq::cli {

class VideoFile;

// Which frames, and how many threads encode them.
struct OverlayVideoSettings {
  FrameRange frames;
  int threads = 0;
};

class OverlayVideo final : public FrameObserver {
 public:
  // Opens `stem`.mp4 with H.264, or MPEG-4 where this libavcodec has no encoder for that; without either,
  // `stem`.mkv with FFV1. The file takes its place with commit(). Throws Error{kOutput}.
  OverlayVideo(const std::string& stem, const ObservedVideo& video, const OverlayVideoSettings& settings);
  ~OverlayVideo() override;

  bool wants(int64_t frame) const override { return frames_.contains(frame); }
  // Throws Error{kOutput}.
  void frame(const ScoredFrame& frame) override;
  int64_t written() const { return written_; }

  // Everything but the rename. Without frames there is no file.
  void finish();
  void commit();

 private:
  const FrameRange frames_;
  SnapshotMaker maker_;
  std::unique_ptr<ScoreCurve> curve_;
  std::unique_ptr<VideoFile> file_;
  std::optional<int64_t> first_;
  int64_t written_ = 0;
};

}  // namespace vq::cli
