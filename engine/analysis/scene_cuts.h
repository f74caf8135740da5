// Detection of scene cuts.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "engine/analysis/signature.h"

namespace vq {

// Compares the thumbnails of neighbouring frames by their correlation, so that brightness and contrast have
// no effect: lights that go on, flashes and fades keep the picture and are no cuts. The change is the part of
// the thumbnail with more contrast that a linear fit does not explain: 0 (the same picture) to 1 (nothing in
// common). A frame begins a scene if
// - the change is kLeastChange or more,
// - it is kProminence times that of the neighbouring frames; a change below kPlainChange must also exceed
//   that of kReach frames on either side, because pans, dissolves and drawings that move every few frames
//   change repeatedly,
// - and the picture from before the change does not return within kReach frames, as it does after a flash.
// A single frame is no scene. The constants were chosen with 12,000 cuts, dissolves, fades, flashes and shots
// in slow or fast motion from real and synthetic video, some dark or with bars; docs/report.md has the
// results.
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
