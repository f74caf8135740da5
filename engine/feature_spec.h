// The text form of a feature and its options: "psnr", "cambi=topk=0.2:window_size=31".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"
#include "engine/report/report.h"
#include "feature/feature.h"

namespace vq {

// What is wrong with the text of a feature.
class FeatureSpecError : public Error {
 public:
  enum class Fault {
    kForm,    // what() begins with the text in quotation marks and names the byte, counted from 1
    kName,    // no feature is called `feature`
    kOption,  // what() begins with the feature's name
  };
  FeatureSpecError(Fault fault, std::string feature, const std::string& message)
      : Error(ErrorKind::kUsage, message), fault_(fault), feature_(std::move(feature)) {}
  Fault fault() const { return fault_; }
  const std::string& feature() const { return feature_; }

 private:
  Fault fault_;
  std::string feature_;  // its name, where that could be read
};

// NAME[=key=value[:key=value]...], where \: \= and \\ stand for the characters themselves. Names, defaults
// and ranges are the feature's own; nothing is inferred from videos. Throws FeatureSpecError.
FeatureRequest parse_feature_spec(std::string_view text);

// The feature's name and the effective value of every option, as text.
std::pair<std::string, std::vector<std::pair<std::string, std::string>>> feature_facts(
    const FeatureRequest& request);
// How it reads the samples of these videos.
ReadingFacts reading_facts(const FeatureRequest& request, const VideoFormats& formats);

}  // namespace vq
