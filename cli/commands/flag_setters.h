// Functions for Flag::set, which store the values of a run's flags.
#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/commands/collected_flags.h"
#include "cli/commands/flags.h"
#include "core/number_text.h"

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

// A member of either struct.
template <class Value>
Value& member_of(CollectedFlags& flags, Value CollectedFlags::*member) {
  return flags.*member;
}
template <class Value, class Options>
requires std::derived_from<RunOptions, Options> Value& member_of(CollectedFlags& flags,
                                                                 Value Options::*member) {
  return flags.arguments.*member;
}

template <auto kMember>
void set_text(CollectedFlags& flags, const Flag&, const std::string& text) {
  member_of(flags, kMember) = text;
}

template <auto kMember>
void add_text(CollectedFlags& flags, const Flag&, const std::string& text) {
  member_of(flags, kMember).push_back(text);
}

template <auto kMember>
void set_true(CollectedFlags& flags, const Flag&, const std::string&) {
  member_of(flags, kMember) = true;
}

// A number from 0 to kMax.
template <auto kMember, auto kMax>
void set_count(CollectedFlags& flags, const Flag& flag, const std::string& text) {
  member_of(flags, kMember) = static_cast<decltype(kMax)>(int_value(std::string(flag.name), text, {0, kMax}));
}

// The same for a flag of vmaf.
template <auto kMember, auto kMax>
void set_c_count(CollectedFlags& flags, const Flag& flag, const std::string& text) {
  member_of(flags, kMember) =
      static_cast<decltype(kMax)>(c_int_value(std::string(flag.name), text, {0, kMax}));
}

// A number of frames as vmaf takes it, or a time.
template <auto kFrames, auto kSeconds>
void set_skip(CollectedFlags& flags, const Flag& flag, const std::string& text) {
  const bool is_time = text.find(':') != std::string::npos || text.ends_with('s');
  member_of(flags, kFrames) = is_time ? 0 : c_int_value(std::string(flag.name), text, {0, kMaxFrameNumber});
  member_of(flags, kSeconds).reset();
  if (is_time) member_of(flags, kSeconds) = std::get<double>(position_value(std::string(flag.name), text));
}

// Stores the result of a function of the text, which may take the flag's name before it, for its messages.
template <auto kMember, auto kParse>
void set_as(CollectedFlags& flags, const Flag& flag, const std::string& text) {
  if constexpr (requires { kParse(std::string(), text); }) {
    member_of(flags, kMember) = kParse(std::string(flag.name), text);
  } else {
    member_of(flags, kMember) = kParse(text);
  }
}

template <ReportFormat kFormat>
void set_format(CollectedFlags& flags, const Flag&, const std::string&) {
  flags.format = kFormat;
}

template <ThresholdSide kSide>
void add_threshold(CollectedFlags& flags, const Flag&, const std::string& text) {
  flags.arguments.thresholds.push_back(parse_threshold(text, kSide));
}

template <auto kParse>
void set_heatmaps(CollectedFlags& flags, const Flag& flag, const std::string& text) {
  kParse(text, flags.arguments.heatmaps);
  flags.heatmap_flags.emplace_back(flag.name);
}

void set_segments(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_segments_until(CollectedFlags& flags, const Flag& flag, const std::string& text);
void add_scenes(CollectedFlags& flags, const Flag& flag, const std::string& text);
void add_segment_output(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_nothing(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_chroma(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_bit_depth(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_page_pictures(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_worst(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_pairing(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_progress(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_film_grain(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_decoder(CollectedFlags& flags, const Flag& flag, const std::string& text);
// Throws Error{kUsage} with the available names.
void set_hwaccel(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_backend(CollectedFlags& flags, const Flag& flag, const std::string& text);
void add_feature_flag(CollectedFlags& flags, const Flag& flag, const std::string& text);
void add_model(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_scale(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_scale_kernel(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_subsample(CollectedFlags& flags, const Flag& flag, const std::string& text);
void set_score_bits(CollectedFlags& flags, const Flag& flag, const std::string& text);

// Adds models and features as if they were given one by one.
void add_preset(CollectedFlags& flags, const model::Preset& preset);
template <auto kPreset>
void add_preset(CollectedFlags& flags, const Flag&, const std::string& text) {
  add_preset(flags, kPreset(text));
}

}  // namespace vq::cli
