// Watches the frame pairs of a run for what is wrong with the pair.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "core/frame.h"
#include "engine/analysis/alignment.h"
#include "engine/analysis/alignment_text.h"
#include "engine/analysis/bars.h"
#include "engine/analysis/pair_fault.h"
#include "engine/analysis/range_finder.h"

namespace vq {

class PairWatch {
 public:
  // `skipped`: the frames that the run skips of each video, for the advice.
  PairWatch(const VideoFormats& formats, const Execution& execution, const Skips& skipped);

  // Every pair, in order.
  void look(const FramePair& pair);
  // The same for a pair that another watch has seen, without its bars.
  void add(int64_t frame, const Signature& reference, const Signature& distorted);
  void add_bars(const BarsSeen& reference, const BarsSeen& distorted);
  // Pairs are passed to this function instead of being compared; bars are still searched.
  using Taker = std::function<void(int64_t frame, const Signature& reference, const Signature& distorted)>;
  void pass_on(Taker taker) { taker_ = std::move(taker); }
  // The signature of the last pair's distorted frame.
  const Signature& distorted() const { return distorted_; }
  BarsSeen reference_bars() const { return reference_bars_.seen(); }
  BarsSeen distorted_bars() const { return distorted_bars_.seen(); }
  // Disables warnings about bars, as the user chose the scored rectangle.
  void ignore_bars() { bars_are_reported_ = true; }
  // Disables warnings about shifts, dropped and repeated frames: pairs were not made by number.
  void ignore_shifts() { ignores_shifts_ = true; }
  // The faults found since the last call. `ended`: no more pairs follow; drops and repeats are reported then.
  std::vector<PairFault> take_faults(bool ended);

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
  int64_t judged_ = 0;  // number of frames at the last judgement
  bool shift_is_reported_ = false, bars_are_reported_ = false, ignores_shifts_ = false;
};

}  // namespace vq
