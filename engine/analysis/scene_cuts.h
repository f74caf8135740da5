// Detection of scene cuts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/analysis/signature.h"

namespace vq {

// Compares the thumbnails of neighbouring frames by their correlation, so that neither brightness nor
// contrast counts: lights that go on, flashes and fades keep the picture and are no cuts. What no straight
// line explains of the thumbnail with more contrast is the change: 0 (the same picture) to 1 (nothing in
// common). A frame begins a scene where
// - the change is kLeastChange or more,
// - it is kProminence times that of the frames beside it; a weaker one than kPlainChange also that of kReach
// frames on
//   either side, for pans, dissolves and drawings that move every few frames change again and again,
// - and the picture from before the change does not come back within kReach frames, as it does after a flash.
// A single frame is no scene. The figures were chosen with 12,000 cuts, dissolves, fades, flashes and slowed
// or hastened shots of real and made video, some dark or with bars; docs/report.md says what became of them.
class SceneCutFinder {
 public:
  static constexpr double kLeastChange = 0.45, kPlainChange = 0.7;
  static constexpr double kProminence = 2;
  static constexpr size_t kReach = 5;  // frames
  // Minimum contrast of a meaningful picture, in the unit of Signature: one level of limited 8-bit video,
  // about the noise in a cell of small video.
  static constexpr double kLeastContrast = 16;

  // Frames in order, each once.
  void add(int64_t number, const Signature& signature);

  // Numbers of the frames so far that begin a scene, ascending; never the first frame. The last frames are
  // judged without those that follow.
  std::vector<int64_t> cuts() const;
  // Whether the last frame may begin a scene, before any later frame is known.
  bool may_be_cut() const;

 private:
  // A thumbnail without its mean.
  struct Pattern {
    int64_t number = 0;
    std::array<double, kSignatureCells> levels = {};
    double contrast = 0;  // standard deviation
  };

  static double difference(const Pattern& a, const Pattern& b);
  double change(size_t position) const;
  bool stands_out(size_t position, double change) const;
  bool comes_back(size_t position) const;
  bool is_cut(size_t position) const;

  std::deque<Pattern> kept_;
  size_t judged_ = 1;  // index in kept_ up to which frames are judged
  std::vector<int64_t> cuts_;
};

}  // namespace vq
