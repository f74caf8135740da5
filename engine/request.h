// The user's request for a run. Never changed; settle() derives from it what is computed.
#pragma once

#include "core/error.h"
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
  // compares code values as they are stored, even if range, matrix or transfer differ; the chroma samplings
  // have to be equal
  bool as_stored = false;
};

// Warnings and notes: a self-contained sentence, and advice whose wording is left to the caller, because it
// names flags or functions.

enum class Advice {
  kNone,
  kNameModel,        // give one of the models another name
  kOtherModel,       // use this model, which takes these pictures
  kSeparateFeature,  // request a feature separately from the model: its name, and its settings
  kAlign,            // shift the videos by this number of frames
  kSkip,             // skip these frames of the two videos, instead of the current ones
  kPairByTime,       // pair frames by time, or convert one video with this command
  kUseNeg,           // a model that does not reward enhancement
  kListChanges,      // list where frames were dropped or repeated
  kCrop,             // crop to this rectangle, unless one video was scaled
  kFailAbove,        // use a threshold in the other direction, which fails above its value,
  kFailBelow,        // or below it
  kSubsample,        // in this way; no subject: with another number
  kUseCpu,           // instead of a software device
};

// Numbers of leading frames of the two videos to leave out.
struct Skips {
  int64_t reference = 0, distorted = 0;
};

struct Diagnostic {
  std::string text = {};
  Advice advice = Advice::kNone;
  std::vector<std::string> subjects = {};  // parameters of the advice
  Skips skips = {};                        // that of kSkip
};

// An error with advice; what() is the sentence alone.
class AdvisedError : public Error {
 public:
  AdvisedError(ErrorKind kind, Diagnostic diagnostic)
      : Error(kind, diagnostic.text), diagnostic_(std::move(diagnostic)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

}  // namespace vq
