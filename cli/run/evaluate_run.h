// Third step of a run: its frames are read, watched and scored.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/pages/page_writer.h"
#include "cli/pictures/heatmap_outputs.h"
#include "cli/pictures/picture_tap.h"
#include "cli/run/open_run.h"
#include "cli/run/run_record.h"
#include "cli/system/messages.h"
#include "core/frame.h"
#include "engine/evaluator.h"
#include "feature/stage_clock.h"

namespace vq::cli {

// Pictures of a run's frames: raw heatmaps, histograms, stills, a video, and the pictures of pages.

// Has the features deliver heatmaps and histograms for the files, pictures and pages that the options ask
// for.
void ask_for_maps(RunOptions& options);

// Facts of the run that are constant over its frames. `may_begin_scene`: see ObservedVideo.
ObservedVideo observed_video(const SettledRun& run,
                             std::function<bool(int64_t after, int64_t frame)> may_begin_scene = {});

// Receivers of the pictures of a run that reports while it goes on.
struct PictureTellers {
  std::function<bool(int64_t after, int64_t frame)> may_begin_scene = {};  // see ObservedVideo
  std::function<void(const std::string& text)> tell;                       // see HeatmapPlace
};

class RunPictures {
 public:
  // Opens the files; the run and the messages outlive this. Notes how large raw heatmaps will be. Throws
  // Error: kOutput, and kUsage for two features with one folder.
  RunPictures(const SettledRun& run, PictureTellers tellers, Messages& messages);

  // To be observers of the evaluator, which then is to be attached.
  std::vector<EvaluationObserver*> observers() { return {&map_files_, &tap_}; }
  void attach(const Evaluator& evaluator) { tap_.attach(evaluator); }

  // The worst frames so far and the levels of all frames, if the options ask for a page.
  PagePictures page_pictures(const PicturesMade& tell = {}) const;
  // Paths of the raw heatmaps.
  std::vector<std::string> heatmap_paths() const { return map_files_.heatmap_paths(); }
  // Files to commit together with the reports: see MapFiles and HeatmapOutputs. `partial`: for a run that
  // ended early.
  std::vector<OutputFile*> raw_heatmaps(bool partial) { return map_files_.heatmap_outputs(partial); }
  std::vector<OutputFile*> histograms(bool partial) { return map_files_.histogram_outputs(partial); }
  std::vector<OutputFile*> pictures(bool partial) { return heatmaps_.outputs(partial); }
  // All of them, complete.
  std::vector<OutputFile*> files();
  // To be called when they are.
  void committed() { heatmaps_.committed(); }

 private:
  const int threads_;
  const ObservedVideo video_;
  HeatmapOutputs heatmaps_;
  MapFiles map_files_;
  PictureTap tap_;
};

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
