// What --heatmaps, --heatmap-format and --heatmap-frames ask for beside a feature's raw files: pictures and a
// video.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/frame_pictures.h"
#include "cli/overlay_video.h"
#include "cli/scorer.h"

namespace vq::cli {

inline constexpr size_t kDefaultWorstPictures = 10;
// A page holds its pictures itself.
inline constexpr size_t kDefaultPagePictures = 6;
inline constexpr SnapshotLimit kPagePictureLimit = {1280, 720};

struct HeatmapWishes {
  enum class Frames { kDefault, kWorst, kAll, kRange };

  bool raw = true, png = false, video = false;
  Frames frames = Frames::kDefault;  // the worst for PNG, all for the others
  FrameRange range;                  // for kRange
  std::optional<size_t> worst;       // how many, for PNG and for a page
  bool page = false;                 // a page wants the worst frames as well

  bool worst_pictures() const { return png && (frames == Frames::kDefault || frames == Frames::kWorst); }
};

// A comma list of gray, png and video. Throws Error{kUsage}.
void parse_heatmap_formats(const std::string& text, HeatmapWishes& wishes);
// worst, all, A-B or a single frame. Throws Error{kUsage}.
void parse_heatmap_frames(const std::string& text, HeatmapWishes& wishes);
// Throws Error{kUsage} where the two do not go together.
void check_heatmap_wishes(const HeatmapWishes& wishes);

// <feature>_overlay_<frame, six digits or more>.png
std::string overlay_file_name(const std::string& feature, int64_t frame);

// Where they go.
struct HeatmapPlace {
  std::string folder;   // is made where it is missing
  std::string feature;  // begins the names
  int threads = 0;      // of encoders
};

class PictureFiles;

class HeatmapOutputs {
 public:
  // Opens what can be opened before the first frame. Throws Error{kOutput}.
  HeatmapOutputs(const HeatmapWishes& wishes, const HeatmapPlace& place, const ObservedVideo& video);
  ~HeatmapOutputs();
  static int64_t memory_bytes(const HeatmapWishes& wishes, const ObservedVideo& video);

  // For the scorer; valid as long as this lives.
  HeatmapTaps taps() const;
  // For a page: the worst frames of what was scored so far. Empty unless wishes.page.
  std::vector<FramePicture> page_pictures() const;
  // Writes what is left, beside its place. Throws Error{kOutput}.
  void finish();
  // Needs: finish(). Puts everything in its place; without it nothing stays. Throws Error{kOutput}.
  void commit();

 private:
  const HeatmapWishes wishes_;
  std::unique_ptr<FramePictures> worst_, page_;
  std::unique_ptr<PictureFiles> files_;
  std::unique_ptr<OverlayVideo> video_;
};

}  // namespace vq::cli
