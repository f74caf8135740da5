#include "cli/inputs/wording.h"

#include "core/text.h"
#include "feature/feature.h"

namespace vq::cli {

std::string skip_flags(const Skips& skips) {
  std::vector<std::string> flags;
  if (skips.reference > 0) flags.push_back(words("--frame_skip_ref {}", skips.reference));
  if (skips.distorted > 0) flags.push_back(words("--frame_skip_dist {}", skips.distorted));
  return join(flags, " ");
}

std::string in_words(const Diagnostic& diagnostic) {
  switch (diagnostic.advice) {
    case Advice::kNone:
      break;
    case Advice::kNameModel:
      return diagnostic.text + " Give a model another name: --model ...:name=NAME";
    case Advice::kOtherModel:
      return words("{} Try: --model {}", diagnostic.text, diagnostic.subjects.at(0));
    case Advice::kFailAbove:
      return diagnostic.text + " To fail above a value, use --fail-above.";
    case Advice::kFailBelow:
      return diagnostic.text + " To fail below a value, use --fail-below.";
    case Advice::kAlign:
      return words("{} Try: --align {}", diagnostic.text, diagnostic.subjects.at(0));
    case Advice::kSkip: {
      const std::string flags =
          skip_flags({std::stoll(diagnostic.subjects.at(0)), std::stoll(diagnostic.subjects.at(1))});
      return words("{} Try: {}", diagnostic.text,
                   flags.empty() ? "to skip nothing" : flags + ", instead of the current values");
    }
    case Advice::kPairByTime:
      return words("{} Try: --pair time, or convert one first, for example with {}", diagnostic.text,
                   diagnostic.subjects.at(0));
    case Advice::kUseNeg:
      return diagnostic.text + " Try: --model neg";
    case Advice::kListChanges:
      return diagnostic.text + " See: cambi align";
    case Advice::kCrop:
      return diagnostic.text + " If the videos were not scaled, try: --crop " + diagnostic.subjects.at(0);
    case Advice::kSubsample:
      return words("{} Try: --subsample {}", diagnostic.text,
                   diagnostic.subjects.empty() ? "with another number" : diagnostic.subjects.front());
    case Advice::kUseCpu:
      return diagnostic.text + "; --backend cpu is faster.";
    case Advice::kOtherBackend: {
      const std::string& backend = diagnostic.subjects.at(0);
      return words("{} (--backend {} uses {})", diagnostic.text, backend,
                   backend == to_string(Backend::kCpu) ? "the CPU" : "that");
    }
    case Advice::kSeparateFeature: {
      const std::string &feature = diagnostic.subjects.at(0), &settings = diagnostic.subjects.at(1);
      return words("{} --feature {}{} scores {} separately and does not change the model.", diagnostic.text,
                   feature, settings, feature);
    }
  }
  return diagnostic.text;
}

std::string in_words(const Error& error) {
  const auto* const advised = dynamic_cast<const AdvisedError*>(&error);
  return advised != nullptr ? in_words(advised->diagnostic()) : error.what();
}

}  // namespace vq::cli
