// One pass over the frames of the inputs with one backend: from paths to a report's data, without writing
// anything but heatmaps.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "cli/pages/page_writer.h"
#include "cli/pictures/map_files.h"
#include "cli/pictures/picture_tap.h"
#include "cli/run/pair_crop.h"
#include "cli/run/pair_reader.h"
#include "cli/run/pair_remarks.h"
#include "cli/run/part_findings.h"
#include "cli/run/run_options.h"
#include "cli/run/run_record.h"
#include "cli/system/messages.h"
#include "core/error.h"
#include "core/repeats.h"
#include "core/worker_pool.h"
#include "engine/backend_choice.h"
#include "engine/evaluator.h"
#include "engine/faster_backend.h"
#include "feature/stage_clock.h"

namespace vq::cli {

class ScoringRun {
 public:
  // Opens the inputs, makes the extractor and checks all that can be known before the first frame. Warnings
  // go to `messages`, which outlives this, and while scoring to the watcher. The reference is `reference`
  // where that is given, and opened here otherwise. Throws Error.
  enum class Reading {
    kWhenScoring,
    kAtOnce
  };  // kAtOnce: frames are decoded while the extractor is being made
  ScoringRun(const RunOptions& arguments, Messages& messages,
             std::unique_ptr<FrameReader> reference = nullptr, Reading reading = Reading::kWhenScoring);

  // Frames that will be scored, as far as the containers tell.
  std::optional<int64_t> expected_frames() const { return reader_->expected_frames(); }

  // Of all features and models, in the order of reports.
  std::vector<Metric> metrics() const;

  // What its models expect of pictures that these are not: said by a run that is not quiet.
  std::vector<std::string> expectations() const;

  // Reads and scores all frames. `scored` is called for each frame in order with its first metric; `warn` for
  // each warning. Ends early on an interrupt. Throws what reading and scoring throw, and
  // Error{kIncomplete} for videos of different lengths and PairFault for frames that are not each other's
  // under --strict; then scored() and report() have the frames before the failing one.
  struct Watcher {
    std::function<void(double score)> scored = [](double) {};
    std::function<void(const std::string& line)> warn;
    std::function<void(const ScoredRow& row)> row = {};      // the same with everything known of the frame
    std::function<void(const std::string& text)> note = {};  // for what may interest meanwhile
  };
  void score(const Watcher& watcher);
  // Of a run that is a part of another: what it finds goes there as well, which outlives it, and nothing is
  // made of it that takes the other parts. To be called before score(). Needs: RunOptions::part, or that all
  // of the run is the part.
  void keep(PartFindings& findings);

  int64_t scored() const { return evaluator_->scored(); }
  Report report() const;
  // What was asked for, with what came of it: features and models that were left to the program, frames to
  // skip.
  const RunOptions& settled() const { return arguments_; }
  // Those of it whose scores are reported.
  std::vector<ModelFacts> models() const;
  // The worst frames scored so far, and the levels of all, where the arguments ask for a page.
  PagePictures page_pictures() const;
  // Paths of the raw heatmaps.
  std::vector<std::string> heatmap_paths() const { return map_files_->heatmap_paths(); }
  // What is to be committed together with the reports: see MapFiles and HeatmapOutputs. `partial`: of a run
  // that ended early.
  std::vector<OutputFile*> raw_heatmaps(bool partial) { return map_files_->heatmap_outputs(partial); }
  std::vector<OutputFile*> histograms(bool partial) { return map_files_->histogram_outputs(partial); }
  std::vector<OutputFile*> pictures(bool partial) { return heatmaps_->outputs(partial); }
  void heatmaps_committed() { heatmaps_->committed(); }

 private:
  class Watched;
  void warn(const std::string& line);
  void settle_alignment();
  void watch_pairs();
  void watch_scenes();
  bool may_begin_scene_in(int64_t after, int64_t frame) const;
  std::optional<OpenedPair> opened_pair() const;
  void check_segment_metrics() const;
  std::optional<double> reference_rate() const;  // frames a second
  void check_declared_lengths() const;
  void remember_pace() const;
  void open_inputs(std::unique_ptr<FrameReader> reference);
  FeatureRequest* shown_feature();
  const FeatureRequest* shown_feature() const;
  VideoFormat describe(const VideoInfo& info) const;
  struct OpenVideos {
    std::unique_ptr<FrameReader> distorted, reference;  // the reference may be null
  };
  void settle(OpenVideos& videos);
  std::vector<std::string> settle_crop(OpenVideos& videos);
  void ask_for_maps();
  Execution execution() const;
  Execution on_open_devices() const;
  void open_devices();
  void settle_speed();
  std::optional<int64_t> frames_expected() const;
  RunContext run_context();
  void place_frames(const std::shared_ptr<FrameStore>& store);
  void leave_device();
  ObservedVideo observed() const;
  HeatmapPlace heatmap_place() const;
  void check_raw_heatmaps() const;
  std::optional<int64_t> raw_heatmap_frames() const;
  void note(const std::string& text) const;
  void check_memory() const;
  void limit_ahead(int64_t bytes) const;

  bool is_lead(const FramePair& pair) const { return arguments_.part && pair.index < arguments_.part->first; }
  void look(const FramePair& pair);
  Signature scene_of(const FramePair& pair) const;
  void complete(const Watcher& watcher);
  void complete_findings();
  void score_frames(const Watcher& watcher);
  void show_scores(const Watcher& watcher);
  void pass_warnings(const Watcher& watcher);
  PaceFacts pace() const;

  // Of the thread that scores; stands still while that does something else.
  StageClock clock_{pace::kOpening};
  RunOptions arguments_;  // with the features and models that were settled, and the frames that --align skips
  Messages& messages_;
  const Watcher* watcher_ = nullptr;  // while scoring
  RunRecord record_;
  const int threads_;
  BackendChoice backend_;
  std::optional<Decision> decision_;  // of an open choice
  bool complete_ = false;
  int64_t shown_ = 0;
  VideoFormats formats_;  // of what is scored, after cropping and scaling
  PairCrop crop_;
  bool uses_reference_ = false;
  RepeatFinder repeats_, reference_repeats_;
  std::unique_ptr<WorkerPool> pool_;
  std::unique_ptr<PairReader> reader_;
  PartFindings* findings_ = nullptr;         // null where nobody keeps them
  signature::CellSums cell_sums_ = nullptr;  // for scenes
  std::vector<int64_t> possible_cuts_;       // before it is known which are
  std::unique_ptr<HeatmapOutputs> heatmaps_;
  std::unique_ptr<MapFiles> map_files_;
  std::unique_ptr<PictureTap> picture_tap_;
  FindingsRecorder recorder_;
  std::unique_ptr<Evaluator> evaluator_;  // goes before the pool it works on
};

}  // namespace vq::cli
