#include "cli/pictures/frame_pictures.h"

#include "cli/pictures/overlay.h"

namespace vq::cli {
namespace {

constexpr int kThumbnailWidth = 320;

}  // namespace

FramePictures::FramePictures(const ObservedVideo& video, size_t count, const SnapshotLimit& limit)
    : maker_(video, limit), moments_(video.metric, count) {}

int64_t FramePictures::memory_bytes(const ObservedVideo& video, size_t count) {
  // One that may become a moment, one that is made before another is let go, and one that is drawn in colour.
  return SnapshotMaker(video).bytes() * static_cast<int64_t>(count + 4);
}

void FramePictures::frame(const ScoredFrame& frame) {
  if (!moments_.add({frame.picture.index, frame.picture.timestamp, frame.score})) return;
  std::erase_if(shots_, [&](const auto& shot) { return !moments_.holds(shot.first); });
  shots_.emplace(frame.picture.index, maker_.make(frame));
}

std::vector<const Snapshot*> FramePictures::chosen() const {
  std::vector<const Snapshot*> chosen;
  for (const TimedScore& moment : moments_.worst()) chosen.push_back(&shots_.at(moment.frame));
  return chosen;
}

std::vector<FramePicture> FramePictures::pictures(const PictureKinds& kinds) const {
  std::vector<FramePicture> result;
  for (const Snapshot* shot : chosen()) {
    FramePicture picture{shot->frame, shot->timestamp, shot->score, {}, {}, {}, shot->histograms};
    if (kinds.thumbnail) picture.thumbnail_png = encode_png(render_thumbnail(*shot, kThumbnailWidth));
    if (kinds.plain) picture.plain_png = encode_png(render_plain(*shot));
    if (kinds.overlay) picture.overlay_png = encode_png(render_overlay(*shot));
    result.push_back(std::move(picture));
  }
  return result;
}

}  // namespace vq::cli
