#include "engine/libvmaf/model.h"

#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "engine/libvmaf/dictionary.h"
#include "engine/libvmaf/interface.h"
#include "engine/libvmaf/log.h"
#include "engine/libvmaf/score_store.h"
#include "engine/libvmaf/scoring_group.h"

namespace vq::libvmaf {
namespace {

bool has_feature(const ModelState& state, const FeatureInfo& info) {
  const auto is_it = [&](const FeatureRequest& request) { return request.info == &info; };
  return std::any_of(state.features.begin(), state.features.end(), is_it);
}

// In place of what was said before of the same option.
void put(std::vector<model::Overload>& overloads, model::Overload added) {
  for (model::Overload& known : overloads) {
    if (known.feature != added.feature || known.option != added.option) continue;
    known.value = std::move(added.value);
    return;
  }
  overloads.push_back(std::move(added));
}

}  // namespace

LoadedModel::LoadedModel(model::ModelSpec spec, model::Model model)
    : spec_(std::move(spec)),
      models_(std::make_shared<const std::vector<model::Model>>(1, std::move(model))),
      state_(make_state()) {}

std::shared_ptr<const ModelState> LoadedModel::make_state() const {
  auto state = std::make_shared<ModelState>();
  state->name = spec_.name;
  state->models = models_;
  try {
    model::RequestedModel requested = model::request_models(spec_, models_);
    for (const model::Input& input : requested.inputs.front())
      state->inputs.push_back(stored_name(model::metric_of(input, requested.features[input.feature])));
    state->features = std::move(requested.features);
  } catch (const Error& error) {
    state->fault = error.what();
  }
  return state;
}

std::shared_ptr<const ModelState> LoadedModel::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void LoadedModel::overload(const std::string& extractor, const std::map<std::string, std::string>& options) {
  const FeatureInfo* const info = find_extractor(extractor);
  const std::lock_guard lock(mutex_);
  if (info == nullptr || !has_feature(*state_, *info)) return;
  for (const auto& [name, value] : options) {
    const OptionSpec* const option = find_option(*info, name);
    if (option != nullptr) put(spec_.overloads, {extractor, name, exact_text(*option, value)});
  }
  state_ = make_state();
}

double predict(const ModelState& state, std::span<const double> values) {
  const model::Model& model = state.models->front();
  return model::shape(model, model::regress(model, values));
}

const ModelState& usable(const ModelState& state) {
  if (!state.fault.empty()) throw Error(ErrorKind::kInput, state.fault);
  return state;
}

}  // namespace vq::libvmaf

// Functions of models and of collections of them.

namespace vq::libvmaf {
namespace {

// What a model is called, and how it scores. VMAF_MODEL_FLAG_DISABLE_TRANSFORM changes nothing, as in the
// reference.
model::ModelSpec spec_of(const VmafModelConfig* cfg) {
  model::ModelSpec spec;
  if (cfg == nullptr) return spec;
  if (cfg->name != nullptr) spec.name = cfg->name;
  spec.disable_clip = (cfg->flags & VMAF_MODEL_FLAG_DISABLE_CLIP) != 0;
  spec.enable_transform = (cfg->flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM) != 0;
  return spec;
}

model::ModelSpec built_in(const VmafModelConfig* cfg, const char* version) {
  model::ModelSpec spec = spec_of(cfg);
  spec.version = version;
  return spec;
}

model::ModelSpec of_file(const VmafModelConfig* cfg, const char* path) {
  model::ModelSpec spec = spec_of(cfg);
  spec.path = path;
  return spec;
}

// What there is no such model of is a warning: some ask for a collection next.
std::vector<model::Model> load(const model::ModelSpec& spec) {
  try {
    return model::load_models(spec);
  } catch (const Error& error) {
    log(spec.version.empty() ? LogLevel::kError : LogLevel::kWarning, error.what());
    if (spec.path.ends_with(".pkl"))
      log(LogLevel::kError, "models of this kind are not read; each has a twin in JSON");
    return {};
  }
}

int load_model(VmafModel** model, const model::ModelSpec& spec) {
  return guarded([&] {
    std::vector<model::Model> models = load(spec);
    if (models.empty()) return -EINVAL;
    if (models.size() > 1) {
      log(LogLevel::kWarning, model::source_of(spec) + " is a collection of models");
      return -EINVAL;
    }
    *model = new VmafModel(spec, std::move(models.front()));
    return 0;
  });
}

int load_collection(VmafModel** model, VmafModelCollection** collection, const model::ModelSpec& spec) {
  return guarded([&] {
    std::vector<model::Model> models = load(spec);
    if (models.empty()) return -EINVAL;
    if (models.size() < 2) {
      log(LogLevel::kError, model::source_of(spec) + " is no collection of models");
      return -EINVAL;
    }
    auto own = std::make_unique<VmafModel>(spec, std::move(models.front()));
    auto made = std::make_unique<VmafModelCollection>();
    made->name = spec.name;
    for (size_t i = 1; i < models.size(); ++i) {
      model::ModelSpec own_spec = spec;
      char number[24];
      std::snprintf(number, sizeof number, "_%04zu", i);
      own_spec.name += number;
      made->members.push_back(std::make_unique<LoadedModel>(std::move(own_spec), std::move(models[i])));
    }
    *model = own.release();
    *collection = made.release();
    return 0;
  });
}

}  // namespace
}  // namespace vq::libvmaf

int vmaf_model_load(VmafModel** model, VmafModelConfig* cfg, const char* version) {
  if (model == nullptr || version == nullptr) return -EINVAL;
  return vq::libvmaf::guarded(
      [&] { return vq::libvmaf::load_model(model, vq::libvmaf::built_in(cfg, version)); });
}

int vmaf_model_load_from_path(VmafModel** model, VmafModelConfig* cfg, const char* path) {
  if (model == nullptr || path == nullptr) return -EINVAL;
  return vq::libvmaf::guarded(
      [&] { return vq::libvmaf::load_model(model, vq::libvmaf::of_file(cfg, path)); });
}

int vmaf_model_feature_overload(VmafModel* model, const char* feature_name,
                                VmafFeatureDictionary* opts_dict) {
  if (model == nullptr || feature_name == nullptr || opts_dict == nullptr) return -EINVAL;
  return vq::libvmaf::guarded([&] {
    model->loaded.overload(feature_name, opts_dict->entries);
    delete opts_dict;
    return 0;
  });
}

void vmaf_model_destroy(VmafModel* model) {
  delete model;
}

int vmaf_model_collection_load(VmafModel** model, VmafModelCollection** model_collection,
                               VmafModelConfig* cfg, const char* version) {
  if (model == nullptr || model_collection == nullptr || version == nullptr) return -EINVAL;
  return vq::libvmaf::guarded([&] {
    return vq::libvmaf::load_collection(model, model_collection, vq::libvmaf::built_in(cfg, version));
  });
}

int vmaf_model_collection_load_from_path(VmafModel** model, VmafModelCollection** model_collection,
                                         VmafModelConfig* cfg, const char* path) {
  if (model == nullptr || model_collection == nullptr || path == nullptr) return -EINVAL;
  return vq::libvmaf::guarded(
      [&] { return vq::libvmaf::load_collection(model, model_collection, vq::libvmaf::of_file(cfg, path)); });
}

int vmaf_model_collection_feature_overload(VmafModel* model, VmafModelCollection** model_collection,
                                           const char* feature_name, VmafFeatureDictionary* opts_dict) {
  if (model == nullptr || model_collection == nullptr || *model_collection == nullptr) return -EINVAL;
  if (feature_name == nullptr || opts_dict == nullptr) return -EINVAL;
  return vq::libvmaf::guarded([&] {
    for (const auto& member : (*model_collection)->members)
      member->overload(feature_name, opts_dict->entries);
    model->loaded.overload(feature_name, opts_dict->entries);
    delete opts_dict;
    return 0;
  });
}

void vmaf_model_collection_destroy(VmafModelCollection* model_collection) {
  delete model_collection;
}
