// Frames as PNG files with a coloured overlay of their flaws.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/pictures/picture.h"
#include "cli/pictures/picture_tap.h"
#include "cli/pictures/still.h"
#include "cli/system/output_file.h"
#include "engine/report/scenes.h"

namespace vq::cli {

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

struct ReadLocation {
  std::string folder;
  std::vector<std::string> reserved;  // names in it that other outputs of the run will have
};

// FOLDER/STEM.METRIC, with which the paths begin, or FOLDER/STEM-2.METRIC and so on if that is taken: by a
// reserved name, or by a file without the mark, whatever it is.
std::string picture_base(const ReadLocation& place, const PictureOrigin& origin);

// The first of these, whether it is taken or not.
std::string first_picture_base(const std::string& folder, const PictureOrigin& origin);

// The contents of a picture: a frame with its flaws in colour, the frame as it is, or that of the reference.
enum class PictureKind { kHeatMap, kDistorted, kReference };

// BASE.f000123.png, BASE.f000123.distorted.png or BASE.f000123.reference.png, which stand together if names
// are sorted; six digits or more.
std::string picture_path(const std::string& base, int64_t frame, PictureKind kind = PictureKind::kHeatMap);

class PictureFiles final : public FrameObserver {
 public:
  PictureFiles(const PictureNames& names, const ObservedVideo& video, const FrameRange& frames);

  bool wants(int64_t frame) const override { return frames_.contains(frame); }
  // Throws Error{kOutput}.
  void frame(const ScoredFrame& frame) override;
  // With a reference, also the plain pictures of both videos.
  void add(const Snapshot& shot);
  // All files, to be committed together as BASE.f000123.png, or for a run that ended early as
  // BASE.f000123.partial.png.
  std::vector<OutputFile*> outputs(const std::string& base, bool partial);

 private:
  const PictureNames names_;
  const FrameRange frames_;
  SnapshotMaker maker_;
  void add(int64_t frame, PictureKind kind, const std::string& png);

  struct Written {
    OutputFile file;
    int64_t frame;
    PictureKind kind;
  };
  std::vector<Written> files_;
};

// Keeps the pictures of the worst frames of a run, in bounded memory however long the run is.

// How much space the pictures of a page may take: each some, or as much as it takes without loss.
enum class PageQuality { kSmall, kLossless };

// A frame with pictures on a page.
struct FramePicture {
  int64_t frame;
  std::optional<double> timestamp;
  double score;
  PagePicture picture;
  PagePicture reference = {};   // that of the reference's frame; may be absent
  PagePicture difference = {};  // of the two, amplified; absent without a reference of the same size
  PagePicture heat = {};        // colours to overlay on the picture, of the same size; may be absent
  std::vector<DrawnHistogram> histograms = {};  // by channel; may be empty
  std::string tone_mapped = {};                 // the transfer that was mapped: "PQ", "HLG"
  PlaneSize scaled_from = {};                   // size of the video, if it is shown at the reference's
};

// Maximum bytes of a picture, and of a difference, unless pictures are without loss.
inline constexpr size_t kPagePictureBytes = 140000, kDifferenceBytes = 24000;

// Called with the number of frames whose pictures are made, and of all; first with none. By any thread, one
// at a time.
using PicturesMade = std::function<void(size_t made, size_t all)>;

// Whether the reference has a picture beside each of the video.
enum class ReferencePane { kBeside, kElsewhere };

// All pictures of the snapshot, in colour. A video with the shape of its reference and another size is shown
// at the size of the reference. Throws as encode_png().
FramePicture picture_of(const Snapshot& shot, PageQuality quality,
                        ReferencePane pane = ReferencePane::kBeside);

// The metrics whose moments count.
enum class MomentsOf { kShownMetric, kEveryMetric };

class FramePictures final : public FrameObserver {
 public:
  // Keeps `count` moments: the worst ones of the shown metric, as worst_moments() finds them in the finished
  // report; under kEveryMetric those of it and of each of the judged others in turn, and of each other metric
  // the two worst, if there is room. A metric without a better direction contributes its lowest and its
  // highest moments in turn. Possible scene cuts are known earlier than actual ones; if several are possible
  // and none occurs, a moment of the report may be missing.
  FramePictures(const ObservedVideo& video, size_t count, MomentsOf metrics);
  static int64_t memory_bytes(const ObservedVideo& video, size_t count, MomentsOf metrics);

  void frame(const ScoredFrame& frame) override;
  // The kept frames, the most important first; valid until the next call of frame().
  std::vector<const Snapshot*> chosen() const;
  // Pictures of them, several at a time if there are threads. Throws as encode_png().
  std::vector<FramePicture> pictures(PageQuality quality, int threads = 1,
                                     const PicturesMade& tell = {}) const;

 private:
  bool holds(int64_t frame) const;

  SnapshotMaker maker_;
  const size_t count_;
  // Number of finders of the shown metric, for its worst moments, or for its highest and lowest; and of all
  // judging metrics including it.
  const size_t own_, judged_;
  const std::function<bool(int64_t, int64_t)> may_begin_scene_;
  int64_t last_ = -1;
  std::vector<MomentFinder> finders_;  // its own first, then those of the others
  std::map<int64_t, Snapshot> shots_;  // by frame: those that a finder holds
};

}  // namespace vq::cli
