// Pictures of a run's frames: raw heatmaps, histograms, stills, a video, and the pictures of pages.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "cli/pages/page_writer.h"
#include "cli/pictures/heatmap_outputs.h"
#include "cli/pictures/picture_tap.h"
#include "cli/run/open_run.h"
#include "cli/system/messages.h"

namespace vq::cli {

// Has the features deliver heatmaps and histograms for the files, pictures and pages that the options ask
// for.
void ask_for_maps(RunOptions& options);

// Facts of the run that are constant over its frames. `may_begin_scene`: see ObservedVideo.
ObservedVideo observed_video(const SettledRun& run,
                             std::function<bool(int64_t after, int64_t frame)> may_begin_scene = {});

// Of a run that tells about itself while it goes on.
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
  // What is to be committed together with the reports: see MapFiles and HeatmapOutputs. `partial`: of a run
  // that ended early.
  std::vector<OutputFile*> raw_heatmaps(bool partial) { return map_files_.heatmap_outputs(partial); }
  std::vector<OutputFile*> histograms(bool partial) { return map_files_.histogram_outputs(partial); }
  std::vector<OutputFile*> pictures(bool partial) { return heatmaps_.outputs(partial); }
  // To be called when they are.
  void committed() { heatmaps_.committed(); }

 private:
  const int threads_;
  const ObservedVideo video_;
  HeatmapOutputs heatmaps_;
  const HeatmapTaps taps_;
  MapFiles map_files_;
  PictureTap tap_;
};

}  // namespace vq::cli
