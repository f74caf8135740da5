#include "cli/frame_pictures.h"

#include <algorithm>
#include <cmath>

#include "cli/overlay.h"

namespace vq::cli {
namespace {

// Seconds kept for every moment wanted: of two neighbours only one becomes a moment.
constexpr size_t kCandidates = 2;
constexpr int kThumbnailWidth = 320;
constexpr double kMomentSeconds = 1;

double time_of(int64_t frame, const std::optional<double>& timestamp, double frame_rate) {
  if (timestamp && std::isfinite(*timestamp) && std::fabs(*timestamp) < 1e15) return *timestamp;
  return static_cast<double>(frame) / frame_rate;
}

}  // namespace

FramePictures::FramePictures(const ObservedVideo& video, size_t count, const SnapshotLimit& limit)
    : maker_(video, limit), count_(count), frame_rate_(video.frame_rate.value_or(kAssumedFrameRate)) {}

int64_t FramePictures::memory_bytes(const ObservedVideo& video, size_t count) {
  // One more is made before another is let go, and one is drawn in colour.
  return SnapshotMaker(video).bytes() * static_cast<int64_t>(kCandidates * count + 4);
}

int64_t FramePictures::second_of(const Frame& frame) const {
  return static_cast<int64_t>(std::floor(time_of(frame.index, frame.timestamp, frame_rate_)));
}

bool FramePictures::same_moment(const Snapshot& a, const Snapshot& b) const {
  return std::fabs(time_of(a.frame, a.timestamp, frame_rate_) - time_of(b.frame, b.timestamp, frame_rate_)) <
         kMomentSeconds;
}

void FramePictures::frame(const ScoredFrame& frame) {
  if (count_ == 0 || !(frame.score > 0)) return;
  const int64_t second = second_of(frame.picture);
  const auto own = worst_.find(second);
  if (own != worst_.end()) {
    if (frame.score > own->second.score) own->second = maker_.make(frame);
    return;
  }
  if (worst_.size() == kCandidates * count_) {
    const auto mildest = std::min_element(worst_.begin(), worst_.end(), [](const auto& a, const auto& b) {
      return a.second.score < b.second.score;
    });
    if (frame.score <= mildest->second.score) return;
    worst_.erase(mildest);
  }
  worst_.emplace(second, maker_.make(frame));
}

std::vector<const Snapshot*> FramePictures::chosen() const {
  std::vector<const Snapshot*> all, picked;
  for (const auto& [second, shot] : worst_) all.push_back(&shot);
  std::stable_sort(all.begin(), all.end(),
                   [](const Snapshot* a, const Snapshot* b) { return a->score > b->score; });
  for (const Snapshot* shot : all) {
    const auto is_near = [&](const Snapshot* other) { return same_moment(*shot, *other); };
    if (picked.size() < count_ && std::none_of(picked.begin(), picked.end(), is_near)) picked.push_back(shot);
  }
  return picked;
}

std::vector<FramePicture> FramePictures::pictures(const PictureKinds& kinds) const {
  std::vector<FramePicture> result;
  for (const Snapshot* shot : chosen()) {
    FramePicture picture{shot->frame, shot->timestamp, shot->score, {}, {}, {}};
    if (kinds.thumbnail) picture.thumbnail_png = encode_png(render_thumbnail(*shot, kThumbnailWidth));
    if (kinds.plain) picture.plain_png = encode_png(render_plain(*shot));
    if (kinds.overlay) picture.overlay_png = encode_png(render_overlay(*shot));
    result.push_back(std::move(picture));
  }
  return result;
}

}  // namespace vq::cli
