// Keeps the pictures of the worst frames of a run, in bounded memory however long the run is.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/frame_observer.h"
#include "cli/snapshot.h"

namespace vq::cli {

// A frame that can be looked at: the bytes of PNG files, empty where absent.
struct FramePicture {
  int64_t frame;
  std::optional<double> timestamp;
  double score;
  std::string thumbnail_png;  // coloured, without a legend
  std::string plain_png;      // grey
  std::string overlay_png;    // coloured, with a legend; as large as the plain one
};

// Which pictures to make of each frame.
struct PictureKinds {
  bool thumbnail = true, plain = true, overlay = true;
};

class FramePictures final : public FrameObserver {
 public:
  // Keeps the `count` worst moments: the worst frame of a second, at least a second apart, and never one of
  // score 0. Where two seconds in a row are bad, which frame stands for the better one may differ from
  // the summary's choice.
  FramePictures(const ObservedVideo& video, size_t count, const SnapshotLimit& limit = {});
  static int64_t memory_bytes(const ObservedVideo& video, size_t count);

  void frame(const ScoredFrame& frame) override;
  // Pictures of the frames kept, worst first.
  std::vector<FramePicture> pictures(const PictureKinds& kinds = {}) const;

 private:
  int64_t second_of(const Frame& frame) const;
  bool same_moment(const Snapshot& a, const Snapshot& b) const;
  std::vector<const Snapshot*> chosen() const;

  SnapshotMaker maker_;
  const size_t count_;
  const double frame_rate_;
  std::map<int64_t, Snapshot> worst_;  // by second, at most kCandidates * count_ of them
};

}  // namespace vq::cli
