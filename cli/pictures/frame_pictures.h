// Keeps the pictures of the worst frames of a run, in bounded memory however long the run is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/pictures/frame_observer.h"
#include "cli/pictures/snapshot.h"
#include "core/moments.h"

namespace vq::cli {

// A frame that can be looked at: the bytes of PNG files, empty where absent.
struct FramePicture {
  int64_t frame;
  std::optional<double> timestamp;
  double score;
  std::string thumbnail_png;  // coloured, without a legend
  std::string plain_png;      // grey
  std::string overlay_png;    // coloured, with a legend; as large as the plain one
  std::vector<DrawnHistogram> histograms = {};  // by channel; may be empty
};

// Which pictures to make of each frame.
struct PictureKinds {
  bool thumbnail = true, plain = true, overlay = true;
};

class FramePictures final : public FrameObserver {
 public:
  // Keeps the `count` worst moments: those that worst_moments() finds in the finished report.
  FramePictures(const ObservedVideo& video, size_t count, const SnapshotLimit& limit = {});
  static int64_t memory_bytes(const ObservedVideo& video, size_t count);

  void frame(const ScoredFrame& frame) override;
  // The frames kept, worst first; valid until the next call of frame().
  std::vector<const Snapshot*> chosen() const;
  // Pictures of them.
  std::vector<FramePicture> pictures(const PictureKinds& kinds = {}) const;

 private:
  SnapshotMaker maker_;
  MomentFinder moments_;
  std::map<int64_t, Snapshot> shots_;  // by frame: those that the finder holds
};

}  // namespace vq::cli
