// What is worth telling: a sentence that stands alone, and advice on it that only whoever talks to people can
// word, as it names what they can type or call.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/error.h"

namespace vq {

enum class Advice {
  kNone,
  kNameModel,        // give one of the models another name
  kSeparateFeature,  // ask for a feature beside the model: its name, and what was set
  kAlign,            // the videos by this many frames
  kSkip,          // this many frames of the reference and of the distorted video, in place of what is skipped
  kListChanges,   // look where frames were dropped or repeated
  kCrop,          // to this rectangle, unless one video was scaled
  kFailAbove,     // a threshold of the other side: one that fails above its value,
  kFailBelow,     // or below it
  kSubsample,     // in this way; no subject: with another number
  kUseCpu,        // in place of a software device
  kOtherBackend,  // its name, in place of the one that was chosen
};

struct Diagnostic {
  std::string text = {};
  Advice advice = Advice::kNone;
  std::vector<std::string> subjects = {};  // as the advice says
};

// An error on which there is advice; what() is its text alone.
class AdvisedError : public Error {
 public:
  AdvisedError(ErrorKind kind, Diagnostic diagnostic)
      : Error(kind, diagnostic.text), diagnostic_(std::move(diagnostic)) {}
  const Diagnostic& diagnostic() const { return diagnostic_; }

 private:
  Diagnostic diagnostic_;
};

}  // namespace vq
