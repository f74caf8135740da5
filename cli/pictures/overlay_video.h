// A video of the coloured frames with the curve of their scores, through libavcodec and libavformat.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/decoding/ffmpeg_functions.h"
#include "cli/pictures/picture.h"
#include "cli/pictures/picture_files.h"
#include "cli/pictures/picture_tap.h"
#include "cli/pictures/still.h"
#include "cli/system/output_file.h"
#include "core/frame.h"
#include "core/metric.h"

namespace vq::cli {

// The scores of a video as a curve in a strip of a picture, redrawn for each frame.

class ScoreCurve {
 public:
  // `total`: expected number of scores; if unknown, the last ones are shown, one per column.
  ScoreCurve(const MetricInfo& metric, int width, std::optional<int64_t> total);

  void add(double score);
  // Fills the area, which is as wide as the curve: a column per pixel, a line at the noteworthy level, a mark
  // at the newest score.
  void draw(RgbImage& image, const Rectangle& area) const;
  // The score at the upper edge: 1.2 times the noteworthy level, doubled until every score is below it.
  double top() const;

 private:
  size_t column_of(int64_t number) const;

  double first_top() const;
  void draw_noteworthy(RgbImage& image, const Rectangle& area) const;

  const MetricInfo metric_;
  const int width_;
  const std::optional<int64_t> total_;
  std::vector<float> columns_;  // the highest score of each; below 0 if none is known
  int64_t count_ = 0;
  double max_ = 0;
};

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

// Writes pictures as a widely playable video.

struct VideoFileSettings {
  int width = 0, height = 0;  // even
  double frame_rate = kAssumedFrameRate;
  int threads = 0;  // 0: the encoder's choice
};

class VideoFile {
 public:
  // H.264 in BASE.mp4, or MPEG-4 if this libavcodec has no H.264 encoder; without either, FFV1 in BASE.mkv.
  // Throws Error{kOutput}, and Error{kInternal} if libavcodec has no encoder at all.
  VideoFile(const PictureNames& names, const VideoFileSettings& settings);
  ~VideoFile();
  VideoFile(const VideoFile&) = delete;
  VideoFile& operator=(const VideoFile&) = delete;

  // `time`: ascending, in frames of the frame rate from the start.
  void write(const RgbImage& image, int64_t time);
  // Average over the frames that have left the encoder; nothing before the first.
  std::optional<double> bytes_a_frame() const;
  // Flushes the encoder and ends the file. Nothing can be added after that.
  void finish();
  // The file, to be committed as BASE.mp4, or for a run that ended early as BASE.partial.mp4.
  OutputFile* output(const std::string& base, bool partial);

 private:
  struct OutputDeleter {
    void operator()(AVFormatContext* context) const { avformat_free_context(context); }
  };

  void open_encoder(const AVCodec& codec, const VideoFileSettings& settings);
  void open_container(const char* format);
  void encode(const AVFrame* frame);
  void check(int code, const char* doing);
  template <typename Act>
  int guarded(Act act);

  std::string path_, extension_;
  std::unique_ptr<OutputFile> file_;
  std::exception_ptr failure_;  // an exception of the file, passed through C code
  AvPtr<AVIOContext> io_;
  AvPtr<AVCodecContext> encoder_;
  std::unique_ptr<AVFormatContext, OutputDeleter> container_;
  AVRational clock_ = {1, 25};
  int64_t packets_ = 0, packet_bytes_ = 0;
};

}  // namespace vq::cli
