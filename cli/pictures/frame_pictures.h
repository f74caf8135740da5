// Keeps the pictures of the worst frames of a run, in bounded memory however long the run is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/pictures/image_codec.h"
#include "cli/pictures/picture_tap.h"
#include "cli/pictures/snapshot.h"
#include "engine/report/moments.h"

namespace vq::cli {

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
