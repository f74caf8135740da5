#include "cli/commands/feature_spec.h"

#include <set>

#include "cli/commands/flags.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "feature/feature.h"

namespace vq::cli {
namespace {

// How FFmpeg's filter names a feature: name=NAME:key=value, several with bars between.
constexpr std::string_view kOfFilter = "name=";

std::vector<std::string> specs_of_filter(std::string_view text) {
  std::vector<std::string> specs;
  const std::string next = words("|{}", kOfFilter);
  while (true) {
    text.remove_prefix(kOfFilter.size());
    const size_t bar = text.find(next);
    std::string spec(text.substr(0, bar));
    if (const size_t colon = spec.find(':'); colon != std::string::npos) spec[colon] = '=';
    specs.push_back(std::move(spec));
    if (bar == std::string_view::npos) return specs;
    text.remove_prefix(bar + 1);
  }
}

// Says where all names are listed, unless one near to it was found.
std::string with_list(const std::string& text) {
  return text + (text.ends_with('?') ? "" : " See: cambi features");
}

}  // namespace

const FeatureInfo& named_feature(const std::string& name) {
  try {
    return find_feature(name);
  } catch (const Error& error) {
    throw Error(error.kind(), with_list(error.what()));
  }
}

std::vector<FeatureRequest> parse_features(std::string_view text) {
  std::vector<FeatureRequest> requests;
  if (text.starts_with(kOfFilter)) {
    for (const std::string& spec : specs_of_filter(text)) requests.push_back(parse_feature(spec));
    return requests;
  }
  // A comma within a name is one between features.
  for (size_t comma = text.find(','); comma < text.find('='); comma = text.find(',')) {
    requests.push_back(parse_feature(text.substr(0, comma)));
    text.remove_prefix(comma + 1);
  }
  requests.push_back(parse_feature(text));
  return requests;
}

FeatureRequest parse_feature(std::string_view text) {
  try {
    return parse_feature_spec(text);
  } catch (const FeatureSpecError& error) {
    const std::string ours = own_words(words("--feature {}", error.feature()));
    switch (error.fault()) {
      case FeatureSpecError::Fault::kForm:
        throw Error(error.kind(), words("--feature {}", error.what()));
      case FeatureSpecError::Fault::kOption:
        throw Error(error.kind(),
                    words("--feature {} (see: cambi features {})", error.what(), error.feature()));
      case FeatureSpecError::Fault::kName:
        break;
    }
    throw Error(error.kind(),
                ours.empty() ? words("--feature: {}", with_list(error.what()))
                             : words("--feature: unknown feature \"{}\". Use: {}", error.feature(), ours));
  }
}

void check_metric_names(std::span<const FeatureRequest> requests) {
  std::set<std::string> seen;
  for (const FeatureRequest& request : requests) {
    for (const std::string& name : request.info->metric_names(request.options)) {
      if (seen.insert(name).second) continue;
      throw Error(
          ErrorKind::kUsage,
          words("two features would both report \"{}\". Drop one, or give them options that tell them apart.",
                name));
    }
  }
}

}  // namespace vq::cli
