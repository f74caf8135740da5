// Outputs of --heatmaps, --heatmap-format and --heatmap-frames besides a feature's raw files: pictures and a
// video.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
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
#include "engine/evaluator.h"
#include "feature/feature.h"

namespace vq::cli {

// A video of the coloured frames with the curve of their scores, through libavcodec and libavformat.

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

inline constexpr size_t kDefaultWorstPictures = 10;
// Pictures are embedded in a page, so there are few.
inline constexpr size_t kDefaultPagePictures = 6;

struct HeatmapRequests {
  enum class Frames { kDefault, kWorst, kAll, kRange };

  bool raw = true, png = false, video = false;  // as set by a feature's own option
  Frames frames = Frames::kDefault;             // the worst for PNG, all for the others
  FrameRange range;                             // for kRange
  std::optional<size_t> worst;                  // number of frames for PNG and for a page
  std::optional<PlaneSize> video_size;          // size limit of the video's picture
  bool page = false;                            // a page also needs the worst frames
  std::optional<PageQuality> page_quality;      // none: kSmall

  // Whether frames and their heatmaps are used for anything but raw files.
  bool shows_frames() const { return png || video || page; }
  // Whether frames are shown in their colours, for which features need not ask.
  bool shows_colours() const { return png || page; }
  bool worst_pictures() const { return png && (frames == Frames::kDefault || frames == Frames::kWorst); }
};

// A comma list of gray, png and video. Throws Error{kUsage}.
void parse_heatmap_formats(const std::string& text, HeatmapRequests& requests);
// worst, all, A-B or a single frame. Throws Error{kUsage}.
void parse_heatmap_frames(const std::string& text, HeatmapRequests& requests);
// WIDTH, or WIDTHxHEIGHT. Throws Error{kUsage}.
void parse_heatmap_video_size(const std::string& text, HeatmapRequests& requests);
// Throws Error{kUsage} for contradictory requests.
void check_heatmap_requests(const HeatmapRequests& requests);

// Destination and names.
struct HeatmapPlace {
  std::string folder;  // created if it does not exist
  PictureOrigin origin;
  std::vector<std::string> other_outputs;             // paths of the run's other outputs
  int threads = 0;                                    // of encoders
  std::function<void(const std::string&)> tell = {};  // see OverlayVideoSettings
};

class OutputFile;
class OutputFolder;
class PictureFiles;

class HeatmapOutputs {
 public:
  // Opens what can be opened before the first frame. Throws Error{kOutput}.
  HeatmapOutputs(const HeatmapRequests& requests, const HeatmapPlace& place, const ObservedVideo& video);
  ~HeatmapOutputs();
  static int64_t memory_bytes(const HeatmapRequests& requests, const ObservedVideo& video);

  // For the scorer; valid as long as this lives.
  HeatmapTaps taps() const;
  // For a page: the worst frames of what was scored so far. Empty unless requests.page.
  std::vector<FramePicture> page_pictures(int threads = 1, const PicturesMade& tell = {}) const;
  // Completes the outputs, with names that no file of another video has: to be committed together, before
  // this is destroyed. `partial`: of a run that ended early. Throws Error{kOutput}; nothing is left after
  // that.
  std::vector<OutputFile*> outputs(bool partial);
  // To be called after the commit: keeps the folder even if it is empty.
  void committed();

 private:
  void complete();
  std::vector<std::string> reserved_names() const;

  const HeatmapRequests requests_;
  HeatmapPlace place_;
  std::unique_ptr<OutputFolder> folder_;
  std::unique_ptr<FramePictures> worst_, page_;
  std::unique_ptr<PictureFiles> files_;
  std::unique_ptr<OverlayVideo> video_;
  bool complete_ = false, failed_ = false;
};

// Heatmaps of a run as raw files, one for each scale, frames one after another, 16-bit little endian.

class HeatmapFiles {
 public:
  // Creates the folder if it does not exist and opens a temporary file for each scale. Throws Error{kOutput}.
  HeatmapFiles(const std::string& folder, std::string_view feature, std::span<const HeatmapInfo> infos);

  const std::vector<std::string>& paths() const { return paths_; }
  // The scales of each frame in order.
  void write(int scale, PlaneView<const uint16_t> map);
  // The files, to be committed together.
  std::vector<OutputFile*> outputs();
  // The same for a run that ended early, named by partial_path(). None if writing failed.
  std::vector<OutputFile*> partial_outputs();

 private:
  OutputFolder folder_;
  std::vector<std::string> paths_;
  std::vector<OutputFile> files_;  // by scale
  std::vector<char> buffer_;
  bool is_whole_ = true;  // all files end with the same frame
};

// Bytes of a frame in all of the files together.
int64_t raw_frame_bytes(std::span<const HeatmapInfo> infos);

// Throws Error{kOutput} if the file system of the folder, which may not exist yet, has less than `bytes`
// free. `what` begins the message.
void check_free_space(const std::string& folder, int64_t bytes, const std::string& what);

// Heatmaps and histograms that a run writes as it proceeds: raw files, and levels for pages.

class MapFiles final : public EvaluationObserver {
 public:
  // Opens the files that the features' options name. Needs: the features deliver what files and taps need.
  // Throws as HeatmapFiles and HistogramFile, and Error{kUsage} for two features with one folder.
  MapFiles(const std::vector<FeatureRequest>& features, const VideoFormats& formats, const HeatmapTaps& taps);

  void found(const FrameScores& scores) override;

  // Paths of the raw heatmaps.
  std::vector<std::string> heatmap_paths() const;
  // The files, to be committed together: see HeatmapFiles and HistogramFile. `partial`: of a run that ended
  // early.
  std::vector<OutputFile*> heatmap_outputs(bool partial);
  std::vector<OutputFile*> histogram_outputs(bool partial);
  // Levels of the first feature that delivers histograms, if the taps request them; otherwise empty.
  std::vector<ChannelLevels> levels() const;

 private:
  struct Files {
    std::unique_ptr<HeatmapFiles> heatmaps;
    std::unique_ptr<HistogramFile> histograms;
  };
  void open_heatmaps(const FeatureRequest& feature, const VideoFormats& formats, Files& files);

  const FrameRange raw_frames_;
  const std::optional<size_t> histograms_of_;  // the feature whose levels are recorded
  std::vector<Files> files_;                   // of each feature
  std::vector<std::string> folders_;
  std::unique_ptr<LevelRecorder> levels_;
};

}  // namespace vq::cli
