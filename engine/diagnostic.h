// Warnings and notes: a self-contained sentence, and advice whose wording is left to the caller, because it
// names flags or functions.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace vq {

enum class Advice {
  kNone,
  kNameModel,        // give one of the models another name
  kOtherModel,       // use this model, which takes these pictures
  kSeparateFeature,  // request a feature separately from the model: its name, and its settings
  kAlign,            // shift the videos by this number of frames
  // skip these numbers of frames of the reference and of the distorted video, instead of the current ones
  kSkip,
  kPairByTime,    // pair frames by time, or convert one video with this command
  kUseNeg,        // a model that does not reward enhancement
  kListChanges,   // list where frames were dropped or repeated
  kCrop,          // crop to this rectangle, unless one video was scaled
  kFailAbove,     // use a threshold in the other direction, which fails above its value,
  kFailBelow,     // or below it
  kSubsample,     // in this way; no subject: with another number
  kUseCpu,        // instead of a software device
  kOtherBackend,  // use the named backend instead of the chosen one
};

struct Diagnostic {
  std::string text = {};
  Advice advice = Advice::kNone;
  std::vector<std::string> subjects = {};  // parameters of the advice
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
