#include "cli/run/settle_models.h"

#include <algorithm>
#include <set>

#include "cli/run/feature_flags.h"
#include "core/error.h"
#include "core/text.h"
#include "core/text/number_text.h"
#include "core/text/xml_text.h"
#include "engine/models/catalogue.h"

namespace vq::cli {
namespace {

constexpr size_t kMostModels = 32;

bool has_same_options(const FeatureRequest& a, const FeatureRequest& b) {
  return std::all_of(a.info->options.begin(), a.info->options.end(), [&](const OptionSpec& spec) {
    return a.options.text(spec.name) == b.options.text(spec.name);
  });
}

// What a scaled model sees others do not.
std::string display_of(const model::ModelSpec& spec) {
  const model::CatalogueEntry* const entry = spec.is_scaled ? model::find_entry(spec.version) : nullptr;
  return entry == nullptr ? "" : ";scaled to " + std::to_string(entry->lines);
}

// Collects the features of a run, each instance once.
class Merger {
 public:
  explicit Merger(RunOptions& arguments) : arguments_(arguments) {
    arguments_.features.clear();
    arguments_.models.clear();
    arguments_.remarks.clear();
  }

  void add(model::RequestedModel requested) {
    ModelOfRun added{.model = std::move(requested)};
    for (size_t i = 0; i < added.model.features.size(); ++i) {
      std::string open = display_of(added.model.spec);
      for (const model::OpenOption& option : added.model.open_options) {
        if (option.feature == i) open += ";" + option.option;
      }
      added.places.push_back(place_of(added.model.features[i], open));
    }
    arguments_.models.push_back(std::move(added));
  }

  void add(const FeatureRequest& request) { place_of(request, ""); }

 private:
  size_t place_of(const FeatureRequest& request, const std::string& open) {
    const std::string key = model::instance_of(request) + open;
    const auto known = std::find(keys_.begin(), keys_.end(), key);
    if (known == keys_.end()) {
      keys_.push_back(key);
      arguments_.features.push_back(request);
      return keys_.size() - 1;
    }
    const auto place = static_cast<size_t>(known - keys_.begin());
    if (!request.is_inner) arguments_.features[place].is_inner = false;
    if (!has_same_options(arguments_.features[place], request)) {
      arguments_.remarks.push_back(std::string(request.info->name) + " is asked for twice under the same names (" + key +
                                   "); the options of the first are taken.");
    }
    return place;
  }

  RunOptions& arguments_;
  std::vector<std::string> keys_;  // of the features
};

model::ModelSpec provisional(model::ModelSpec spec) {
  if (spec.is_automatic && model::find_entry(spec.version) == nullptr) spec.version = model::suited_model({}, {}).model;
  return spec;
}

// As far as is known before the videos are.
bool scores_alike(const FeatureRequest& a, const FeatureRequest& b) {
  const bool is_open = std::any_of(b.info->options.begin(), b.info->options.end(), [&](const OptionSpec& spec) {
    return b.options.text(spec.name) == "auto" && a.options.text(spec.name) != "auto";
  });
  return !is_open && model::instance_of(a) == model::instance_of(b);
}

// Applies flags to the features of models, and warns where one is no longer as its model has it. Returns the flags that none
// of them has.
FlagTexts change_models(const FlagTexts& flags, RunOptions& arguments) {
  const std::vector<FeatureRequest> before = arguments.features;
  FlagTexts unknown = apply_feature_flags(flags, arguments.features);
  for (size_t i = 0; i < before.size(); ++i) {
    if (scores_alike(before[i], arguments.features[i])) continue;
    std::string scores, said;
    for (const ModelOfRun& model : arguments.models) {
      if (std::find(model.places.begin(), model.places.end(), i) == model.places.end()) continue;
      scores += (scores.empty() ? "" : ", ") + printable(model.model.spec.name);
    }
    for (const auto& [name, text] : flags) {
      if (has_flag(*before[i].info, name)) said += " " + name + (text.empty() ? "" : " " + printable(text));
    }
    const std::string feature(before[i].info->name);
    arguments.remarks.push_back(scores + " is scored with" + said + ", which its model does not have. --feature " + feature + said +
                                " scores " + feature + " by itself and leaves the model alone.");
  }
  return unknown;
}

// As attributes of XML, where a frame has its number beside the scores.
void check_xml_names(const RunOptions& arguments) {
  std::set<std::string> seen = {"frameNum"};
  for (const Metric& metric : report_metrics(arguments.features, arguments.models)) {
    if (seen.insert(attribute_name(metric.name)).second) continue;
    throw Error(ErrorKind::kUsage, "as an attribute of XML \"" + printable(metric.name) + "\" would be \"" + attribute_name(metric.name) +
                                       "\", which there is already. Give the model another name: --model ...:name=NAME");
  }
}

void check_names(const RunOptions& arguments) {
  std::set<std::string> seen;
  for (const ModelOfRun& model : arguments.models) {
    if (seen.insert(model.model.spec.name).second) continue;
    throw Error(ErrorKind::kUsage, "two models would both report \"" + printable(model.model.spec.name) +
                                       "\". Give one of them another name: --model ...:name=NAME");
  }
  std::set<std::string> all;
  for (const Metric& metric : report_metrics(arguments.features, arguments.models)) {
    if (all.insert(metric.name).second) continue;
    throw Error(ErrorKind::kUsage, "a model and a feature would both report \"" + printable(metric.name) +
                                       "\". Give the model another name: --model ...:name=NAME");
  }
  check_xml_names(arguments);
}

}  // namespace

void settle_models(RunOptions& arguments) {
  if (arguments.model_specs.size() > kMostModels) {
    throw Error(ErrorKind::kUsage, "more than " + std::to_string(kMostModels) + " models.");
  }
  std::vector<FeatureRequest> asked = arguments.asked_features;
  const FlagTexts rest = apply_feature_flags(arguments.feature_flags, asked);
  Merger merger(arguments);
  for (const model::ModelSpec& spec : arguments.model_specs) {
    merger.add(model::request_model(provisional(spec)));
  }
  const FlagTexts unknown = change_models(rest, arguments);
  for (const FeatureRequest& request : asked) merger.add(request);
  refuse_flags(unknown, arguments.features);
  if (arguments.models.empty()) return;
  check_names(arguments);
  if (arguments.no_prediction) {
    for (ModelOfRun& model : arguments.models) model.has_scores = false;
    for (FeatureRequest& request : arguments.features) request.is_inner = false;  // they are what is wanted of the models
  }
}

std::vector<std::string> choose_models(RunOptions& arguments, const VideoFormat& reference, std::optional<double> frame_rate) {
  std::vector<std::string> lines;
  const model::CatalogueEntry& suited = model::suited_model(reference, frame_rate);
  for (model::ModelSpec& spec : arguments.model_specs) {
    if (!spec.is_automatic) continue;
    spec.version = suited.model;
    std::string rate = "an unknown frame rate";
    if (frame_rate) rate = number_text(*frame_rate, {NumberStyle::Kind::kSignificant, 5}) + " frames/s";
    lines.push_back(spec.name + "=" + spec.version + " (" + std::to_string(reference.width) + "x" +
                    std::to_string(reference.height) + ", " + rate + ")");
  }
  if (lines.empty()) return lines;
  const std::vector<FeatureRequest> before = arguments.features;
  settle_models(arguments);
  // Folders and files were given to the features that stood there.
  for (size_t i = 0; i < std::min(before.size(), arguments.features.size()); ++i) {
    FeatureRequest& request = arguments.features[i];
    if (before[i].info != request.info) continue;
    for (const OptionSpec& option : request.info->options) {
      const bool is_given = option.kind == OptionKind::kPath && !before[i].options.get_text(option.name).empty();
      if (is_given) request.options.resolve(option.name, before[i].options.get_text(option.name));
    }
  }
  return lines;
}

void fill_open_options(const std::vector<ModelOfRun>& models, const VideoFormat& encoded, std::vector<FeatureRequest>& features) {
  for (const ModelOfRun& model : models) {
    for (const model::OpenOption& open : model.model.open_options) {
      FeatureRequest& request = features[model.places[open.feature]];
      if (!request.options.is_set(open.option)) model::fill(request, open.option, encoded);
    }
  }
}

}  // namespace vq::cli
