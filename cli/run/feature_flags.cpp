#include "cli/run/feature_flags.h"

#include <algorithm>
#include <iterator>

#include "core/error.h"

namespace vq::cli {
namespace {

template <typename Test>
const FeatureFlag* find_flag_if(const FeatureInfo& info, Test test) {
  const std::span<const FeatureFlag> flags = own_flags(info);
  const auto found = std::find_if(flags.begin(), flags.end(), test);
  return found == flags.end() ? nullptr : &*found;
}

const FeatureFlag* find_flag(const FeatureInfo& info, const std::string& name) {
  return find_flag_if(info, [&](const FeatureFlag& flag) { return flag.name == name; });
}

void apply(const FeatureFlag& flag, const std::string& text, OptionSet& options) {
  if (flag.expand == nullptr) return options.set(flag.option, flag.type.empty() ? "true" : text, OptionForm::kOwn);
  std::vector<std::pair<std::string_view, std::string>> settings;
  try {
    settings = flag.expand(text);
  } catch (const Error& error) {
    throw Error(error.kind(), std::string(flag.name) + ": " + error.what());
  }
  for (const auto& [option, value] : settings) {
    flag.is_preset ? options.put(option, value) : options.set(option, value, OptionForm::kOwn);
  }
}

}  // namespace

std::string names_of(std::span<const FeatureRequest> requests) {
  std::string names;
  for (const FeatureRequest& request : requests) names += (names.empty() ? "" : ", ") + std::string(request.info->name);
  return names;
}

const FeatureFlag* flag_for(const FeatureInfo& info, std::string_view option) {
  return find_flag_if(info,
                      [&](const FeatureFlag& flag) { return !option.empty() && flag.option == option; });
}

std::string in_words(const ResolutionWarning& warning, const FeatureInfo& info) {
  const FeatureFlag* const flag = flag_for(info, warning.open_option);
  if (flag == nullptr) return warning.text;
  return warning.text + " Try --feature " + std::string(info.name) + " " + std::string(flag->name) + " auto.";
}

bool has_flag(const FeatureInfo& info, const std::string& name) {
  return find_flag(info, name) != nullptr;
}

FlagTexts apply_feature_flags(const FlagTexts& flags, std::span<FeatureRequest> requests) {
  for (const bool presets : {true, false}) {
    for (const auto& [name, text] : flags) {
      for (FeatureRequest& request : requests) {
        const FeatureFlag* const flag = find_flag(*request.info, name);
        if (flag != nullptr && flag->is_preset == presets) apply(*flag, text, request.options);
      }
    }
  }
  FlagTexts rest;
  std::copy_if(flags.begin(), flags.end(), std::back_inserter(rest), [&](const auto& flag) {
    return std::none_of(requests.begin(), requests.end(),
                        [&](const FeatureRequest& request) { return has_flag(*request.info, flag.first); });
  });
  return rest;
}

void refuse_flags(const FlagTexts& flags, std::span<const FeatureRequest> requests) {
  if (flags.empty()) return;
  throw Error(ErrorKind::kUsage, flags.front().first + " has no effect here: it is not for " + names_of(requests) + ".");
}

}  // namespace vq::cli
