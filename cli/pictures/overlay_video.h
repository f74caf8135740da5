// A video of the coloured frames with the curve of their scores, through libavcodec and libavformat.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cli/pictures/frame_observer.h"
#include "cli/pictures/picture_names.h"
#include "cli/pictures/score_curve.h"
#include "cli/pictures/snapshot.h"

namespace vq::cli {

class HiddenFolder;
class OutputFile;
class VideoFile;

// Which frames, and how many threads encode them.
struct OverlayVideoSettings {
  FrameRange frames;
  int threads = 0;
};

class OverlayVideo final : public FrameObserver {
 public:
  // Throws as VideoFile.
  OverlayVideo(HiddenFolder& hidden, const PictureNames& names, const ObservedVideo& video,
               const OverlayVideoSettings& settings);
  ~OverlayVideo() override;

  bool wants(int64_t frame) const override { return frames_.contains(frame); }
  // Throws Error{kOutput}.
  void frame(const ScoredFrame& frame) override;
  int64_t written() const { return written_; }

  // See VideoFile. Without frames there is no file.
  void finish();
  OutputFile* output(const std::string& base, bool partial);

 private:
  const FrameRange frames_;
  SnapshotMaker maker_;
  std::unique_ptr<ScoreCurve> curve_;
  std::unique_ptr<VideoFile> file_;
  std::optional<int64_t> first_;
  int64_t written_ = 0;
};

}  // namespace vq::cli
