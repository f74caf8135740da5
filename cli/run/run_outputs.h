// Outputs of a scoring run: reports, pages, heatmaps, histograms and pictures.
#pragma once

#include "cli/inputs/run_options.h"
#include "cli/pages/page_writer.h"
#include "cli/pictures/picture_tap.h"
#include "cli/run/open_run.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "core/number_text.h"
#include "engine/evaluator.h"
#include "engine/report/report.h"

namespace vq::cli {

// Checks that are possible before the inputs are opened. Throws as check_outputs(), and Error{kUsage} for
// flags that would have no effect on the outputs there are.
void check_run_outputs(const RunOptions& arguments);

// Has the features deliver heatmaps and histograms for the files, pictures and pages that the options ask
// for.
void ask_for_maps(RunOptions& options);

// Facts of the run that are constant over its frames. `may_begin_scene`: see ObservedVideo.
ObservedVideo observed_video(const SettledRun& run,
                             std::function<bool(int64_t after, int64_t frame)> may_begin_scene = {});

// Receivers of the pictures of a run that reports while it goes on.
struct PictureTellers {
  std::function<bool(int64_t after, int64_t frame)> may_begin_scene = {};  // see ObservedVideo
  std::function<void(const std::string& text)> tell = {};                  // see HeatmapPlace
};

// Writes the report of a video in all forms that are asked for, and the pictures of its frames: raw heatmaps,
// histograms, stills, a video, and the pictures of pages.
class RunOutputs {
 public:
  // For a report of which scores are all that is known. All references outlive this.
  RunOutputs(const RunOptions& arguments, Messages& messages);
  // Opens the files of pictures, and notes how large raw heatmaps will be. Throws Error: kOutput, and kUsage
  // for two features with one folder, for a raw heatmap that is the same file as an input or another output,
  // or an output that is the folder of the heatmaps.
  RunOutputs(const SettledRun& run, Messages& messages, PictureTellers tellers);
  ~RunOutputs();

  // To be observers of the evaluator, which then is to be attached. Needs: a run.
  std::vector<EvaluationObserver*> observers();
  void attach(const Evaluator& evaluator);
  // Called as pictures of pages are made.
  void on_picture(PicturesMade made) { picture_made_ = std::move(made); }

  // Whether there is anything besides what goes to standard output by itself.
  bool any() const;
  // Everything with these files beside it, or nothing; see commit_outputs(). Throws Error{kOutput}; then
  // write_partial() can still be called.
  void write(const Report& report, std::vector<OutputText> others = {});
  // Saves what a run has that ended early, or whose outputs could not be written, in partial files, and
  // returns their names. Never throws: a warning says what is lost.
  std::vector<std::string> write_partial(const Report& report);
  // The names of the files that were written, or kept, as of written_lines().
  std::vector<std::string> take_lines() { return std::exchange(lines_, {}); }

 private:
  struct Pictures;
  PagePictures page_pictures() const;
  std::vector<OutputFile*> picture_files();
  OutputText text_of(const Report& report, const OutputRequest& request, const std::string& path) const;
  void write_partial_files(const char* what, const std::function<std::vector<OutputFile*>()>& files,
                           std::vector<std::string>& kept);
  void note_written(const char* verb, const std::vector<OutputFile*>& files);

  const RunOptions& arguments_;
  Messages& messages_;
  const std::unique_ptr<Pictures> pictures_;  // null: of no frames
  PicturesMade picture_made_;
  std::vector<std::string> lines_;
};

// {"frameNum": 7, "timestamp": 0.28, "metrics": {"cambi": 1.5}} and a line end: the members of a frame in the
// extended report.
std::string score_line(const ScoredRow& row, const NumberStyle& numbers);

}  // namespace vq::cli
