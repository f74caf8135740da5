// What is worth telling: a sentence that stands alone, and advice on it that only whoever talks to people can word, as it names
// what they can type or call.
#pragma once

#include <string>
#include <vector>

#include "core/error.h"

namespace vq {

enum class Advice {
  kNone,
  kNameModel,        // give one of the models another name
  kSeparateFeature,  // ask for a feature beside the model: its name, and what was set
};

struct Diagnostic {
  std::string text = {};
  Advice advice = Advice::kNone;
  std::vector<std::string> subjects = {};  // as the advice says
};

// An error on which there is advice; what() is without it.
class AdvisedError : public Error {
 public:
  AdvisedError(ErrorKind kind, const std::string& message, Advice advice) : Error(kind, message), advice_(advice) {}
  Advice advice() const { return advice_; }

 private:
  Advice advice_;
};

}  // namespace vq
