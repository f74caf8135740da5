#include "cli/inputs/feature_flags.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "feature/registry.h"

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

// The options that the flag sets to this text, and their values.
std::vector<std::pair<std::string_view, std::string>> expanded(const FeatureFlag& flag,
                                                               const std::string& text) {
  if (flag.expand == nullptr) return {{flag.option, flag.type.empty() ? "true" : text}};
  try {
    return flag.expand(text);
  } catch (const Error& error) {
    throw Error(error.kind(), std::string(flag.name) + ": " + error.what());
  }
}

}  // namespace

std::string names_of(std::span<const FeatureRequest> requests) {
  std::string names;
  for (const FeatureRequest& request : requests)
    names += (names.empty() ? "" : ", ") + std::string(request.info->name);
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

std::vector<FeatureSetting> settings_of(const FlagTexts& flags) {
  std::vector<FeatureSetting> settings;
  for (const auto& [name, text] : flags) {
    const std::string asked_by = name + (text.empty() ? "" : " " + printable(text));
    for (const FeatureInfo* const info : features()) {
      const FeatureFlag* const flag = find_flag(*info, name);
      if (flag == nullptr) continue;
      for (auto& [option, value] : expanded(*flag, text)) {
        settings.push_back({.asked_by = asked_by,
                            .feature = info->name,
                            .option = option,
                            .value = std::move(value),
                            .is_preset = flag->is_preset && flag->expand != nullptr});
      }
    }
  }
  return settings;
}

void refuse_flags(const FlagTexts& flags, std::span<const FeatureRequest> requests) {
  for (const auto& [name, text] : flags) {
    const auto has_it = [&flag = name](const FeatureRequest& request) {
      return has_flag(*request.info, flag);
    };
    if (std::any_of(requests.begin(), requests.end(), has_it)) continue;
    throw Error(ErrorKind::kUsage, name + " has no effect here: it is not for " + names_of(requests) + ".");
  }
}

}  // namespace vq::cli
