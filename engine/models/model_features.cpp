#include "engine/models/model_features.h"

#include <cmath>

#include "core/error.h"
#include "core/text.h"
#include "engine/known_metrics.h"
#include "engine/models/catalogue.h"
#include "engine/request.h"

namespace vq::model {
namespace {

constexpr std::string_view kOpen = "auto";  // text of an option that is to be filled

std::string called(const ModelSpec& spec) { return words("model {}", source_of(spec)); }

std::vector<Model> load(const ModelSpec& spec) {
  if (spec.version.empty()) return read_models(spec.path);
  for (const BuiltIn& model : built_in_models()) {
    if (model.name == spec.version) return parse_models(model.json, spec.version);
  }
  throw usage_error(unknown_model_text(spec.version));
}

struct Found {
  const FeatureInfo* feature = nullptr;  // null: none has it
  std::string metric = {};
};

Found with_metric(const std::string& metric) {
  for (const FeatureInfo* const info : features()) {
    if (contains(info->metrics, metric, &MetricInfo::name)) return {info, metric};
  }
  return {};
}

// A full name is OWNER_feature_METRIC_score: the owner is VMAF, for metrics of integers VMAF_integer, or the
// feature. Some metrics are reported under their full name.
Found find_metric(const std::string& full_name) {
  constexpr std::string_view kMiddle = "_feature_", kEnd = "_score", kInteger = "VMAF_integer";
  if (Found found = with_metric(full_name); found.feature != nullptr) return found;
  const size_t middle = full_name.find(kMiddle);
  if (middle == std::string::npos || !full_name.ends_with(kEnd)) return {};
  const std::string owner = full_name.substr(0, middle);
  const size_t start = middle + kMiddle.size();
  if (full_name.size() < start + kEnd.size()) return {};
  const std::string bare = full_name.substr(start, full_name.size() - start - kEnd.size());
  if (owner == kInteger) return with_metric("integer_" + bare);
  Found found = with_metric(bare);
  return found.feature != nullptr && lower_case(owner) == found.feature->name ? found : Found();
}

Error unknown_feature(const ModelSpec& spec, const std::string& full_name) {
  const bool is_float = full_name.starts_with("VMAF_feature_");
  return Error(ErrorKind::kMismatch, "{} asks for {}, {}", called(spec), printable(full_name),
               is_float ? "one of the older float features of libvmaf, which this program does not compute; "
                          "models without \"float\" in their names use the integer ones."
                        : "which no feature here computes (see: cambi features).");
}

// The value of an option of this role for a video as it was encoded; nothing for other roles.
std::optional<int> encoded_value(OptionRole role, const VideoFormat& encoded) {
  if (role == OptionRole::kEncodedWidth) return encoded.width;
  if (role == OptionRole::kEncodedHeight) return encoded.height;
  if (role == OptionRole::kEncodedDepth) return encoded.bit_depth;
  return std::nullopt;
}

const char* dimension_of(OptionRole role) {
  return role == OptionRole::kEncodedWidth    ? "widths"
         : role == OptionRole::kEncodedHeight ? "heights"
                                              : "bit depths";
}

// Whether the option says how the video was encoded.
bool is_encoding_option(const FeatureInfo& info, std::string_view option) {
  return std::ranges::any_of(info.options, [&](const OptionSpec& spec) {
    return spec.name == option && encoded_value(spec.role, {}).has_value();
  });
}

// Builds the requests of one model of a run.
class Requests {
 public:
  explicit Requests(const ModelSpec& spec) { result_.spec = spec; }

  RequestedModel make(std::shared_ptr<const std::vector<Model>> models) {
    result_.inputs.resize(models->size());
    // Models of the bootstrap take first.
    for (size_t i = 1; i < models->size(); ++i) take((*models)[i], result_.inputs[i]);
    take(models->front(), result_.inputs.front());
    check_overloads();
    result_.models = std::move(models);
    return std::move(result_);
  }

 private:
  void take(const Model& model, std::vector<Input>& inputs) {
    for (const FeatureOptionRequest& request : model.features) {
      const Found found = find_metric(request.full_name);
      if (found.feature == nullptr) throw unknown_feature(result_.spec, request.full_name);
      inputs.push_back({.feature = place_of(request, *found.feature), .metric = found.metric});
    }
  }

  // The place of the request for it, which is made if there is none.
  size_t place_of(const FeatureOptionRequest& wanted, const FeatureInfo& info) {
    FeatureRequest request{
        .info = &info, .options = OptionSet(info.options), .asked_by = AskedBy::kModel, .is_inner = true};
    std::vector<std::string> open;
    for (const auto& [option, text] : settings_of(wanted, info)) set(request, option, text, open);
    std::string key = instance_of(request);
    for (const std::string& option : open) key += ";" + option;
    const auto known = std::ranges::find(keys_, key);
    if (known != keys_.end()) return static_cast<size_t>(known - keys_.begin());
    keys_.push_back(std::move(key));
    for (const std::string& option : open) result_.open_options.push_back({result_.features.size(), option});
    result_.features.push_back(std::move(request));
    return result_.features.size() - 1;
  }

  // The model's settings, without options that the feature does not have, overridden by the command line's.
  std::map<std::string, std::string> settings_of(const FeatureOptionRequest& request,
                                                 const FeatureInfo& info) const {
    const auto has = [&](const std::string& option) {
      return contains(info.options, option, &OptionSpec::name);
    };
    std::map<std::string, std::string> settings;
    for (const auto& [option, text] : request.options) {
      if (has(option)) settings[option] = text;
    }
    for (const Overload& overload : result_.spec.overloads) {
      if (overload.feature == info.name) settings[overload.option] = option_number(overload.value);
    }
    return settings;
  }

  void set(FeatureRequest& request, const std::string& option, const std::string& text,
           std::vector<std::string>& open) const {
    if (text == kOpen && is_encoding_option(*request.info, option)) return open.push_back(option);
    const std::string name(request.info->name);
    try {
      request.options.set(option, text);
    } catch (const Error& error) {
      throw Error(error.kind(), words("{}, {}: {} (see: cambi features {})", called(result_.spec), name,
                                      error.what(), name));
    }
  }

  void check_overloads() const {
    std::vector<std::string> names;
    for (const FeatureRequest& request : result_.features) names.emplace_back(request.info->name);
    for (const Overload& overload : result_.spec.overloads) {
      if (contains(names, overload.feature)) continue;
      const std::string near = nearest(overload.feature, names);
      std::string all;
      for (const std::string& name : names) {
        if (all.find(name) == std::string::npos) all += (all.empty() ? "" : ", ") + name;
      }
      throw usage_error("{} has no feature \"{}\".{}", called(result_.spec), printable(overload.feature),
                        near.empty() ? " It has: " + all : words(" Did you mean \"{}\"?", near));
    }
  }

  RequestedModel result_;
  std::vector<std::string> keys_;  // of the features
};

}  // namespace

std::vector<Model> load_models(const ModelSpec& spec) {
  std::vector<Model> models = load(spec);
  for (Model& model : models) {
    if (spec.disable_clip) model.clip.reset();
    if (spec.enable_transform && model.transform) model.transform->is_enabled = true;
  }
  return models;
}

RequestedModel request_models(const ModelSpec& spec, std::shared_ptr<const std::vector<Model>> models) {
  return Requests(spec).make(std::move(models));
}

RequestedModel request_model(const ModelSpec& spec) {
  return request_models(spec, std::make_shared<const std::vector<Model>>(load_models(spec)));
}

std::string instance_of(const FeatureRequest& request) {
  return request.options.metric_name(request.info->name);
}

std::string metric_of(const Input& input, const FeatureRequest& request) {
  for (const std::string& name : request.info->metric_names(request.options)) {
    const MetricInfo* const info = find_metric_info(request.info->metrics, name);
    if (info != nullptr && info->name == input.metric) return name;
  }
  throw Error(ErrorKind::kMismatch, "{} does not report {} here", request.info->name, input.metric);
}

std::string encoding_text(const VideoFormat& encoded) {
  return words("{}@{}", size_text(encoded.size()), encoded.bit_depth);
}

std::string model_of_others(const VideoFormats& formats) {
  const std::string name = "vmaf_v0.6.1";
  try {
    const RequestedModel model = request_model(parse_model_spec(name));
    for (const FeatureRequest& request : model.features) check_request(request, formats);
  } catch (const Error&) {
    return {};
  }
  return name;
}

void fill(FeatureRequest& request, const std::string& option, const VideoFormat& encoded) {
  for (const OptionSpec& spec : request.info->options) {
    const std::optional<int> value = encoded_value(spec.role, encoded);
    if (!value || spec.name != option) continue;
    if (*value < spec.min || *value > spec.max) {
      const std::string other = model_of_others({encoded, encoded});
      throw AdvisedError(ErrorKind::kMismatch,
                         {words("{} is {}; {}, which the model needs, takes {} of {} to {}.",
                                shown_path(encoded.name), encoding_text(encoded), request.info->name,
                                dimension_of(spec.role), std::lround(spec.min), std::lround(spec.max)),
                          other.empty() ? Advice::kNone : Advice::kOtherModel,
                          {other}});
    }
    request.options.set(spec.name, std::to_string(*value));
  }
}

void fill_encoding(FeatureRequest& request, const VideoFormat& encoded) {
  for (const OptionSpec& spec : request.info->options) {
    if (!request.options.is_set(spec.name)) fill(request, std::string(spec.name), encoded);
  }
}

std::vector<std::string> collection_names(const RequestedModel& model) {
  std::vector<std::string> names;
  const size_t count = model.models->size();
  if (count < 2) return names;
  for (size_t i = 1; i < count; ++i) names.push_back(member_name(model.spec.name, i));
  for (const std::string_view ending : kCollectionEndings)
    names.push_back(words("{}{}", model.spec.name, ending));
  return names;
}

}  // namespace vq::model

namespace vq {

std::string model_that_asks(const std::vector<ModelOfRun>& models, size_t feature) {
  for (const ModelOfRun& model : models) {
    if (contains(model.places, feature)) return model::source_of(model.model.spec);
  }
  return {};
}

// As people call it: "VMAF v1", "VMAF v0.6.1".
static std::string spoken_name(const std::string& source) {
  const model::CatalogueEntry* const entry = model::find_entry(source);
  if (entry == nullptr) return source;
  constexpr std::string_view kPrefix = "vmaf_";
  return "VMAF " + (entry->is_v1 ? "v1" : std::string(entry->model.substr(kPrefix.size())));
}

std::string refusal_text(const std::vector<ModelOfRun>& models, size_t feature, const FeatureInfo& info,
                         std::string text) {
  const std::string model = model_that_asks(models, feature), own(info.name);
  if (model.empty()) return text;
  const std::string needs = words("; {} needs", own);
  const size_t place = text.find(needs);
  if (place != std::string::npos)
    return text.replace(place, needs.size(), words("; {} needs", spoken_name(model)));
  const bool has_stop = text.ends_with('.');
  if (has_stop) text.pop_back();
  return words("{} ({} needs {}){}", text, model, own, has_stop ? "." : "");
}

std::vector<Metric> model_scores(const std::vector<ModelOfRun>& models) {
  std::vector<Metric> scores, of_collections;
  for (const ModelOfRun& model : models) {
    if (!model.has_scores) continue;
    const std::string& own = model.model.spec.name;
    scores.push_back({.name = own,
                      .values = {},
                      .info = find_model_score(own, {&own, 1}),
                      .model = model::source_of(model.model.spec)});
    for (const std::string& name : model::collection_names(model.model)) {
      of_collections.push_back({name, {}, find_model_score(name, {&own, 1})});
    }
  }
  scores.insert(scores.end(), of_collections.begin(), of_collections.end());
  return scores;
}

std::vector<MetricPlace> report_places(const std::vector<FeatureRequest>& features,
                                       const std::vector<ModelOfRun>& models) {
  std::vector<MetricPlace> places = metric_places(features);
  size_t value = 0;
  for (const Metric& score : model_scores(models)) {
    places.push_back({.metric = score, .feature = features.size(), .value = value++});
  }
  return places;
}

std::vector<Metric> report_metrics(const std::vector<FeatureRequest>& features,
                                   const std::vector<ModelOfRun>& models) {
  return mapped(report_places(features, models), &MetricPlace::metric);
}

// In the order of model_scores(); what a collection adds has no ends.
static std::vector<ScoreEnds> ranges_of_models(const std::vector<ModelOfRun>& models) {
  std::vector<ScoreEnds> ranges;
  for (const ModelOfRun& model : models) {
    if (!model.has_scores) continue;
    const auto& clip = model.model.models->front().clip;
    ranges.push_back(clip ? ScoreEnds{clip->first, clip->second} : ScoreEnds());
  }
  ranges.resize(model_scores(models).size());
  return ranges;
}

std::vector<ScoreEnds> score_ends(const std::vector<FeatureRequest>& features,
                                  const std::vector<ModelOfRun>& models, const VideoFormats& formats) {
  const std::vector<ScoreEnds> of_models = ranges_of_models(models);
  std::vector<ScoreEnds> ranges;
  for (const MetricPlace& place : report_places(features, models)) {
    ScoreEnds& range = ranges.emplace_back();
    if (place.feature == features.size()) {
      range = of_models[place.value];
    } else if (const FeatureRequest& request = features[place.feature]; request.info->score_ends != nullptr) {
      range = request.info->score_ends(request.options, formats_of(request, formats), place.value);
    }
  }
  return ranges;
}

std::vector<std::vector<MetricPlace>> input_places(const ModelOfRun& model,
                                                   const std::vector<FeatureRequest>& features) {
  std::vector<std::vector<MetricPlace>> places;
  for (const std::vector<model::Input>& inputs : model.model.inputs) {
    places.emplace_back();
    for (const model::Input& input : inputs) {
      const size_t feature = model.places[input.feature];
      const FeatureRequest& request = features[feature];
      const std::string name = model::metric_of(input, request);
      const std::vector<Metric> metrics = metrics_of(request);
      const auto found = std::ranges::find(metrics, name, &Metric::name);
      places.back().push_back(
          {.metric = *found, .feature = feature, .value = static_cast<size_t>(found - metrics.begin())});
    }
  }
  return places;
}

VideoFormats formats_of(const ModelOfRun& model, const std::vector<FeatureRequest>& features,
                        const VideoFormats& formats) {
  return model.places.empty() ? formats : formats_of(features[model.places.front()], formats);
}

static ModelFacts facts_of(const ModelOfRun& model, const std::vector<FeatureRequest>& features,
                           const VideoFormats& formats, std::optional<double> frame_rate) {
  ModelFacts facts{.name = model.model.spec.name, .source = model::source_of(model.model.spec)};
  for (const model::Input& input : model.model.inputs.front()) {
    facts.metrics.push_back(model::metric_of(input, features[model.places[input.feature]]));
  }
  const VideoFormat seen = formats_of(model, features, formats).distorted;
  const std::string at = model::encoding_text(seen);
  if (at != model::encoding_text(formats.distorted)) facts.scored_at = at;
  const model::CatalogueEntry* const entry = model::find_entry(model.model.spec.version);
  if (entry == nullptr) return facts;
  for (const std::string& line : model::expectations(*entry, seen, frame_rate)) {
    facts.unsuited += (facts.unsuited.empty() ? "" : ". ") + line;
  }
  return facts;
}

std::vector<ModelFacts> model_facts(const std::vector<ModelOfRun>& models,
                                    const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                                    std::optional<double> frame_rate) {
  std::vector<ModelFacts> facts;
  for (const ModelOfRun& model : models) {
    if (model.has_scores) facts.push_back(facts_of(model, features, formats, frame_rate));
  }
  return facts;
}

RunFacts run_facts(const std::vector<FeatureRequest>& features, const VideoFormats& formats,
                   const BackendReport& backend) {
  RunFacts facts;
  for (const FeatureRequest& feature : features) {
    facts.features.push_back(feature_facts(feature));
    facts.readings.push_back(reading_facts(feature, formats));
  }
  static_cast<BackendReport&>(facts) = backend;
  return facts;
}

}  // namespace vq
