// A run of which slices are drawn and scored, in an order that its content decides, until the thresholds are
// decided with the confidence that was asked for (docs/certainty.md).
#pragma once

#include "cli/run/run_cuts.h"
#include "cli/run/scoring_run.h"
#include "cli/system/messages.h"
#include "engine/certainty.h"
#include "engine/report/report.h"
#include "engine/report/sampled.h"

namespace vq::cli {

// For runs that share a reader: a thread for each calls work(run), then leave(run), which leaves the reader.
// Throws std::system_error if a thread cannot be started, once those that did start are done.
template <typename Work, typename Leave>
void on_threads(size_t runs, const Work& work, const Leave& leave) {
  std::vector<std::jthread> threads;
  try {
    for (size_t i = 0; i < runs; ++i) {
      threads.emplace_back([&, i] {
        work(i);
        leave(i);
      });
    }
  } catch (const std::exception&) {  // those that did start need not wait for the others
    for (size_t i = threads.size(); i < runs; ++i) leave(i);
    throw;
  }
}

struct ScoredSlice {
  Report rows;         // of its frames: frames, timestamps, metrics and texts
  PartFindings found;  // what is of single frames
};

// Scores slices of a run by themselves: what it reports of each frame is what the whole run would, to the
// last bit.
class SliceScorer {
 public:
  // `asked` are the options of the whole run, and `run` what was settled of it; all arguments outlive this.
  // Needs: the run can be cut, and sequence_reach() of its features.
  SliceScorer(const RunOptions& asked, const SettledRun& run, const RunCuts& cuts);

  // Scores these slices, which ascend and do not overlap. Fewer if it is stopped. Throws as ScoringRun.
  std::vector<ScoredSlice> score(std::span<const FrameSpan> slices);
  // The same of several runs that have the same frames, features and reference, which is decoded once.
  // `group` may be null. Throws as ScoringRun.
  static std::vector<std::vector<ScoredSlice>> score_all(std::span<SliceScorer* const> scorers,
                                                         std::span<const FrameSpan> slices,
                                                         const std::shared_ptr<ScoringGroup>& group);
  // What is found of these frames, which ascend, with the facts of the run. Throws as ScoringRun.
  // `reported`: as in RunPart.
  RangeFindings found_in(std::span<const FrameSpan> frames, std::span<const FrameSpan> reported = {});
  // The frames that score() of these would decode, of the video of which it decodes more. Needs: a slice.
  int64_t decoded_for(std::span<const FrameSpan> slices) const;
  const SequenceReach& reach() const { return reach_; }
  // Pictures of the distorted video that were decoded so far.
  int64_t decoded() const { return decoded_; }
  // The findings of slices that belong to no single frame. They may be taken.
  std::vector<RangeFindings>& seen() { return seen_; }

 private:
  struct Part;
  std::unique_ptr<Part> open(RunPart frames, std::span<const FrameSpan> reported) const;
  RangeFindings found_in(Part& part);
  int64_t decoded_by(const RunPart& part, Role role) const;
  std::vector<FrameSpan> spans_of(std::span<const FrameSpan> slices) const;
  std::vector<ScoredSlice> slices_of(RangeFindings all, std::span<const FrameSpan> slices);
  FrameSpan with_reach(const FrameSpan& slice) const;
  Report rows(const PartFindings& findings, size_t& next, const FrameSpan& slice) const;

  const SettledRun& run_;
  const RunCuts& cuts_;
  const SequenceReach reach_;
  RunOptions options_;
  int64_t decoded_ = 0;
  std::vector<RangeFindings> seen_;
};

class SampledRun {
 public:
  // Reads the packets of both videos. All arguments outlive this; of `whole` nothing is read. `claims`: that
  // share the risk; by default those of the run. Needs: RunOptions::confidence. Throws as index_stream().
  SampledRun(const RunOptions& options, const ScoringRun& whole, Messages& messages,
             std::optional<int64_t> claims = {});

  // Draws until all is answered, or else has `whole` score all frames, with what is scored already. It is
  // `whole` of the constructor. Throws as ScoringRun::score().
  void answer(ScoringRun& whole, const RunWatcher& watcher);
  // Makes the report of a run without frames that of this one, or adds to that of the whole run what there is
  // to say of its confidence.
  void complete(Report& report) const;

  // Why all frames are to be scored; empty if a sample may do. score() may find a reason as well.
  const std::string& whole() const { return whole_; }
  // Draws and scores until all is answered, or whole() has a reason why it cannot be. Needs: whole() is
  // empty. Throws as ScoringRun::score(), but for what is wrong with a video, which only the whole run can
  // say.
  void score(const RunWatcher& watcher);

  // For those who draw for several runs at once. Needs: whole() is empty.

  SliceScorer& scorer() { return *scorer_; }
  int64_t first_frame() const { return cuts_->first(); }
  int64_t frames() const { return frames_; }
  const std::vector<size_t>& order() const { return order_; }
  FrameSpan slice(size_t place) const;
  const std::vector<ScoreEnds>& ranges() const { return ranges_; }
  Certainty& certainty() { return *certainty_; }
  // Counts the next slice in the order of drawing.
  void add(ScoredSlice slice, int64_t frames);
  // Warns of what the whole run would, as far as it was seen.
  void warn();
  // Makes the report of a run without frames that of the slices that count.
  void take_sample(Report& report) const;

 private:
  // Whether what was scored is of use for the whole run.
  bool has_scored() const { return is_readable_ && certainty_ && certainty_->slices() > 0; }
  std::string reason_for_whole();
  void find_order();
  void find_groups();
  std::vector<FrameSpan> to_score(std::span<const size_t> drawn) const;
  bool draw(int64_t count, const RunWatcher& watcher);
  bool is_over();
  void find_next();
  std::optional<RangeFindings> next_findings();
  CertaintyFacts facts() const;

  const RunOptions& options_;
  const SettledRun& run_;
  const RunOptions of_parts_;
  Messages& messages_;
  const std::vector<Metric> metrics_;
  const std::vector<ScoreEnds> ranges_;
  SampledRequest request_;
  std::string whole_;
  bool is_readable_ = true;  // all slices so far
  std::optional<StreamIndex> distorted_, reference_;
  std::unique_ptr<RunCuts> cuts_;
  std::unique_ptr<SliceScorer> scorer_;
  const std::optional<int64_t> claims_;
  uint64_t seed_ = 0;
  std::vector<size_t> order_;
  std::optional<Certainty> certainty_;
  int64_t frames_ = 0, next_look_ = 0;
  double seconds_ = 0;               // until all was answered
  int64_t next_frame_ = 0;           // that is not in the next
  std::deque<RangeFindings> ready_;  // of all frames, once they are scored
  // Slices by their first frames: those that count, and those that were scored and not yet drawn.
  std::map<int64_t, ScoredSlice> scored_, ahead_;
  // A group has the slices from a key frame up to a later one; the first place of each.
  std::vector<size_t> groups_ = {0};
  int64_t decoded_for_slices_ = 0, most_for_slices_ = 0;  // before whole groups are scored, each once
  bool reads_groups_ = false;
};

}  // namespace vq::cli
