// Features and metrics by their names: what they mean, and how their options are written.
#pragma once

#include "core/error.h"
#include "core/metric.h"
#include "core/text.h"
#include "feature/feature.h"

namespace vq {

struct ReadingFacts;

// The meaning of a metric: its own `info`, or what its name says, with or without option suffixes. Unknown
// metrics have no better direction.
const MetricInfo& metric_info(const Metric& metric);
// The meaning by name alone: a feature's metric, or a model's score if it is named like VMAF's.
const MetricInfo& known_metric(std::string_view name);

// The feature that has this metric; null if none has, as with scores of models.
const FeatureInfo* feature_of_metric(const Metric& metric);

// The word for it in files: "lower", "higher" or "neither".
inline const char* word_of(Better better) {
  return better == Better::kLower ? "lower" : better == Better::kHigher ? "higher" : "neither";
}

// Whether the metric is known here and has no better direction.
bool is_neutral(const Metric& metric);

// Whether it scores one video by itself, as CAMBI does, and so says nothing of what a reference would show.
bool is_of_one_video(const Metric& metric);

// Title of a metric: "VMAF v1" by the model of a score, the name that was given to that of a model file,
// "CAMBI", or its name if nothing else is known.
std::string title_of(const Metric& metric);
// What a model's score is for: "VMAF v1: for HD seen from 3 heights; not comparable with v0.6.1";
// empty for other metrics.
std::string purpose_of(const Metric& metric);

// Its name without option suffixes.
std::string base_name(const Metric& metric);

// Whether it is a model's score, rather than an interval bound of a collection.
bool is_model_score(const Metric& metric);

// Indices of all metrics, by importance: scores of models, features that were requested by name, features
// that only models use; then the neutral ones in the same order.
std::vector<size_t> speaking_order(std::span<const Metric> metrics);

// The first in speaking_order(); 0 if there are no metrics.
size_t leading_metric(std::span<const Metric> metrics);

// Names of files of raw heatmaps.

// <feature>_heatmap_scale_<k>_<w>x<h>_16b.gray
inline std::string heatmap_file_name(std::string_view feature, const HeatmapInfo& info) {
  return words("{}_heatmap_scale_{}_{}x{}_16b.gray", feature, info.scale, info.width, info.height);
}

// The text form of a feature and its options: "psnr", "cambi=topk=0.2:window_size=31".

// Thrown for a wrong text of a feature.
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
  std::string feature_;  // its name, if that could be read
};

// NAME[=key=value[:key=value]...], where \: \= and \\ stand for the characters themselves. Names, defaults
// and ranges are the feature's own; nothing is inferred from videos. Throws FeatureSpecError.
FeatureRequest parse_feature_spec(std::string_view text);

// The feature's name and the effective value of every option, as text.
std::pair<std::string, std::vector<std::pair<std::string, std::string>>> feature_facts(
    const FeatureRequest& request);
// How it reads the samples of these videos.
ReadingFacts reading_facts(const FeatureRequest& request, const VideoFormats& formats);

// Catalogue of features, models and devices, as JSON arrays for programs.

std::string features_json();  // name, summary, backends, options and metrics of each
std::string models_json();    // built-in models: name, purpose, and the display each is for
std::string devices_json();   // Vulkan devices; see vulkan::DeviceInfo

}  // namespace vq
