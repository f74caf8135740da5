// The argument of --model.
#pragma once

#include "core/metric.h"

namespace vq::model {

inline constexpr std::string_view kDefaultName = "vmaf";

// An option for all features of the model that one extractor provides.
struct Overload {
  std::string feature = {}, option = {}, value = {};
  bool operator==(const Overload&) const = default;
};

struct ModelSpec {
  std::string name = std::string(kDefaultName);  // of its scores
  // One of the two: a built-in model, or a file. `is_automatic`: the built-in one that suits the videos.
  std::string version = {}, path = {};
  bool is_automatic = false;
  bool disable_clip = false, enable_transform = false;
  bool is_scaled = false;  // scores the videos scaled to its display
  std::vector<Overload> overloads = {};
  bool operator==(const ModelSpec&) const = default;
};

// path=FILE, version=NAME or auto, or only the name of a built-in model ("neg" for vmaf_v0.6.1neg) or of a
// file, then [:name=NAME] [:scaled[=true]] [:disable_clip[=true]] [:enable_transform[=true]]
// [:FEATURE.OPTION=VALUE ...], where \: \= and \\ stand for the characters themselves. auto implies scaled.
// Throws Error{kUsage}.
ModelSpec parse_model_spec(std::string_view text);

// Several specs separated by bars, as in FFmpeg's filter.
std::vector<ModelSpec> parse_model_specs(std::string_view text);

// The model's name in messages and reports: the version or the path.
std::string source_of(const ModelSpec& spec);

// A canonical text of the whole spec, for comparison.
std::string text_of(const ModelSpec& spec);

}  // namespace vq::model

namespace vq {

// Meanings of the scores that models, such as VMAF, compute from features.

// The meaning of a metric of one of these models, each given by its score's name: the score, or an addition
// of a collection. Null if it belongs to none.
const MetricInfo* find_model_score(std::string_view metric, std::span<const std::string> models);
// The same if the models are unknown: VMAF's scores are called "vmaf", with or without a suffix.
const MetricInfo* find_model_score(std::string_view metric);

// In reading order.
enum class ModelPart { kScore, kOfCollection, kNone };
// Needs: a result of metric_info() or find_model_score().
ModelPart model_part(const MetricInfo& metric);

// Scores of a collection of models beside its own, each under the score's name and an ending: the mean
// of the models that were trained on parts of the votes, their deviation, and the bounds of an interval.
inline constexpr size_t kCollectionScores = 4;
inline constexpr std::string_view kCollectionEndings[kCollectionScores] = {"_bagging", "_stddev",
                                                                           "_ci_p95_lo", "_ci_p95_hi"};
// Name of the score of one of these models, numbered from 1: "vmaf_0001".
std::string member_name(const std::string& score, size_t number);

// Names of those bounds.
struct ScoreInterval {
  std::string low = {}, high = {};
};
ScoreInterval interval_names(std::string_view score);

}  // namespace vq
