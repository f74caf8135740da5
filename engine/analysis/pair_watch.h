// Watches the pairs of a run, and tells where they do not belong together.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/frame.h"
#include "engine/analysis/alignment.h"
#include "engine/analysis/alignment_text.h"
#include "engine/analysis/bars.h"
#include "engine/analysis/range_finder.h"
#include "engine/diagnostic.h"

namespace vq {

struct PairWarning {
  Diagnostic diagnostic;
  bool is_fault =
      false;  // frames are compared with others than their own, so scores that compare them are wrong
};

class PairWatch {
 public:
  // `skipped` is what the run leaves out of either video, for the advice.
  PairWatch(const VideoFormats& formats, const Execution& execution, const Skips& skipped);

  // Every pair, in order.
  void look(const FramePair& pair);
  // The same for what somebody else saw of it, beside its bars.
  void add(int64_t frame, const Signature& reference, const Signature& distorted);
  void add_bars(const BarsSeen& reference, const BarsSeen& distorted);
  // Pairs go there instead of being compared; bars are looked for all the same.
  using Taker = std::function<void(int64_t frame, const Signature& reference, const Signature& distorted)>;
  void pass_on(Taker taker) { taker_ = std::move(taker); }
  // Of the pair that was looked at last.
  const Signature& distorted() const { return distorted_; }
  BarsSeen reference_bars() const { return reference_bars_.seen(); }
  BarsSeen distorted_bars() const { return distorted_bars_.seen(); }
  // A part of the pictures is scored that was chosen, with bars or without.
  void ignore_bars() { bars_are_reported_ = true; }
  // What was found since the last call. `ended`: there are no more pairs; then drops and repeats
  // are told.
  std::vector<PairWarning> take_warnings(bool ended);

 private:
  Diagnostic shift_warning(const Alignment& alignment) const;
  Diagnostic uneven_warning(const Alignment& alignment) const;
  std::string range_warning() const;

  const VideoFormats formats_;
  const Skips skipped_;
  const signature::CellSums cell_sums_;
  AlignmentFinder finder_;
  RangeFinder ranges_;
  Taker taker_;
  Signature distorted_;
  BarFinder reference_bars_, distorted_bars_;
  int64_t judged_ = 0;  // frames that the last judgement knew of
  bool shift_is_reported_ = false, bars_are_reported_ = false;
};

}  // namespace vq
