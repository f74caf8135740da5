// What --heatmaps, --heatmap-format and --heatmap-frames ask for beside a feature's raw files: pictures and a
// video.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/pictures/frame_pictures.h"
#include "cli/pictures/overlay_video.h"
#include "cli/pictures/picture_files.h"
#include "cli/pictures/picture_tap.h"

namespace vq::cli {

inline constexpr size_t kDefaultWorstPictures = 10;
// A page holds its pictures itself.
inline constexpr size_t kDefaultPagePictures = 6;

struct HeatmapRequests {
  enum class Frames { kDefault, kWorst, kAll, kRange };

  bool raw = true, png = false, video = false;  // as a feature's own option has it
  Frames frames = Frames::kDefault;             // the worst for PNG, all for the others
  FrameRange range;                             // for kRange
  std::optional<size_t> worst;                  // how many, for PNG and for a page
  std::optional<PlaneSize> video_size;          // that its picture is shrunk to
  bool page = false;                            // a page wants the worst frames as well

  // Whether somebody looks at frames and their heatmaps, beside what raw files have.
  bool shows_frames() const { return png || video || page; }
  bool worst_pictures() const { return png && (frames == Frames::kDefault || frames == Frames::kWorst); }
};

// A comma list of gray, png and video. Throws Error{kUsage}.
void parse_heatmap_formats(const std::string& text, HeatmapRequests& requests);
// worst, all, A-B or a single frame. Throws Error{kUsage}.
void parse_heatmap_frames(const std::string& text, HeatmapRequests& requests);
// WIDTH, or WIDTHxHEIGHT. Throws Error{kUsage}.
void parse_heatmap_video_size(const std::string& text, HeatmapRequests& requests);
// Throws Error{kUsage} where they do not go together.
void check_heatmap_requests(const HeatmapRequests& requests);

// Where they go, and what they are called.
struct HeatmapPlace {
  std::string folder;  // is made where it is missing
  PictureOrigin origin;
  std::vector<std::string> other_outputs;             // paths that the run writes besides
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
  std::vector<FramePicture> page_pictures() const;
  // Completes what there is, and gives it names that no file of another video has: to be committed together,
  // before this goes. `partial`: of a run that ended early. Throws Error{kOutput}; after that nothing is
  // left.
  std::vector<OutputFile*> outputs(bool partial);
  // To be called when they are committed: the folder stays even if nothing is in it.
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

}  // namespace vq::cli
