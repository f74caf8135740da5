#include "cli/run/wording.h"

namespace vq::cli {

std::string in_words(const Diagnostic& diagnostic) {
  switch (diagnostic.advice) {
    case Advice::kNone:
      break;
    case Advice::kNameModel:
      return diagnostic.text + " Give a model another name: --model ...:name=NAME";
    case Advice::kFailAbove:
      return diagnostic.text + " To fail above a value, use --fail-above.";
    case Advice::kFailBelow:
      return diagnostic.text + " To fail below a value, use --fail-below.";
    case Advice::kSeparateFeature: {
      const std::string &feature = diagnostic.subjects.at(0), &settings = diagnostic.subjects.at(1);
      return diagnostic.text + " --feature " + feature + settings + " scores " + feature +
             " by itself and leaves the model alone.";
    }
  }
  return diagnostic.text;
}

std::string in_words(const Error& error) {
  const auto* const advised = dynamic_cast<const AdvisedError*>(&error);
  return advised != nullptr ? in_words(advised->diagnostic()) : error.what();
}

}  // namespace vq::cli
