// Third step of a run: its frames are read, watched and scored.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/run/open_run.h"
#include "cli/run/run_pictures.h"
#include "cli/run/run_record.h"
#include "core/frame.h"
#include "engine/evaluator.h"
#include "feature/stage_clock.h"

namespace vq::cli {

// Functions that are called while a run scores.
struct RunWatcher {
  std::function<void(double score)> scored = [](double) {};  // each frame in order, with its leading metric
  std::function<void(const ScoredRow& row)> row = {};        // the same with everything known of the frame
  std::function<void(const std::string& text)> note = {};    // for what may interest meanwhile
};

// kAtOnce: frames are decoded while the extractor is being made.
enum class Reading { kWhenScoring, kAtOnce };

class RunEvaluation {
 public:
  // Makes the extractor, and opens what is written while scoring. All outlive this; the clock is of the
  // thread that scores. Throws as Evaluator and RunPictures.
  // `reopen`: the same run once more, without devices and their decoders.
  RunEvaluation(SettledRun& run, StageClock& clock, Messages& messages, Reading reading,
                std::function<SettledRun()> reopen);

  // See ScoringRun.
  void score(const RunWatcher& watcher);
  void keep(PartFindings& findings, std::function<void()> judge_beginning);

  bool is_complete() const { return is_complete_; }
  const Evaluator& evaluator() const { return evaluator_; }
  const RunRecord& record() const { return record_; }
  RunPictures& pictures() { return pictures_; }
  PaceFacts pace() const;

 private:
  class Watched;
  RunContext context();
  void read_again(FramePair& pair);
  void place_frames(const std::shared_ptr<FrameStore>& store);
  void leave_device();
  void score_frames(const RunWatcher& watcher);
  void show_scores(const RunWatcher& watcher);
  void pass_warnings();
  void complete();

  // The videos as they are read once more; see read_again().
  struct Again {
    SettledRun run;
    PreviousFrames before;
  };

  SettledRun& run_;
  const std::function<SettledRun()> reopen_;
  std::optional<Again> again_;
  StageClock& clock_;
  Messages& messages_;
  const RunRecord::Warn warn_ = [this](const std::string& line) { messages_.warn(line); };
  const RunWatcher* watcher_ = nullptr;  // while scoring
  RunRecord record_;
  PartFindings* findings_ = nullptr;  // null: nobody keeps them
  FindingsRecorder recorder_;
  RunPictures pictures_;
  RepeatFinder repeats_, reference_repeats_;
  Evaluator evaluator_;
  int64_t shown_ = 0;
  bool is_complete_ = false;
};

}  // namespace vq::cli
