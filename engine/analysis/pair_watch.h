// Watches the frame pairs of a run for what is wrong with a pair, and for scene cuts; matches pictures.
#pragma once

#include <set>

#include "core/frame.h"
#include "engine/analysis/alignment.h"
#include "engine/analysis/pair_fault.h"
#include "engine/analysis/picture_format.h"
#include "engine/analysis/signature.h"

namespace vq {

// Tells from thumbnails whether two videos show the same pictures. docs/pairs.md has the rule and how sure it
// is.

// Relation of the pictures of one video to those of the other.
enum class PictureRelation {
  kUnknown,     // too little is shown to tell
  kAlike,       // perhaps some frames later or earlier
  kOther,       // nothing of the kind, or another moment of one place
  kMirrored,    // left and right are exchanged
  kUpsideDown,  // top and bottom are exchanged
  kTurned,      // both, which is a turn by 180 degrees
  kNegative,    // dark and light are exchanged
};

struct PicturePairSignatures {
  Signature reference, distorted;
};

// The relation of consecutive pairs, whose frames may be up to `window` frames apart.
PictureRelation relation_of(std::span<const PicturePairSignatures> pairs, int window);

// Judges a pair of videos by stretches of frames.
class PictureMatch {
 public:
  static constexpr size_t kStretch = 240, kFirstLook = 60;  // pairs

  // Pairs in order; `frame` is the number of both.
  void add(int64_t frame, const Signature& reference, const Signature& distorted);
  // No more pairs follow.
  void finish();

  // Stretches of neighbours that have one relation.
  struct Stretch {
    int64_t first = 0, last = 0;  // numbers of frames, both inclusive
    int64_t pairs = 0;
    PictureRelation relation = PictureRelation::kUnknown;
  };
  const std::vector<Stretch>& stretches() const { return stretches_; }
  // The relation of most pairs that tell anything, among those seen so far.
  PictureRelation relation() const;

 private:
  void close();

  int64_t first_ = 0, last_ = 0;  // of those kept
  std::vector<PicturePairSignatures> kept_;
  std::vector<Stretch> stretches_;
  PictureRelation at_first_look_ = PictureRelation::kUnknown;
};

class PairWatch {
 public:
  // `skipped`: the frames that the run skips of each video, for the advice.
  PairWatch(const VideoFormats& formats, const Execution& execution, const Skips& skipped);

  // `pairs`: their approximate number in a run that a certain fault ends. Dropped and repeated frames are
  // then reported as soon as there are too many; else at the end.
  void expect(int64_t pairs) { expected_ = pairs; }
  // Disables warnings about bars, as the user chose the scored rectangle.
  void ignore_bars() { ignores_bars_ = true; }
  // Disables warnings about shifts, dropped and repeated frames: pairs were not made by number.
  void ignore_shifts() { ignores_shifts_ = true; }

  // Every pair, in order.
  void look(const FramePair& pair);
  // The same for a pair that another watch has seen; its bars are added before.
  void add(int64_t frame, const Signature& reference, const Signature& distorted);
  void add_bars(const std::vector<LookedBars>& looked);
  // Pairs are passed to this function as well.
  using Taker = std::function<void(int64_t frame, const Signature& reference, const Signature& distorted)>;
  void pass_on(Taker taker) { taker_ = std::move(taker); }
  // The signature of the last pair's distorted frame.
  const Signature& distorted() const { return distorted_; }
  const std::vector<LookedBars>& looked_bars() const { return looked_bars_; }

  // The faults found since the last call, which do not depend on when it is called. `ended`: no more pairs
  // follow.
  std::vector<PairFault> take_faults(bool ended);

 private:
  void judge(bool ended);
  void judge_pictures();
  void judge_parts();
  void judge_shifts(const Alignment& alignment, bool ended);
  void judge_range(bool ended);
  void judge_bars(bool ended);
  void report(PairFault fault);
  bool is_reported(PairFaultKind kind) const { return reported_.contains(kind); }
  std::string distorted_name() const;
  std::string reference_name() const;
  Diagnostic shift_warning(const Alignment& alignment) const;
  std::string range_warning(bool distorted_is_fuller) const;

  const VideoFormats formats_;
  const Skips skipped_;
  const signature::CellSums cell_sums_;
  AlignmentFinder finder_;
  RangeFinder ranges_;
  PictureMatch pictures_;
  Taker taker_;
  Signature distorted_;
  BarFinder reference_bars_, distorted_bars_;
  std::vector<LookedBars> looked_bars_;
  std::deque<LookedBars> later_bars_;  // of another watch, until their frames come
  std::optional<int64_t> expected_;
  int64_t pairs_ = 0, searched_ = 0;  // searched_: frames at the last judgement
  bool ignores_bars_ = false, ignores_shifts_ = false;
  std::set<PairFaultKind> reported_;
  bool have_certain_bars_ = false;
  bool are_other_pictures_ = false;  // so that nothing else is of interest
  std::vector<PairFault> faults_;
};

// Detection of scene cuts.

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
