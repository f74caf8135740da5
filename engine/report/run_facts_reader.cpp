#include "engine/report/run_facts_reader.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "engine/report/json_values.h"

namespace vq {
namespace {

using nlohmann::json;

InputFacts input_facts(const json& input) {
  InputFacts facts;
  facts.role = value_or_default<std::string>(input, "role");
  facts.path = value_or_default<std::string>(input, "path");
  facts.container = value_or_default<std::string>(input, "container");
  facts.codec = value_or_default<std::string>(input, "codec");
  facts.pixel_format = value_or_default<std::string>(input, "pixel_format");
  facts.width = value_or_default<int>(input, "width");
  facts.height = value_or_default<int>(input, "height");
  facts.bit_depth = value_or_default<int>(input, "bit_depth");
  facts.chroma = value_or_default<std::string>(input, "chroma");
  facts.range = value_or_default<std::string>(input, "range");
  facts.transfer = value_or_default<std::string>(input, "transfer");
  facts.matrix = value_or_default<std::string>(input, "matrix");
  facts.frame_rate = value_or_default<std::optional<double>>(input, "frame_rate");
  facts.frames = value_or_default<int64_t>(input, "frames");
  facts.skipped = value_or_default<int64_t>(input, "skipped");
  facts.file_bytes = value_or_default<std::optional<int64_t>>(input, "file_bytes");
  facts.duration = value_or_default<std::optional<double>>(input, "duration");
  facts.bit_rate = value_or_default<std::optional<int64_t>>(input, "bit_rate");
  facts.bit_rate_of = value_or_default<std::string>(input, "bit_rate_of");
  facts.encoder = value_or_default<std::string>(input, "encoder");
  facts.encoder_settings = value_or_default<std::string>(input, "encoder_settings");
  facts.decoder = value_or_default<std::string>(input, "decoder");
  facts.film_grain = value_or_default<std::string>(input, "film_grain");
  return facts;
}

// The members of an object that are of type T, in the order of the document.
template <typename T>
std::vector<std::pair<std::string, T>> members_of(const json& parent, const char* key,
                                                  const NamePlaces& places) {
  std::vector<std::pair<std::string, T>> members;
  const json* object = member(parent, key);
  if (!object || !object->is_object()) return members;
  for (const auto& [name, value] : object->items()) {
    const bool fits = std::is_same_v<T, double> ? value.is_number() : value.is_string();
    if (fits) members.emplace_back(name, value.template get<T>());
  }
  const auto place_of = [&](const auto& one) {
    const auto found = places.find(one.first);
    return found == places.end() ? places.size() : found->second;
  };
  std::stable_sort(members.begin(), members.end(),
                   [&](const auto& a, const auto& b) { return place_of(a) < place_of(b); });
  return members;
}

std::optional<CropFacts> crop_facts(const json& run, const char* name) {
  const json* crop = member(run, name);
  if (!crop || !crop->is_object()) return std::nullopt;
  return CropFacts{.width = value_or_default<int>(*crop, "width"),
                   .height = value_or_default<int>(*crop, "height"),
                   .x = value_or_default<int>(*crop, "x"),
                   .y = value_or_default<int>(*crop, "y")};
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

ThresholdFacts threshold_facts(const json& threshold) {
  const auto number = [&](const char* key) {
    return value_or_default<std::optional<double>>(threshold, key).value_or(kNaN);
  };
  ThresholdFacts facts = {.expression = value_or_default<std::string>(threshold, "expression"),
                          .metric = value_or_default<std::string>(threshold, "metric"),
                          .statistic = value_or_default<std::string>(threshold, "statistic"),
                          .value = number("value"),
                          .crossed = value_or_default<bool>(threshold, "crossed")};
  if (member(threshold, "baseline") != nullptr) facts.baseline = number("baseline");
  return facts;
}

SegmentFacts segment_facts(const json& segments) {
  SegmentFacts facts;
  facts.metric = value_or_default<std::string>(segments, "metric");
  facts.rule = {.from = value_or_default<double>(segments, "from"),
                .until = value_or_default<double>(segments, "until"),
                .smoothed_seconds = value_or_default<double>(segments, "smoothed_seconds"),
                .shortest_frames = value_or_default<int64_t>(segments, "shortest_frames"),
                .shortest_seconds = value_or_default<double>(segments, "shortest_seconds")};
  const json* const list = member(segments, "list");
  if (list == nullptr || !list->is_array()) return facts;
  for (const json& segment : *list) {
    facts.list.push_back({.first = value_or_default<int64_t>(segment, "first"),
                          .last = value_or_default<int64_t>(segment, "last"),
                          .start = value_or_default<std::optional<double>>(segment, "start"),
                          .end = value_or_default<std::optional<double>>(segment, "end"),
                          .mean = value_or_default<std::optional<double>>(segment, "mean").value_or(kNaN),
                          .worst = value_or_default<std::optional<double>>(segment, "worst").value_or(kNaN),
                          .worst_frame = value_or_default<int64_t>(segment, "worst_frame")});
  }
  return facts;
}

std::vector<SegmentFacts> all_segment_facts(const json& run) {
  const json* const first = member(run, "segments");
  if (first == nullptr || !first->is_object()) return {};
  std::vector<SegmentFacts> all = {segment_facts(*first)};
  const json* const more = member(run, "more_segments");
  if (more == nullptr || !more->is_array()) return all;
  for (const json& segments : *more) {
    if (segments.is_object()) all.push_back(segment_facts(segments));
  }
  return all;
}

std::optional<std::vector<int64_t>> scene_cuts(const json& run) {
  const json* const list = member(run, "scene_cuts");
  if (list == nullptr || !list->is_array()) return std::nullopt;
  std::vector<int64_t> cuts;
  for (const json& cut : *list) {
    if (cut.is_number()) cuts.push_back(number_or_default<int64_t>(cut));
  }
  return cuts;
}

std::optional<OriginFacts> origin_facts(const json& run) {
  const json* const origin = member(run, "origin");
  if (origin == nullptr || !origin->is_object()) return std::nullopt;
  OriginFacts facts;
  facts.scores = value_or_default<std::string>(*origin, "scores");
  facts.outputs = value_or_default<std::string>(*origin, "outputs");
  const json* const files = member(*origin, "files");
  if (files == nullptr || !files->is_array()) return facts;
  for (const json& file : *files) {
    facts.files.push_back({.path = value_or_default<std::string>(file, "path"),
                           .bytes = value_or_default<int64_t>(file, "bytes"),
                           .modified = value_or_default<std::string>(file, "modified")});
  }
  return facts;
}

std::vector<StageFacts> stage_facts(const json& run) {
  const json* const list = member(run, "stages");
  if (list == nullptr || !list->is_array()) return {};
  std::vector<StageFacts> stages;
  for (const json& stage : *list) {
    stages.push_back({.name = value_or_default<std::string>(stage, "name"),
                      .on_device = value_or_default<std::string>(stage, "on") == "device",
                      .milliseconds = value_or_default<double>(stage, "milliseconds"),
                      .bytes = value_or_default<std::optional<int64_t>>(stage, "bytes")});
  }
  return stages;
}

std::optional<PaceFacts> pace_facts(const json& run) {
  const json* const pace = member(run, "pace");
  if (pace == nullptr || !pace->is_object()) return std::nullopt;
  const json* const parts = member(*pace, "parts");
  if (parts == nullptr || !parts->is_object()) return std::nullopt;
  PaceFacts facts;
  for (size_t i = 0; i < pace::kParts.size(); ++i) {
    facts.seconds[i] = value_or_default<double>(*parts, std::string(pace::kParts[i]).c_str());
  }
  return facts;
}

std::vector<ModelFacts> model_facts(const json& run) {
  constexpr size_t kMostModels = 32;
  const json* const list = member(run, "models");
  if (list == nullptr || !list->is_array()) return {};
  std::vector<ModelFacts> models;
  for (const json& model : *list) {
    if (models.size() == kMostModels) break;
    models.push_back({.name = value_or_default<std::string>(model, "name"),
                      .source = value_or_default<std::string>(model, "source"),
                      .metrics = strings(model, "metrics"),
                      .scored_at = value_or_default<std::string>(model, "scored_at"),
                      .unsuited = value_or_default<std::string>(model, "unsuited")});
  }
  return models;
}

}  // namespace

RunFacts read_run_facts(const json& run, const NameOrder& order) {
  RunFacts facts;
  facts.arguments = strings(run, "arguments");
  facts.backend = value_or_default<std::string>(run, "backend");
  facts.device = value_or_default<std::string>(run, "device");
  facts.driver = value_or_default<std::string>(run, "driver");
  facts.simd = value_or_default<std::string>(run, "simd");
  facts.threads = value_or_default<int>(run, "threads");
  facts.wall_seconds = value_or_default<double>(run, "wall_seconds");
  facts.complete = value_or_default<bool>(run, "complete");
  facts.repeated_frames = value_or_default<int64_t>(run, "repeated_frames");
  facts.subsample = std::max<int64_t>(1, value_or_default<int64_t>(run, "subsample"));
  facts.sample_is_spread = value_or_default<bool>(run, "sample_is_spread");
  facts.gpu_milliseconds = members_of<double>(run, "gpu_milliseconds", order.stages);
  facts.bytes_uploaded = value_or_default<int64_t>(run, "bytes_uploaded");
  facts.bytes_read = value_or_default<int64_t>(run, "bytes_read");
  facts.stages = stage_facts(run);
  facts.pace = pace_facts(run);
  facts.crop = crop_facts(run, "crop");
  facts.reference_crop = crop_facts(run, "crop_reference");
  facts.segments = all_segment_facts(run);
  facts.scene_cuts = scene_cuts(run);
  facts.origin = origin_facts(run);
  facts.models = model_facts(run);
  facts.notes = strings(run, "notes");
  facts.warnings = strings(run, "warnings");
  facts.pair_faults = strings(run, "pair_faults");
  if (const json* inputs = member(run, "inputs"); inputs && inputs->is_array()) {
    for (const json& input : *inputs) facts.inputs.push_back(input_facts(input));
  }
  if (const json* features = member(run, "features"); features && features->is_array()) {
    size_t read = 0;  // of those that the order knows
    for (const json& feature : *features) {
      const size_t place = feature.is_structured() ? read++ : order.options.size();
      const NamePlaces options = place < order.options.size() ? order.options[place] : NamePlaces();
      facts.features.emplace_back(value_or_default<std::string>(feature, "name"),
                                  members_of<std::string>(feature, "options", options));
    }
  }
  if (const json* thresholds = member(run, "thresholds"); thresholds && thresholds->is_array()) {
    for (const json& threshold : *thresholds) facts.thresholds.push_back(threshold_facts(threshold));
  }
  return facts;
}

}  // namespace vq
