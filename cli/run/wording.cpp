#include "cli/run/wording.h"

namespace vq::cli {

std::string in_words(const Diagnostic& diagnostic) {
  switch (diagnostic.advice) {
    case Advice::kNone:
      break;
    case Advice::kNameModel:
      return diagnostic.text + " Give one of them another name: --model ...:name=NAME";
    case Advice::kSeparateFeature: {
      const std::string &feature = diagnostic.subjects.at(0), &settings = diagnostic.subjects.at(1);
      return diagnostic.text + " --feature " + feature + settings + " scores " + feature +
             " by itself and leaves the model alone.";
    }
  }
  return diagnostic.text;
}

Selection select_features(const Request& request) {
  try {
    return select(request);
  } catch (const AdvisedError& error) {
    throw Error(error.kind(), in_words({error.what(), error.advice(), {}}));
  }
}

}  // namespace vq::cli
