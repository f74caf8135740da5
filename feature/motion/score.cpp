#include "feature/motion/motion.h"

#include <algorithm>
#include <deque>

namespace vq::motion {
namespace {

double processed(const MotionOptions& options, double motion) {
  const double blended =
      motion * options.blend_factor + (1 - options.blend_factor) * std::min(options.blend_offset, motion);
  return std::min(blended, options.max_value);
}

class MotionSequence final : public FrameSequence {
 public:
  explicit MotionSequence(const MotionOptions& options) : options_(options), gap_(options.gap()) {}

  std::vector<FrameValues> next(const FrameResult& result) override {
    scores_.push_back(result.values.front());
    ++taken_;
    if (taken_ <= gap_) return {};
    std::vector<FrameValues> values;
    if (taken_ == gap_ + 1) values = first_frames(processed(options_, scores_.back()));
    // The frame before the one just taken has what it needs: the next score.
    if (taken_ - 1 > gap_) values.push_back(values_before_last());
    while (static_cast<int>(scores_.size()) > gap_ + 1) scores_.pop_front();
    return values;
  }

  std::vector<FrameValues> finish() override {
    if (taken_ == 0) return {};
    if (taken_ <= gap_) return first_frames(0);
    return {complete(scores_.back(), scores_.back())};
  }

  std::vector<std::optional<double>> at_once(const FrameResult& result, int64_t frame) const override {
    const double score = result.values.front();
    const bool is_alone = frame < gap_ || options_.force_zero;
    const auto motion2 = is_alone ? std::optional(0.0) : std::nullopt;
    const auto motion3 = options_.force_zero ? std::optional(0.0) : std::nullopt;
    if (options_.debug) return {score, score, motion2, motion3};
    return {score, motion2, motion3};
  }

 private:
  // Of those that are compared with none.
  std::vector<FrameValues> first_frames(double motion3) {
    before_ = motion3;
    return std::vector<FrameValues>(static_cast<size_t>(std::min<int64_t>(gap_, taken_)),
                                    values_of(0, 0, motion3));
  }

  FrameValues values_before_last() {
    const size_t last = scores_.size() - 1;
    const int64_t frame = taken_ - 2, back = frame - (gap_ - 1);
    const double after = scores_[last];
    // The score of frame `back`, where that was compared with another.
    const double motion2 = back >= gap_ ? std::min(scores_[last - static_cast<size_t>(gap_)], after) : after;
    return complete(scores_[last - 1], motion2);
  }

  FrameValues complete(double score, double motion2) {
    const double motion3 = processed(options_, motion2);
    const double shown = options_.moving_average ? (motion3 + before_) / 2.0 : motion3;
    before_ = motion3;
    return values_of(score, motion2, shown);
  }

  FrameValues values_of(double score, double motion2, double motion3) const {
    if (options_.debug) return {score, score, motion2, motion3};
    return {score, motion2, motion3};
  }

  const MotionOptions options_;
  const int gap_;
  std::deque<double> scores_;  // of the last frames taken
  int64_t taken_ = 0;
  double before_ = 0;  // motion3 of the last complete frame, not averaged
};

}  // namespace

double pair_score(const MotionOptions& options, uint64_t difference, PlaneSize size) {
  const auto samples = static_cast<double>(int64_t{size.width} * size.height);
  return std::min(static_cast<double>(difference) / 256.0 / samples * options.fps_weight, options.max_value);
}

std::unique_ptr<FrameSequence> make_motion_sequence(const MotionOptions& options) {
  return std::make_unique<MotionSequence>(options);
}

}  // namespace vq::motion
