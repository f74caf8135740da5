// Pictures of DKL light through the pyramid, and the masked difference of two, as rows come: no plane of a
// level is stored. For one thread, one pair after another.
#pragma once

#include "feature/cvvdp/cvvdp.h"

namespace vq::cvvdp {

// A picture's levels, of which rows of the finest come in order. It keeps the latest rows of each, and the
// whole base band.
class Pyramid {
 public:
  // The plan outlives this. Throws std::bad_alloc.
  Pyramid(const Stages& stages, const Plan& plan);

  // Begins a picture that has this number of channels. Call it before the first row.
  void start(size_t channels);
  size_t channels() const { return channels_; }
  // Where the next row of the finest level is to be written.
  Rows<float> next();
  // After it is written. Calls take(level, y) for each row of a layer that is complete with it, in order
  // within its level.
  template <typename Take>
  void push(const Take& take) {
    advance(0, take);
  }
  // After the last row, for every level but the base band in order: the same for the layer's last rows.
  template <typename Take>
  void finish(size_t level, const Take& take);

  // A row of a layer: that of the level, and what the next level makes of it; these until the next call.
  const float* row(size_t level, size_t channel, int y) const;
  const float* expanded(size_t level, size_t channel, int y);
  PlaneView<const float> base(size_t channel) const { return base_[channel].view(); }

 private:
  // A row that completes another is two behind, and its layer two more.
  static constexpr int kRows = 6;
  struct Kept {
    Plane<float> rows;  // kRows of each channel
    int pushed = 0;     // rows so far
    int layers = 0;     // rows of the layer so far
  };

  float* kept_row(size_t level, size_t channel, int y) {
    return kept_[level].rows.row(static_cast<int>(channel) * kRows + y % kRows);
  }
  int height(size_t level) const { return plan_.levels[level].size.height; }
  void reduce(size_t level);
  void keep_base();
  template <typename Take>
  void advance(size_t level, const Take& take);
  template <typename Take>
  void reduce_and_take(size_t level, const Take& take);

  const Stages stages_;
  const Plan& plan_;
  size_t channels_ = kChannels;
  std::vector<Kept> kept_;
  std::array<Plane<float>, kChannels> base_;
  Plane<float> scratch_;
};

// The reference: contrasts of its layers times the eye's sensitivity, which follows from its light.
class ReferencePicture {
 public:
  ReferencePicture(const Stages& stages, const Plan& plan);

  void start(size_t channels) { pyramid_.start(channels); }
  Rows<float> next() { return pyramid_.next(); }
  void push();
  void finish(size_t level);

  // The latest rows, as many as a finished level has at once.
  const float* contrast(size_t level, size_t channel, int y) const { return row(level, channel, y); }
  const float* sensitivity(size_t level, size_t channel, int y) const {
    return row(level, kChannels + channel, y);
  }
  const Pyramid& pyramid() const { return pyramid_; }

 private:
  static constexpr int kRows = 8;
  const float* row(size_t level, size_t which, int y) const {
    return layers_[level].row(static_cast<int>(which) * kRows + y % kRows);
  }
  void take(size_t level, int y);

  const Stages stages_;
  const Plan& plan_;
  Pyramid pyramid_;
  std::vector<Plane<float>> layers_;  // of each level kRows rows of contrasts and of sensitivities
  Plane<float> background_;
};

// A picture that is compared with it.
class DistortedPicture {
 public:
  // The reference outlives this. `with_differences`: keep those of all samples.
  DistortedPicture(const Stages& stages, const Plan& plan, const ReferencePicture& reference,
                   bool with_differences);

  // All as those of the reference, which is one step ahead: each call follows that of the reference.
  void start(size_t channels);
  Rows<float> next() { return pyramid_.next(); }
  void push();
  void finish(size_t level);

  // After all levels are finished: the sums of all, the base band's among them.
  std::vector<LevelSums> sums() const;
  // The masked differences of a level, all but the base band; and those of that.
  PlaneView<const float> differences(size_t level, size_t channel) const {
    return differences_[level][channel].view();
  }
  std::array<Plane<float>, kChannels> base_differences() const;

 private:
  static constexpr int kBlurRows = 16, kDifferenceRows = 8;
  struct Masked {
    Plane<float> blurred, differences;         // latest rows of each channel
    std::array<Plane<float>, kChannels> sums;  // light::kTile / 2 rows
    std::array<std::vector<float>, kChannels> tiles;
  };

  float* blurred_row(size_t level, size_t channel, int y) {
    return masked_[level].blurred.row(static_cast<int>(channel) * kBlurRows + y % kBlurRows);
  }
  float* difference_row(size_t level, size_t channel, int y) {
    return masked_[level].differences.row(static_cast<int>(channel) * kDifferenceRows + y % kDifferenceRows);
  }
  void take(size_t level, int y);
  void mask(size_t level, int y);
  void fold(size_t level, int used_rows);

  const Stages stages_;
  const Plan& plan_;
  const ReferencePicture& reference_;
  Pyramid pyramid_;
  std::vector<Masked> masked_;
  std::vector<std::array<Plane<float>, kChannels>> differences_;
  Plane<float> rows_;  // the background, contrasts and what is common
};

// |T - R| * S of a channel's base band, T and R contrasts to each picture's mean light.
std::array<Plane<float>, kChannels> base_differences(
    const Plan& plan, size_t channels, const std::array<PlaneView<const float>, kChannels>& distorted,
    const std::array<PlaneView<const float>, kChannels>& reference);
// Their sums; 0 for an empty plane.
LevelSums base_sums(const Plan& plan, const std::array<Plane<float>, kChannels>& differences);

// A sample of a heatmap times this is a number of JOD.
inline constexpr double kJodPerLevel = 1.0 / 4096;
// What each sample of a frame loses, from the differences of all levels, the base band's last. `is_still`: of
// three channels.
Plane<uint16_t> difference_map(const Plan& plan, bool is_still,
                               std::span<const std::array<PlaneView<const float>, kChannels>> differences);

}  // namespace vq::cvvdp
