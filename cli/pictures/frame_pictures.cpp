#include "cli/pictures/frame_pictures.h"

#include <algorithm>
#include <cmath>
#include <future>
#include <mutex>

#include "cli/pictures/overlay.h"
#include "cli/pictures/picture.h"
#include "core/worker_pool.h"

namespace vq::cli {
namespace {

// Colours have no detail that is lost at such a size, and in steps that are not seen.
constexpr int kLayerWidth = 640, kLayerHeight = 360;
constexpr int kLayerStep = 4;  // of Snapshot::local

// The local scores at a size that is enough for a layer, each the mean of those it stands for.
Plane<uint8_t> layer_of(PlaneView<const uint8_t> local) {
  const PlaneSize size = fitted({local.width, local.height}, {kLayerWidth, kLayerHeight});
  Plane<uint8_t> layer(size.width, size.height);
  const auto round = [](double sum) {
    return static_cast<uint8_t>(std::lround(sum / kLayerStep) * kLayerStep);
  };
  shrink_plane<uint8_t>(local, round, layer.view());
  return layer;
}

// Sizes of one shape, as far as whole samples allow.
bool have_one_shape(const PlaneSize& a, const PlaneSize& b) {
  constexpr double kTolerance = 0.01;
  const double ratio = static_cast<double>(a.width) * b.height / (static_cast<double>(b.width) * a.height);
  return std::fabs(ratio - 1) < kTolerance;
}

Still at_size_of(const Still& still, const Still& reference) {
  const bool is_scaled = !reference.empty() && have_one_shape(still.video, reference.video);
  return is_scaled ? scaled_still(still, {reference.width(), reference.height()}) : still;
}

// Those that are drawn and encoded at a time; each takes memory.
constexpr size_t kPicturesAtOnce = 4;

// Of each metric by which the run is not judged.
constexpr size_t kOtherMoments = 2;

size_t other_count(const ObservedVideo& video, size_t other, size_t count) {
  return other < video.judged_others ? count : std::min(count, kOtherMoments);
}

size_t own_finders(const ObservedVideo& video) {
  return video.metric.better == Better::kNeither ? 2 : 1;
}

std::vector<MomentFinder> finders_of(const ObservedVideo& video, size_t count, MomentsOf metrics) {
  std::vector<MomentFinder> finders;
  if (video.metric.better != Better::kNeither) {
    finders.emplace_back(video.metric, count);
  } else {
    for (const Better better : {Better::kHigher, Better::kLower}) {
      MetricInfo sided = video.metric;
      sided.better = better;
      sided.flawless.reset();
      finders.emplace_back(sided, count);
    }
  }
  if (metrics == MomentsOf::kShownMetric) return finders;
  for (size_t i = 0; i < video.others.size(); ++i)
    finders.emplace_back(video.others[i], other_count(video, i, count));
  return finders;
}

}  // namespace

FramePictures::FramePictures(const ObservedVideo& video, size_t count, MomentsOf metrics)
    : maker_(video),
      count_(count),
      own_(own_finders(video)),
      judged_(own_ + (metrics == MomentsOf::kEveryMetric ? video.judged_others : 0)),
      may_begin_scene_(video.may_begin_scene),
      finders_(finders_of(video, count, metrics)) {}

int64_t FramePictures::memory_bytes(const ObservedVideo& video, size_t count, MomentsOf metrics) {
  // Of each finder one that may become a moment, one that is made before another is let go; and those that
  // are drawn.
  const size_t own = own_finders(video);
  size_t shots = 1 + std::min(count, kPicturesAtOnce);
  for (size_t i = 0; i < finders_of(video, count, metrics).size(); ++i)
    shots += 2 + (i < own ? count : other_count(video, i - own, count));
  return SnapshotMaker(video).bytes() * static_cast<int64_t>(shots);
}

bool FramePictures::holds(int64_t frame) const {
  return std::any_of(finders_.begin(), finders_.end(),
                     [&](const MomentFinder& finder) { return finder.holds(frame); });
}

void FramePictures::frame(const ScoredFrame& frame) {
  const bool begins_scene = may_begin_scene_ && last_ >= 0 && may_begin_scene_(last_, frame.picture.index);
  last_ = frame.picture.index;
  bool is_kept = false;
  for (size_t i = 0; i < finders_.size(); ++i) {
    const double score = i < own_ ? frame.score : frame.others[i - own_];
    is_kept = finders_[i].add({frame.picture.index, frame.picture.timestamp, score}, begins_scene) || is_kept;
  }
  if (!is_kept) return;
  std::erase_if(shots_, [&](const auto& shot) { return !holds(shot.first); });
  shots_.emplace(frame.picture.index, maker_.make(frame));
}

std::vector<const Snapshot*> FramePictures::chosen() const {
  std::vector<const Snapshot*> chosen;
  const auto choose = [&](const TimedScore& moment) {
    const Snapshot* const shot = &shots_.at(moment.frame);
    const bool is_new = std::find(chosen.begin(), chosen.end(), shot) == chosen.end();
    if (is_new && chosen.size() < count_) chosen.push_back(shot);
  };
  std::vector<std::vector<TimedScore>> moments;
  for (const MomentFinder& finder : finders_) moments.push_back(finder.worst());
  const auto choose_in_turn = [&](size_t lists) {
    for (size_t rank = 0; rank < count_; ++rank) {
      for (size_t i = 0; i < lists; ++i) {
        if (rank < moments[i].size()) choose(moments[i][rank]);
      }
    }
  };
  choose_in_turn(judged_);
  choose_in_turn(moments.size());
  return chosen;
}

std::vector<FramePicture> FramePictures::pictures(PageQuality quality, int threads,
                                                  const PicturesMade& tell) const {
  const std::vector<const Snapshot*> shots = chosen();
  std::vector<FramePicture> result(shots.size());
  if (shots.empty()) return result;
  if (tell) tell(0, shots.size());
  std::mutex mutex;
  size_t made = 0;
  std::vector<std::future<void>> tasks;
  WorkerPool pool(static_cast<int>(std::min({static_cast<size_t>(threads), kPicturesAtOnce, shots.size()})));
  for (size_t i = 0; i < shots.size(); ++i) {
    tasks.push_back(pool.submit(std::packaged_task<void()>([&, i] {
      result[i] = picture_of(*shots[i], quality);
      const std::lock_guard lock(mutex);
      ++made;
      if (tell) tell(made, shots.size());
    })));
  }
  for (std::future<void>& task : tasks) task.get();
  return result;
}

FramePicture picture_of(const Snapshot& shot, PageQuality quality, ReferencePane pane) {
  const auto encoded = [quality](const Still& still) {
    const RgbImage image = colours_of(still);
    return quality == PageQuality::kLossless ? lossless_picture(image)
                                             : page_picture(image, kPagePictureBytes);
  };
  const Still& reference = shot.reference;
  const Still still = at_size_of(shot.picture, reference);
  FramePicture picture{shot.frame, shot.timestamp, shot.score, encoded(still)};
  if (still.width() != shot.picture.width() || still.height() != shot.picture.height())
    picture.scaled_from = shot.picture.video;
  picture.tone_mapped = tone_mapped_transfer(still.format);
  if (!reference.empty()) {
    if (pane == ReferencePane::kBeside) picture.reference = encoded(reference);
    if (still.width() == reference.width() && still.height() == reference.height()) {
      const Plane<uint8_t> apart = difference_of(still, reference, {kLayerWidth, kLayerHeight});
      picture.difference = page_picture(apart.view(), kDifferenceBytes);
    }
    if (picture.tone_mapped.empty()) picture.tone_mapped = tone_mapped_transfer(reference.format);
  }
  if (shot.local.width() > 0) picture.heat = page_layer(layer_of(shot.local.view()).view(), local_colours());
  picture.histograms = shot.histograms;
  return picture;
}

}  // namespace vq::cli
