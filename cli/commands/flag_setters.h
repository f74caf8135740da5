// Functions for Flag::set, which store the values of a run's flags.
#pragma once

#include "cli/commands/flags.h"
#include "cli/inputs/run_options.h"
#include "core/number_text.h"
#include "engine/report/statistic.h"
#include "feature/feature.h"

namespace vq::model {

// Named sets of models and features from other programs' command lines.

struct Preset {
  std::vector<std::string> models = {};    // as for --model
  std::vector<std::string> features = {};  // as for --feature
};

// The Alliance for Open Media's common test conditions, and Netflix's. Throws Error{kUsage} with the
// available versions.
Preset aom_ctc(const std::string& version);
Preset nflx_ctc(const std::string& version);

}  // namespace vq::model

namespace vq::cli {

inline constexpr int kMaxThreads = 1024;

// "24", "23.976", "24000/1001". Throws Error{kUsage}.
FrameRate frame_rate_value(const std::string& flag, const std::string& text);

// A percentage above 50 and below 100, a number above 0, and one from 0 to 2^64 - 1. Throw Error{kUsage}.
double confidence_value(const std::string& flag, const std::string& text);
double tolerance_value(const std::string& flag, const std::string& text);
uint64_t seed_value(const std::string& flag, const std::string& text);

// "vmaf:95"; without a metric's name, 95 alone. Throws Error{kUsage}.
struct ScoreTarget {
  std::string metric;  // empty: none is named
  double value = 0;
};
ScoreTarget score_target(const std::string& flag, const std::string& text);
// Throws Error{kUsage} for a statistic that is no score.
void refuse_target_statistic(const Statistic& statistic);

template <auto kMember>
void set_text(RunOptions& options, const Flag&, const std::string& text) {
  options.*kMember = text;
}

template <auto kMember>
void set_true(RunOptions& options, const Flag&, const std::string&) {
  options.*kMember = true;
}

// A number from kMin to kMax.
template <auto kMember, auto kMax, auto kMin = 0>
void set_count(RunOptions& options, const Flag& flag, const std::string& text) {
  options.*kMember = static_cast<decltype(kMax)>(int_value(std::string(flag.name), text, {kMin, kMax}));
}

// The same for a flag of vmaf.
template <auto kMember, auto kMax>
void set_c_count(RunOptions& options, const Flag& flag, const std::string& text) {
  options.*kMember = static_cast<decltype(kMax)>(c_int_value(std::string(flag.name), text, {0, kMax}));
}

// The value at the place that the word has among those of the flag's type.
template <auto kMember, auto... kValues>
void set_choice(RunOptions& options, const Flag& flag, const std::string& text) {
  constexpr std::common_type_t<decltype(kValues)...> kAll[] = {kValues...};
  options.*kMember = kAll[choice_value(std::string(flag.name), text, choices_of(flag))];
}

// A number of frames as vmaf takes it, or a time.
template <auto kFrames, auto kSeconds>
void set_skip(RunOptions& options, const Flag& flag, const std::string& text) {
  const bool is_time = text.find(':') != std::string::npos || text.ends_with('s');
  options.*kFrames = is_time ? 0 : c_int_value(std::string(flag.name), text, {0, kMaxFrameNumber});
  (options.*kSeconds).reset();
  if (is_time) options.*kSeconds = std::get<double>(position_value(std::string(flag.name), text));
}

// Stores the result of a function of the text, which may take the flag's name before it, for its messages.
template <auto kMember, auto kParse>
void set_as(RunOptions& options, const Flag& flag, const std::string& text) {
  if constexpr (requires { kParse(std::string(), text); }) {
    options.*kMember = kParse(std::string(flag.name), text);
  } else {
    options.*kMember = kParse(text);
  }
}

template <ReportFormat kFormat>
void set_format(RunOptions& options, const Flag&, const std::string&) {
  options.format = kFormat;
}

template <ThresholdSide kSide>
void add_threshold(RunOptions& options, const Flag&, const std::string& text) {
  options.thresholds.push_back(parse_threshold(text, kSide));
}

template <auto kParse>
void set_heatmaps(RunOptions& options, const Flag&, const std::string& text) {
  kParse(text, options.heatmaps);
}

// Each stores what its flag says. Throw Error{kUsage}.
std::remove_pointer_t<Flag::Setter> set_page, set_scenes, add_features, add_output, set_segments,
    set_segments_until, add_scenes, add_segment_output, set_nothing, set_page_pictures, set_worst,
    set_progress, set_decoder, set_hwaccel, set_backend, add_feature_flag, add_model, set_scale,
    set_subsample;

// Adds models and features as if they were given one by one.
void add_preset(RunOptions& options, const model::Preset& preset);
template <auto kPreset>
void add_preset(RunOptions& options, const Flag&, const std::string& text) {
  add_preset(options, kPreset(text));
}

// The text form of a feature and its options, as --feature takes it.

// find_feature() with a better error: without a near name, it says where names are listed.
const FeatureInfo& named_feature(const std::string& name);

// NAME[=key=value[:key=value]...], where \: \= and \\ stand for the characters themselves. Exact: names,
// defaults and ranges are the feature's own and nothing is inferred. Throws Error{kUsage} that says what is
// wrong and, for a fault of form, at which byte (counted from 1).
FeatureRequest parse_feature(std::string_view text);
// Several names separated by commas; only the last may have options.
std::vector<FeatureRequest> parse_features(std::string_view text);

// Throws Error{kUsage} if two of the requests would report a metric of the same name.
void check_metric_names(std::span<const FeatureRequest> requests);

}  // namespace vq::cli
