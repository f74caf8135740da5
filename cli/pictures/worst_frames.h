// The worst frames of a run, which are kept while it scores and become pictures when it has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <vector>

#include "cli/pictures/picture_tap.h"
#include "cli/pictures/still.h"
#include "core/worker_pool.h"
#include "engine/report/scenes.h"

namespace vq::cli {

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

}  // namespace vq::cli
