// Outputs of --heatmaps, --heatmap-format and --heatmap-frames besides a feature's raw files: pictures and a
// video.
#pragma once

#include "cli/pictures/picture.h"
#include "cli/pictures/picture_tap.h"
#include "cli/pictures/still.h"
#include "cli/system/output_file.h"
#include "core/frame.h"
#include "core/metric.h"
#include "core/worker_pool.h"
#include "engine/evaluator.h"
#include "engine/report/scenes.h"
#include "feature/feature.h"

namespace vq::cli {

// Names of pictures in files.

// The video that they show, and by which metric.
struct PictureOrigin {
  std::string stem;    // of the video's name
  std::string metric;  // with its options
  std::string mark;    // stands in every file: tells this video from others of the same name
};

// `video` is a path, or "-". The mark is made of where the path leads, which it does not tell.
PictureOrigin picture_origin(const std::string& video, const std::string& metric);

// Names of a run's pictures in messages.
struct PictureNames {
  std::string base;  // FOLDER/STEM.METRIC; another one may be chosen when the files take their places
  std::string mark;
};

// FOLDER/STEM.METRIC, with which the paths begin, or FOLDER/STEM-2.METRIC and so on if that is taken: by a
// reserved name, which another output of the run will have, or by a file without the mark, whatever it is.
std::string picture_base(const std::string& folder, const std::vector<std::string>& reserved,
                         const PictureOrigin& origin);

// The contents of a picture: a frame with its flaws in colour, the frame as it is, or that of the reference.
enum class PictureKind { kHeatMap, kDistorted, kReference };

// BASE.f000123.png, BASE.f000123.distorted.png or BASE.f000123.reference.png, which stand together if names
// are sorted; six digits or more.
std::string picture_path(const std::string& base, int64_t frame, PictureKind kind = PictureKind::kHeatMap);

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

  const MetricInfo metric_;
  const int width_;
  const std::optional<int64_t> total_;
  std::vector<float> columns_;  // the highest score of each; below 0 if none is known
  int64_t count_ = 0;
  double max_ = 0;
};

struct OverlayVideoSettings {
  FrameRange frames;
  PlaneSize limit = kSnapshotLimit;  // size limit of the picture; strips below it are added
  int threads = 0;                   // of the encoder; 0: its choice
  // Called once, early in a long video, with the expected file size.
  std::function<void(const std::string&)> tell = {};
};

// Writes the coloured frames with the curve of their scores as a widely playable video.
class OverlayVideo final : public FrameObserver {
 public:
  // H.264 in BASE.mp4, or MPEG-4 if this libavcodec has no H.264 encoder; without either, FFV1 in BASE.mkv.
  // Throws Error{kOutput}, and Error{kUsage} if libavcodec has no encoder at all.
  OverlayVideo(const PictureNames& names, const ObservedVideo& video, const OverlayVideoSettings& settings);
  ~OverlayVideo() override;

  bool wants(int64_t frame) const override { return settings_.frames.contains(frame); }
  // Throws Error{kOutput}.
  void frame(const ScoredFrame& frame) override;
  // Ends the file; nothing can be added after that.
  void finish();
  // The file, to be committed as BASE.mp4, or for a run that ended early as BASE.partial.mp4; null if there
  // were no frames.
  OutputFile* output(const std::string& base, bool partial);

 private:
  class File;
  void estimate();

  const OverlayVideoSettings settings_;
  const std::optional<int64_t> expected_;
  SnapshotMaker maker_;
  ScoreCurve curve_;
  std::unique_ptr<File> file_;
  std::optional<int64_t> first_;
  int64_t written_ = 0;
  double seconds_ = 0;  // spent in this class
};

// The worst frames of a run, which are kept while it scores and become pictures when it has.

// Called with the number of frames whose pictures are made, and of all; first with none. By any thread, one
// at a time.
using PicturesMade = std::function<void(size_t made, size_t all)>;

// The metrics whose moments count.
enum class MomentsOf { kShownMetric, kEveryMetric };

// Keeps the worst frames of a run, in bounded memory however long the run is. Scores say which frames to
// keep: samples of others are not touched. Heatmaps are drawn of the frames that are worst in the end.
class WorstFrames final : public FrameObserver {
 public:
  // Keeps `count` moments: the worst ones of the shown metric, as worst_moments() finds them in the finished
  // report; under kEveryMetric those of it and of each of the judged others in turn, and of each other metric
  // the two worst, if there is room. A metric without a better direction contributes its lowest and its
  // highest moments in turn. Possible scene cuts are known earlier than actual ones; if several are possible
  // and none occurs, a moment of the report may be missing.
  WorstFrames(const ObservedVideo& video, size_t count, MomentsOf metrics);
  static int64_t memory_bytes(const ObservedVideo& video, size_t count, MomentsOf metrics);

  // The samples are copied in threads of this object. Throws what went wrong there with earlier frames.
  void frame(const ScoredFrame& frame) override;
  // The kept frames, the most important first; valid until the next call of frame(). Throws as that and
  // ObservedVideo::draw.
  std::vector<const Snapshot*> chosen();
  // Pictures of them, several at a time if there are threads. Throws as encode_png() and chosen().
  std::vector<FramePicture> pictures(PageQuality quality, int threads = 1, const PicturesMade& tell = {});

 private:
  struct Kept {
    Snapshot shot;
    FramePair frames;  // until its heatmaps are drawn; if there are none, empty
  };
  bool holds(int64_t frame) const;
  void copy(const ScoredFrame& frame, const std::shared_ptr<Kept>& kept);
  void wait_for_copies(size_t most);
  std::vector<Kept*> choose();
  void draw(std::vector<Kept*> chosen) const;

  const SnapshotMaker maker_;
  const std::function<std::vector<FrameResult>(const std::vector<FramePair>&)> draw_;
  const size_t count_;
  // Number of finders of the shown metric, for its worst moments, or for its highest and lowest; and of all
  // judging metrics including it.
  const size_t own_, judged_;
  const std::function<bool(int64_t, int64_t)> may_begin_scene_;
  int64_t last_ = -1;
  std::vector<MomentFinder> finders_;              // its own first, then those of the others
  std::map<int64_t, std::shared_ptr<Kept>> kept_;  // by frame: those that a finder holds
  std::deque<std::future<void>> copies_;           // under way, in the order of frames
  WorkerPool pool_;
};

// What is asked for, and all outputs of a run.

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

  // Whether frames are shown in their colours, for which features need not ask.
  bool shows_colours() const { return png || page; }
  bool worst_pictures() const { return png && (frames == Frames::kDefault || frames == Frames::kWorst); }
  // Whether every frame of a range is drawn with its heatmaps.
  bool draws_range() const { return video || (png && !worst_pictures()); }
  // The frames of raw files, of the video, and of pictures that are not the worst.
  FrameRange shown_range() const { return frames == Frames::kRange ? range : FrameRange(); }
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

class HeatmapOutputs {
 public:
  // Opens what can be opened before the first frame. Throws Error{kOutput}.
  HeatmapOutputs(const HeatmapRequests& requests, const HeatmapPlace& place, const ObservedVideo& video);
  ~HeatmapOutputs();
  static int64_t memory_bytes(const HeatmapRequests& requests, const ObservedVideo& video);

  // To observe the frames; valid as long as this lives.
  std::vector<FrameObserver*> observers() const;
  // For a page: the worst frames of what was scored so far. Empty unless requests.page.
  std::vector<FramePicture> page_pictures(int threads = 1, const PicturesMade& tell = {}) const;
  // Completes the outputs, with names that no file of another video has: to be committed together, before
  // this is destroyed. `partial`: of a run that ended early. Throws Error{kOutput}; nothing is left after
  // that.
  std::vector<OutputFile*> outputs(bool partial);
  // To be called after the commit: keeps the folder even if it is empty.
  void committed();

 private:
  class PictureFiles;
  void complete();
  std::vector<std::string> reserved_names() const;

  const HeatmapRequests requests_;
  HeatmapPlace place_;
  std::unique_ptr<OutputFolder> folder_;
  std::unique_ptr<WorstFrames> worst_, page_;
  std::unique_ptr<PictureFiles> files_;
  std::unique_ptr<OverlayVideo> video_;
  bool complete_ = false, failed_ = false;
};

// Bytes of a frame in all of its raw files together.
int64_t raw_frame_bytes(std::span<const HeatmapInfo> infos);

// Throws Error{kOutput} if the file system of the folder, which may not exist yet, has less than `bytes`
// free. `what` begins the message.
void check_free_space(const std::string& folder, int64_t bytes, const std::string& what);

// Histograms of all frames of a run in one file: .npy, which NumPy loads as an array of 32-bit counts with
// the axes frame, channel and bin, or .csv with a line for each frame and channel. Throws Error{kUsage} for
// any other extension, and for an .npy file that is written in place: its number of frames comes first.
void check_histogram_path(const std::string& path);

// Heatmaps and histograms that a run writes as it proceeds, and levels for pages. Heatmaps are raw files, one
// for each scale, frames one after another, 16-bit little endian.
class MapFiles final : public EvaluationObserver {
 public:
  // Opens temporary files for what the features' options name, and creates folders that do not exist. Needs:
  // check_histogram_path(); the features deliver what is requested. Throws Error{kOutput}, and Error{kUsage}
  // for two features with one folder.
  MapFiles(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
           const HeatmapRequests& requests);
  ~MapFiles() override;

  void found(const FrameScores& scores) override;

  // The files, to be committed together. `partial`: of a run that ended early, named by partial_path();
  // without files that could not be written.
  std::vector<OutputFile*> heatmap_outputs(bool partial);
  std::vector<OutputFile*> histogram_outputs(bool partial);
  // Levels of the first feature that delivers histograms, if a page is requested; otherwise empty.
  std::vector<ChannelLevels> levels() const;

 private:
  class HeatmapFiles;
  class HistogramFile;
  struct Files {
    std::unique_ptr<HeatmapFiles> heatmaps;
    std::unique_ptr<HistogramFile> histograms;
  };

  const FrameRange raw_frames_;
  const std::optional<size_t> histograms_of_;  // the feature whose levels are recorded
  std::vector<Files> files_;                   // of each feature
  std::unique_ptr<LevelRecorder> levels_;
};

}  // namespace vq::cli
