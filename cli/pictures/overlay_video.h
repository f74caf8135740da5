// A video of the coloured frames with the curve of their scores, through libavcodec and libavformat.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "cli/pictures/picture_files.h"
#include "cli/pictures/picture_tap.h"
#include "cli/pictures/score_curve.h"
#include "cli/pictures/snapshot.h"

namespace vq::cli {

class OutputFile;
class VideoFile;

struct OverlayVideoSettings {
  FrameRange frames;
  PlaneSize limit = kSnapshotLimit;  // size limit of the picture; strips below it are added
  int threads = 0;                   // of the encoder
  // Called once, early in a long video, with the expected file size.
  std::function<void(const std::string&)> tell = {};
};

class OverlayVideo final : public FrameObserver {
 public:
  // Throws as VideoFile.
  OverlayVideo(const PictureNames& names, const ObservedVideo& video, const OverlayVideoSettings& settings);
  ~OverlayVideo() override;

  bool wants(int64_t frame) const override { return settings_.frames.contains(frame); }
  // Throws Error{kOutput}.
  void frame(const ScoredFrame& frame) override;
  int64_t written() const { return written_; }

  // See VideoFile. Without frames there is no file.
  void finish();
  OutputFile* output(const std::string& base, bool partial);

 private:
  void estimate();

  const OverlayVideoSettings settings_;
  const std::optional<int64_t> expected_;
  SnapshotMaker maker_;
  std::unique_ptr<ScoreCurve> curve_;
  std::unique_ptr<VideoFile> file_;
  std::optional<int64_t> first_;
  int64_t written_ = 0;
  double seconds_ = 0;  // spent in this class
};

}  // namespace vq::cli
