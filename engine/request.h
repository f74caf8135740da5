// What was asked of a run, whoever asks. It is never changed; settle() says what is computed.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/fitting.h"
#include "engine/models/model_spec.h"
#include "feature/feature.h"

namespace vq {

// The size that videos are scaled to; none: the distorted one to that of its reference.
struct ScaleRequest {
  std::optional<PlaneSize> size = {};
};

// An option that is set for every request of a feature, beside what the requests say themselves.
struct FeatureSetting {
  std::string asked_by = {};  // what people wrote: settings of one text stand or fall together
  std::string_view feature = {}, option = {};
  std::string value = {};
  bool is_preset = false;  // other settings win over it
};

struct Request {
  std::vector<model::ModelSpec> model_specs = {};
  std::vector<FeatureRequest> asked_features = {};  // beside those of models
  // Those that concern an asked feature leave models alone; the others change the features of models.
  std::vector<FeatureSetting> settings = {};
  bool no_prediction = false;              // models' features, but no scores of theirs
  std::optional<ScaleRequest> scale = {};  // none: videos are scored at their own size
  ScaleKernel scale_kernel = ScaleKernel::kBicubic;
  int score_bits = 0;      // bits a sample that videos of fewer are brought to; 0: as they are
  bool as_stored = false;  // full range beside limited is not converted
};

}  // namespace vq
