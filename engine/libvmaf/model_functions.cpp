// Functions of models and of collections of them.
#include <algorithm>
#include <cstdio>
#include <string_view>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "engine/libvmaf/dictionary.h"
#include "engine/libvmaf/guarded.h"
#include "engine/libvmaf/interface.h"
#include "engine/libvmaf/model.h"

namespace vq::libvmaf {
namespace {

// Where a model comes from, and what it is called.
struct Source {
  model::ModelSpec spec;
  bool disable_transform = false;
};

Source source_of(const VmafModelConfig* cfg) {
  Source source;
  if (cfg == nullptr) return source;
  if (cfg->name != nullptr) source.spec.name = cfg->name;
  source.spec.disable_clip = (cfg->flags & VMAF_MODEL_FLAG_DISABLE_CLIP) != 0;
  source.spec.enable_transform = (cfg->flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM) != 0;
  // Who asks for both has it.
  source.disable_transform =
      (cfg->flags & VMAF_MODEL_FLAG_DISABLE_TRANSFORM) != 0 && !source.spec.enable_transform;
  return source;
}

Source built_in(const VmafModelConfig* cfg, const char* version) {
  Source source = source_of(cfg);
  source.spec.version = version;
  return source;
}

Source of_file(const VmafModelConfig* cfg, const char* path) {
  Source source = source_of(cfg);
  source.spec.path = path;
  return source;
}

// What there is no such model of is a warning: some ask for a collection next.
std::vector<model::Model> load(const Source& source) {
  try {
    std::vector<model::Model> models = model::load_models(source.spec);
    for (model::Model& model : models) {
      if (source.disable_transform && model.transform) model.transform->is_enabled = false;
    }
    return models;
  } catch (const Error& error) {
    log(source.spec.version.empty() ? LogLevel::kError : LogLevel::kWarning, error.what());
    if (source.spec.path.ends_with(".pkl"))
      log(LogLevel::kError, "models of this kind are not read; each has a twin in JSON");
    return {};
  }
}

int load_model(VmafModel** model, const Source& source) {
  return guarded([&] {
    std::vector<model::Model> models = load(source);
    if (models.empty()) return -EINVAL;
    if (models.size() > 1) {
      log(LogLevel::kWarning, model::source_of(source.spec) + " is a collection of models");
      return -EINVAL;
    }
    *model = new VmafModel(source.spec, std::move(models.front()));
    return 0;
  });
}

int load_collection(VmafModel** model, VmafModelCollection** collection, const Source& source) {
  return guarded([&] {
    std::vector<model::Model> models = load(source);
    if (models.empty()) return -EINVAL;
    if (models.size() < 2) {
      log(LogLevel::kError, model::source_of(source.spec) + " is no collection of models");
      return -EINVAL;
    }
    auto own = std::make_unique<VmafModel>(source.spec, std::move(models.front()));
    auto made = std::make_unique<VmafModelCollection>();
    made->name = source.spec.name;
    for (size_t i = 1; i < models.size(); ++i) {
      model::ModelSpec spec = source.spec;
      char number[24];
      std::snprintf(number, sizeof number, "_%04zu", i);
      spec.name += number;
      made->members.push_back(std::make_unique<LoadedModel>(std::move(spec), std::move(models[i])));
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
