// Flags of features, such as --topk, at work on the features of a run.
#pragma once

#include "cli/inputs/run_options.h"
#include "engine/request.h"

namespace vq::cli {

// A flag that sets options of a feature, beside those written out with --feature.
struct FeatureFlag {
  std::string_view name = {};  // "--topk"
  std::string_view type = {};  // of its text, for help: "0.0001..1"; empty: it takes none
  std::string_view help = {};
  std::string_view option = {};  // that gets the text, or is made true; empty if `expand` says which
  // The options and their values that a text stands for. Throws Error{kUsage} that says what is allowed.
  std::vector<std::pair<std::string_view, std::string>> (*expand)(std::string_view text) = nullptr;
  bool is_preset = false;  // other flags win over it
};

std::span<const FeatureFlag> own_flags(const FeatureInfo& info);
// The flag that sets this option to the text that it is given; null: there is none.
const FeatureFlag* flag_for(const FeatureInfo& info, std::string_view option);

// Flags with which material of `depth` bits is scored as such; empty if they change nothing or were given.
std::string depth_advice(const FeatureRequest& request, const VideoFormat& video, int depth);

// The warning, and what to add to the command line so that the option follows the videos.
std::string in_words(const ResolutionWarning& warning, const FeatureInfo& info);

// Settings of the flag, for every feature that has it. Throws Error{kUsage} for a text that it does not take.
std::vector<FeatureSetting> settings_of(const std::string& flag, const std::string& text);

// Throws Error{kUsage} for the first given flag of a feature that none of the requests has.
void refuse_flags(std::span<const GivenOption> given, std::span<const FeatureRequest> requests);

// "cambi, psnr"
std::string names_of(std::span<const FeatureRequest> requests);

}  // namespace vq::cli
