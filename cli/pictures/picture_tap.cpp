#include "cli/pictures/picture_tap.h"

#include <algorithm>
#include <utility>

#include "cli/pictures/shown_metrics.h"
#include "core/copy_plane.h"
#include "core/frame_memory.h"

namespace vq::cli {

PictureTap::PictureTap(const std::vector<FeatureRequest>& features, const std::vector<ModelOfRun>& models,
                       std::vector<FrameObserver*> observers)
    : observers_(std::move(observers)),
      shown_(shown_metric(features, models)),
      others_(other_metrics(features, models).places),
      histograms_of_(histogram_feature(features)) {}

void PictureTap::pushed(const FramePair& frames, int64_t row) {
  const auto wants = [&](const FrameObserver* observer) { return observer->wants(frames.distorted.index); };
  if (std::none_of(observers_.begin(), observers_.end(), wants)) return;
  WantedPicture& wanted = pictures_.emplace_back();
  wanted.frame = frames.index;
  wanted.row = row;
  wanted.distorted = frames.distorted;
  wanted.reference = frames.reference;
}

void PictureTap::counted(const FrameScores* scores, int64_t rows) {
  while (!pictures_.empty() && pictures_.front().row < rows && pictures_.front().is_delivered) {
    show(pictures_.front(), pictures_.front().heatmaps, pictures_.front().histograms);
    pictures_.pop_front();
  }
  if (scores != nullptr) take(*scores, rows);
}

// The frame that has just been delivered; where its values come later, copies of what else observers want of
// it are kept.
void PictureTap::take(const FrameScores& scores, int64_t rows) {
  const auto is_it = [&](const WantedPicture& wanted) { return wanted.frame == scores.frame; };
  const auto wanted = std::find_if(pictures_.begin(), pictures_.end(), is_it);
  if (wanted == pictures_.end()) return;
  std::span<const Plane<uint16_t>> heatmaps;
  if (shown_.feature < scores.results.size()) heatmaps = scores.results[shown_.feature].heatmaps;
  std::span<const std::vector<uint32_t>> histograms;
  if (histograms_of_) histograms = scores.results[*histograms_of_].histograms;
  if (wanted->row < rows) {
    show(*wanted, heatmaps, histograms);
    pictures_.erase(wanted);
    return;
  }
  for (const Plane<uint16_t>& map : heatmaps) wanted->heatmaps.push_back(copy_plane(map.view()));
  wanted->histograms.assign(histograms.begin(), histograms.end());
  wanted->is_delivered = true;
}

void PictureTap::show(const WantedPicture& wanted, std::span<const Plane<uint16_t>> heatmaps,
                      std::span<const std::vector<uint32_t>> histograms) {
  const Frame distorted = on_host(wanted.distorted);
  const std::optional<Frame> reference =
      wanted.reference ? std::optional(on_host(*wanted.reference)) : std::nullopt;
  ScoredFrame frame = {distorted, evaluator_->value_at(shown_, wanted.row), heatmaps, histograms};
  if (reference) frame.reference = &*reference;
  std::vector<double> others;
  for (const MetricPlace& place : others_) others.push_back(evaluator_->value_at(place, wanted.row));
  frame.others = others;
  for (FrameObserver* observer : observers_) {
    if (observer->wants(wanted.frame)) observer->frame(frame);
  }
}

}  // namespace vq::cli
