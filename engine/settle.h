// Derives what is computed from what was requested: the only way, for every command and library.
#pragma once

#include "engine/models/model_features.h"
#include "engine/request.h"

namespace vq {

// The features and models of a request, as known without the videos.
struct Selection {
  std::vector<FeatureRequest> features;  // at least one, each instance once; options may be open
  std::vector<ModelOfRun> models;        // if the videos decide, a model of that kind
  std::vector<Diagnostic> remarks;       // warnings
};

// Features that differ only in an option that is not part of metric names are merged, with the options of the
// first and a remark. Throws Error{kUsage} as model::request_model() and options do, for more than 32 models,
// and for two scores or metrics of one name.
Selection select(const Request& request);

// Properties of the videos that are known once their first frames could be read.
struct KnownVideos {
  VideoFormats formats = {};  // as decoded and cropped
  // The distorted video as encoded, and cropped; none: as in `formats`.
  std::optional<VideoFormat> encoded = {};
  // of the uncropped reference, by which models are chosen; none: the reference's
  std::optional<VideoFormat> display = {};
  std::optional<double> reference_rate = {};  // frames per second
};

// Features have all options, models are those that the videos decide on, and the remarks are about these.
struct Settled : Selection {
  VideoFormats formats;                                         // of the scored frames
  std::optional<Fitting> distorted_fitting, reference_fitting;  // that convert the videos to these formats
  std::vector<std::string>
      chosen;  // models chosen by the videos: "vmaf=vmaf_v1.0.16_3d0h (1920x1080, 24 frames/s)"
  std::vector<std::string> fitted;  // conversions of the videos: "a.mp4 scaled to 960x540 (bicubic)"
  std::vector<std::string>
      fitted_for;  // conversions for some features: "b.mp4 converted from full to limited range"
  std::vector<std::string> resolved;  // options that were left open: "eotf=pq (from the stream)"
  std::vector<std::string> warnings;  // options without effect here
  // Options that contradict the videos, each with its feature.
  std::vector<std::pair<const FeatureInfo*, ResolutionWarning>> contradictions;
};

// `selection` is that of the request, with paths of outputs possibly set. Depends on nothing else, and does
// not repeat the checks of FeatureInfo::check. Throws as select().
Settled settle(const Request& request, const Selection& selection, const KnownVideos& videos);

// Whether the distorted video is converted to another matrix, the reference's, which takes all of its planes.
bool differs_in_matrix(const VideoFormats& formats);

// Whether any feature compares the videos with each other.
bool any_compares(const std::vector<FeatureRequest>& features);

inline std::string size_text(const VideoFormat& format) { return size_text(format.size()); }

}  // namespace vq
