#include "cli/pictures/heatmap_outputs.h"

#include "core/frame.h"

namespace vq::cli {

// Pictures drawn and encoded at a time, two of a frame; each takes memory.
constexpr size_t kPicturesAtOnce = 8;

// Frames whose samples are being copied, of which decoders may have to wait for the memory; and the threads
// that copy, two because one would be none (see WorkerPool).
constexpr size_t kMostCopies = 4;
constexpr int kCopyingThreads = 2;

// The frame as it was scored: the still, if that is as large.
static Frame whole(const Frame& frame, const Still& still) {
  const bool is_shrunk = still.width() < still.video.width || still.height() < still.video.height;
  Frame whole = is_shrunk ? on_host(frame) : still.frame;
  whole.repeated_planes = 0;
  return whole;
}

// Moments shown for each metric by which the run is not judged.
constexpr size_t kOtherMoments = 2;

static size_t other_count(const ObservedVideo& video, size_t other, size_t count) {
  return other < video.judged_others ? count : std::min(count, kOtherMoments);
}

static size_t own_finders(const ObservedVideo& video) {
  return video.metric.better == Better::kNeither ? 2 : 1;
}

static std::vector<MomentFinder> finders_of(const ObservedVideo& video, size_t count, MomentsOf metrics) {
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

WorstFrames::WorstFrames(const ObservedVideo& video, size_t count, MomentsOf metrics)
    : maker_(video),
      draw_(video.draw),
      count_(count),
      own_(own_finders(video)),
      judged_(own_ + (metrics == MomentsOf::kEveryMetric ? video.judged_others : 0)),
      may_begin_scene_(video.may_begin_scene),
      finders_(finders_of(video, count, metrics)),
      pool_(kCopyingThreads) {}

int64_t WorstFrames::memory_bytes(const ObservedVideo& video, size_t count, MomentsOf metrics) {
  // Each finder holds the frame that may become a moment, and makes another before that one is released; the
  // rest are being drawn.
  const size_t own = own_finders(video);
  size_t shots = 1 + std::min(count, kPicturesAtOnce / 2);
  for (size_t i = 0; i < finders_of(video, count, metrics).size(); ++i)
    shots += 2 + (i < own ? count : other_count(video, i - own, count));
  const SnapshotMaker maker(video);
  int64_t each = maker.bytes();
  // Whole frames wait for their heatmaps.
  const auto add_whole = [&](const VideoFormat& format) {
    const PlaneSize size = {format.width, format.height};
    if (size != fitted(size, kSnapshotLimit)) each += still_bytes(format, size);
  };
  if (video.draw) add_whole(video.format);
  if (video.draw && video.reference) add_whole(*video.reference);
  return each * static_cast<int64_t>(shots) + video.drawing_bytes;
}

bool WorstFrames::holds(int64_t frame) const {
  return std::ranges::any_of(finders_, [&](const MomentFinder& finder) { return finder.holds(frame); });
}

void WorstFrames::frame(const ScoredFrame& frame) {
  const bool begins_scene = may_begin_scene_ && last_ >= 0 && may_begin_scene_(last_, frame.picture.index);
  last_ = frame.picture.index;
  bool is_kept = false;
  for (size_t i = 0; i < finders_.size(); ++i) {
    const double score = i < own_ ? frame.score : frame.others[i - own_];
    is_kept = finders_[i].add({frame.picture.index, frame.picture.timestamp, score}, begins_scene) || is_kept;
  }
  if (!is_kept) return;
  std::erase_if(kept_, [&](const auto& kept) { return !holds(kept.first); });
  copy(frame, kept_.emplace(frame.picture.index, std::make_shared<Kept>()).first->second);
}

// A frame that a worse one has replaced meanwhile is not copied any more.
void WorstFrames::copy(const ScoredFrame& frame, const std::shared_ptr<Kept>& kept) {
  wait_for_copies(kMostCopies - 1);
  const auto make = [this, weak = std::weak_ptr(kept), picture = frame.picture, score = frame.score,
                     histograms =
                         std::vector<std::vector<uint32_t>>(frame.histograms.begin(), frame.histograms.end()),
                     reference =
                         frame.reference != nullptr ? std::optional(*frame.reference) : std::nullopt] {
    const std::shared_ptr<Kept> its = weak.lock();
    if (!its) return;
    its->shot = maker_.make({.picture = picture,
                             .score = score,
                             .heatmaps = {},
                             .histograms = histograms,
                             .reference = reference ? &*reference : nullptr});
    if (!draw_) return;
    its->frames = {.distorted = whole(picture, its->shot.picture), .reference = {}, .index = picture.index};
    if (reference && !its->shot.reference.empty())
      its->frames.reference = whole(*reference, its->shot.reference);
  };
  copies_.push_back(pool_.submit(std::packaged_task<void()>(make)));
}

void WorstFrames::wait_for_copies(size_t most) {
  while (copies_.size() > most) take_first(copies_)->get();
}

// Without frames that a failed device has kept.
std::vector<WorstFrames::Kept*> WorstFrames::choose() {
  wait_for_copies(0);
  std::vector<Kept*> chosen;
  const auto choose = [&](const TimedScore& moment) {
    Kept* const kept = kept_.at(moment.frame).get();
    const bool is_new = !contains(chosen, kept);
    if (is_new && chosen.size() < count_ && !kept->shot.picture.empty()) chosen.push_back(kept);
  };
  const std::vector<std::vector<TimedScore>> moments = mapped(finders_, &MomentFinder::worst);
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

// The heatmaps of those that have none yet.
void WorstFrames::draw(std::vector<Kept*> chosen) const {
  std::erase_if(chosen, [](const Kept* kept) { return kept->frames.distorted.luma().empty(); });
  if (chosen.empty()) return;
  std::ranges::sort(chosen, [](const Kept* a, const Kept* b) { return a->shot.frame < b->shot.frame; });
  const auto results = draw_(mapped(chosen, [](const Kept* kept) { return kept->frames; }));
  for (size_t i = 0; i < chosen.size(); ++i) {
    maker_.add_local(results[i].heatmaps, chosen[i]->shot);
    chosen[i]->frames = {};
  }
}

std::vector<const Snapshot*> WorstFrames::chosen() {
  const std::vector<Kept*> chosen = choose();
  draw(chosen);
  return mapped(chosen, [](const Kept* kept) { return &kept->shot; });
}

std::vector<FramePicture> WorstFrames::pictures(PageQuality quality, int threads, const PicturesMade& tell) {
  const std::vector<Kept*> chosen = choose();
  const size_t all = chosen.size();
  std::vector<FramePicture> result(all);
  if (all == 0) return result;
  if (tell) tell(0, all);
  draw(chosen);
  std::vector<PagePicture> references(all);
  std::mutex mutex;
  size_t made = 0;
  std::vector<std::future<void>> tasks;
  WorkerPool pool(static_cast<int>(std::min({static_cast<size_t>(threads), kPicturesAtOnce, 2 * all})));
  for (size_t i = 0; i < all; ++i) {
    const Snapshot& shot = chosen[i]->shot;
    if (!shot.reference.empty()) {
      tasks.push_back(pool.submit(std::packaged_task<void()>(
          [&shot, &picture = references[i], quality] { picture = picture_of(shot.reference, quality); })));
    }
    tasks.push_back(pool.submit(std::packaged_task<void()>([&, i] {
      result[i] = picture_of(chosen[i]->shot, quality);
      const std::lock_guard lock(mutex);
      ++made;
      if (tell) tell(made, all);
    })));
  }
  for (std::future<void>& task : tasks) task.get();
  for (size_t i = 0; i < all; ++i) result[i].reference = std::move(references[i]);
  return result;
}

}  // namespace vq::cli
