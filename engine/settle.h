// From what was asked to what is computed: the one way there is, for every command and every library.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/diagnostic.h"
#include "engine/models/model_of_run.h"
#include "engine/request.h"

namespace vq {

// The features and models of a request, as far as they are known before the videos are.
struct Selection {
  std::vector<FeatureRequest> features;  // at least one, each instance once; options may be open
  std::vector<ModelOfRun> models;        // for one that is chosen by the videos, one of its kind
  std::vector<Diagnostic> remarks;       // warnings
};

// Features that are equal but for an option that names do not show are one, with the options of the first: a
// remark says so. Throws Error{kUsage} for what model::request_model() and options refuse, more than 32
// models, and two scores or metrics of one name.
Selection select(const Request& request);

// What is known of the videos when their first frames could be read.
struct KnownVideos {
  VideoFormats formats = {};  // as decoded and cropped
  // Of the distorted video as it was encoded, and cropped; none: as in `formats`.
  std::optional<VideoFormat> encoded = {};
  std::optional<VideoFormat> display =
      {};  // of the whole reference, by which models are chosen; none: the reference's
  std::optional<double> reference_rate = {};  // frames a second
};

struct Settled {
  std::vector<FeatureRequest> features;  // with all options
  std::vector<ModelOfRun> models;
  VideoFormats formats;                                         // of what is scored
  std::optional<Fitting> distorted_fitting, reference_fitting;  // that bring the videos to these
  std::vector<Diagnostic> remarks;                              // as the selection has them, for these models
  std::vector<std::string>
      chosen;  // models that were left open: "vmaf=vmaf_v1.0.16_3d0h (1920x1080, 24 frames/s)"
  std::vector<std::string> fitted;  // what becomes of the videos: "a.mp4 scaled to 960x540 (bicubic)"
  std::vector<std::string>
      fitted_for;  // what some features see instead: "b.mp4 converted from full to limited range"
  std::vector<std::string> resolved;  // options that were left open: "eotf=pq (from the stream)"
  std::vector<std::string> warnings;  // options that have no effect here
  // Options that the videos contradict, each with the feature.
  std::vector<std::pair<const FeatureInfo*, ResolutionWarning>> contradictions;
};

// `selection` is that of the request, in which paths of outputs may have been set. It depends on nothing
// else, and checks nothing that FeatureInfo::check does. Throws as select().
Settled settle(const Request& request, const Selection& selection, const KnownVideos& videos);

// "320x180"
std::string size_text(const VideoFormat& format);

}  // namespace vq
