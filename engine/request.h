// What the user requested for a run. Never changed; settle() derives from it what is computed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fitting.h"
#include "engine/models/model_spec.h"
#include "feature/feature.h"

namespace vq {

// The size that videos are scaled to; none: the distorted video is scaled to its reference's size.
struct ScaleRequest {
  std::optional<PlaneSize> size = {};
};

// An option that is set for every request of a feature, in addition to the request's own options.
struct FeatureSetting {
  // the user's text: settings with the same text are accepted or rejected together
  std::string asked_by = {};
  std::string_view feature = {}, option = {};
  std::string value = {};
  bool is_preset = false;  // other settings take precedence
};

struct Request {
  std::vector<model::ModelSpec> model_specs = {};
  std::vector<FeatureRequest> asked_features = {};  // in addition to those of models
  // Settings for a requested feature do not affect models; all others change the models' features.
  std::vector<FeatureSetting> settings = {};
  bool no_prediction = false;              // computes the models' features, but not their scores
  std::optional<ScaleRequest> scale = {};  // none: videos are scored at their own size
  ScaleKernel scale_kernel = ScaleKernel::kBicubic;
  int score_bits = 0;  // minimum bits per sample; shallower videos are converted; 0: as they are
  // compares samples as they are stored: of other ranges, matrices and transfers, and not of other chroma
  // samplings
  bool as_stored = false;
};

}  // namespace vq
