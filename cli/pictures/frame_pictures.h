// Keeps the pictures of the worst frames of a run, in bounded memory however long the run is.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "cli/pictures/image_codec.h"
#include "cli/pictures/picture_tap.h"
#include "cli/pictures/snapshot.h"
#include "engine/report/moments.h"

namespace vq::cli {

// A frame that can be looked at on a page.
struct FramePicture {
  int64_t frame;
  std::optional<double> timestamp;
  double score;
  PagePicture picture;         // its luma
  PagePicture reference = {};  // that of the reference's frame; may be absent
  PagePicture heat = {};       // colours to be laid over the picture, and as large; may be absent
  std::vector<DrawnHistogram> histograms = {};  // by channel; may be empty
};

// Most bytes of a picture that shows luma.
inline constexpr size_t kPagePictureBytes = 140000;

// All that the snapshot has. Throws as encode_png().
FramePicture picture_of(const Snapshot& shot);

// Whose moments count.
enum class MomentsOf { kShownMetric, kEveryMetric };

class FramePictures final : public FrameObserver {
 public:
  // Keeps `count` moments: the worst ones of the metric that is shown, as worst_moments() finds them in the
  // finished report; under kEveryMetric those of it and of each of the judged others in turn, and of each
  // other metric the two worst, if there is room. A metric without a worse side gives its lowest and its
  // highest moments in turn. Where a scene may begin is known before it is known whether one does; where
  // several may and none does, a moment of the report may be missing.
  FramePictures(const ObservedVideo& video, size_t count, MomentsOf metrics);
  static int64_t memory_bytes(const ObservedVideo& video, size_t count, MomentsOf metrics);

  void frame(const ScoredFrame& frame) override;
  // The frames kept, the most important first; valid until the next call of frame().
  std::vector<const Snapshot*> chosen() const;
  // Pictures of them.
  std::vector<FramePicture> pictures() const;

 private:
  bool holds(int64_t frame) const;

  SnapshotMaker maker_;
  const size_t count_;
  // Finders of the metric that is shown, for its worst moments, or for its highest and its lowest; and of all
  // that the run is judged by, these included.
  const size_t own_, judged_;
  const std::function<bool(int64_t, int64_t)> may_begin_scene_;
  int64_t last_ = -1;
  std::vector<MomentFinder> finders_;  // the others' behind its own
  std::map<int64_t, Snapshot> shots_;  // by frame: those that a finder holds
};

}  // namespace vq::cli
