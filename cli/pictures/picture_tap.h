// Passes a run's pictures to observers, each with its scores, heatmaps and histograms.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <vector>

#include "cli/pictures/frame_observer.h"
#include "engine/evaluator.h"

namespace vq::cli {

class PictureTap final : public EvaluationObserver {
 public:
  // Observers outlive this.
  PictureTap(const std::vector<FeatureRequest>& features, const std::vector<ModelOfRun>& models,
             std::vector<FrameObserver*> observers);
  // The observed evaluator. To be called before it scores.
  void attach(const Evaluator& evaluator) { evaluator_ = &evaluator; }

  void pushed(const FramePair& frames, int64_t row) override;
  void counted(const FrameScores* scores, int64_t rows) override;

 private:
  // A frame that an observer wants, until its row is complete.
  struct WantedPicture {
    int64_t frame = 0;
    int64_t row = 0;
    bool is_delivered = false;  // and the members below belong to it
    Frame distorted;
    std::optional<Frame> reference;
    std::vector<Plane<uint16_t>> heatmaps;
    std::vector<std::vector<uint32_t>> histograms;
  };
  void take(const FrameScores& scores, int64_t rows);
  void show(const WantedPicture& wanted, std::span<const Plane<uint16_t>> heatmaps,
            std::span<const std::vector<uint32_t>> histograms);

  const std::vector<FrameObserver*> observers_;
  const MetricPlace shown_;  // the metric that observers see
  const std::vector<MetricPlace> others_;
  const std::optional<size_t> histograms_of_;  // the feature whose histograms they see
  const Evaluator* evaluator_ = nullptr;
  std::deque<WantedPicture> pictures_;  // in order
};

}  // namespace vq::cli
