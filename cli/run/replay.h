// Findings of the parts of a run, given to the record and the evaluator of the whole run as if they were
// found now: by parts of other machines, or of other members of this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "cli/run/run_record.h"
#include "core/frame.h"
#include "engine/evaluator.h"
#include "engine/part_findings.h"
#include "engine/report/report.h"

namespace vq::cli {

class Replay {
 public:
  // The record and the evaluator outlive this. `warn` gets each line once, but for those that know() had.
  // Needs: RunContext::takes_results.
  Replay(RunRecord& record, Evaluator& evaluator, std::function<void(const std::string&)> warn)
      : record_(record), evaluator_(evaluator), warn_(std::move(warn)) {}

  // Frames and pairs of a part, or some of them, in order. `Part` has frames(), frame(i), fill(i, results),
  // pairs() and pair(i), as ShardResult has them. `scored` is called after each frame. Throws as
  // RunRecord::judge_pairs() and Evaluator::push().
  template <typename Part>
  void add(
      const Part& part, const std::function<void()>& scored = [] {}) {
    size_t next = 0;
    const auto look_up_to = [&](int64_t frame) {
      for (; next < part.pairs(); ++next) {
        const LookedPair pair = part.pair(next);
        if (pair.frame > frame) return;
        record_.look(pair);
        last_pair_ = pair.frame;
      }
    };
    for (size_t i = 0; i < part.frames(); ++i) {
      const PushedFrame pushed = part.frame(i);
      look_up_to(pushed.frame);
      part.fill(i, results_);
      push(pushed);
      scored();
    }
    look_up_to(std::numeric_limits<int64_t>::max());
  }
  // The other findings of a part, and the facts of its run.
  void add(const PartFindings& found, const RunFacts& run);
  // Warns of what was not said before.
  void warn(const std::string& line) {
    if (told_.insert(line).second) warn_(line);
  }
  void know(const std::vector<std::string>& lines) { told_.insert(lines.begin(), lines.end()); }

  // Sums over all parts so far.
  const BackendReport& sums() const { return sums_; }
  int64_t pairs() const { return pairs_; }
  int64_t frames() const { return frames_; }          // that are reported
  int64_t last_pair() const { return last_pair_; }    // number of its frame, if pairs are watched; -1: none
  int64_t last_frame() const { return pair_.index; }  // that was added
  // How far the videos were read, as the last part has it. `inputs`: of the run.
  RunRecord::ReadVideos read(const std::vector<InputFacts>& inputs, int64_t pairs) const;

 private:
  void push(const PushedFrame& pushed);

  RunRecord& record_;
  Evaluator& evaluator_;
  const std::function<void(const std::string&)> warn_;
  std::set<std::string> told_;
  BackendReport sums_;
  FramePair pair_;
  std::vector<FrameResult> results_;
  int64_t pairs_ = 0, frames_ = 0, last_pair_ = -1;
  ShorterVideo shorter_ = ShorterVideo::kNone;
  std::optional<int64_t> distorted_frames_, reference_frames_;
};

// The words of both lists, each once.
std::string joined_words(std::string all, const std::string& more);

// The inputs of a run up to a later part of it, whose inputs these are: with the decoders of both.
void join_inputs(std::vector<InputFacts>& all, const std::vector<InputFacts>& later);

// The members that scored the run; `frames` is the number that are reported. None without frames.
std::vector<ScoredBy> members_of(const RunFacts& run, int64_t frames);
// Adds the frames that these scored of a later part.
void add_scored_by(std::vector<ScoredBy>& all, const std::vector<ScoredBy>& later);

}  // namespace vq::cli
