#include "engine/libvmaf/context.h"

#include <charconv>

#include "core/error.h"
#include "core/text.h"

namespace vq::libvmaf {

static bool has_feature(const ModelState& state, const FeatureInfo& info) {
  const auto is_it = [&](const FeatureRequest& request) { return request.info == &info; };
  return std::ranges::any_of(state.features, is_it);
}

// In place of what was said before of the same option.
static void put(std::vector<model::Overload>& overloads, model::Overload added) {
  for (model::Overload& known : overloads) {
    if (known.feature != added.feature || known.option != added.option) continue;
    known.value = std::move(added.value);
    return;
  }
  overloads.push_back(std::move(added));
}

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

// The spec of a model, whose `source` is the version or the path. VMAF_MODEL_FLAG_DISABLE_TRANSFORM changes
// nothing, as in the reference.
static model::ModelSpec spec_of(const VmafModelConfig* cfg, std::string model::ModelSpec::*source,
                                const char* text) {
  model::ModelSpec spec;
  spec.*source = text;
  if (cfg == nullptr) return spec;
  if (cfg->name != nullptr) spec.name = cfg->name;
  spec.disable_clip = (cfg->flags & VMAF_MODEL_FLAG_DISABLE_CLIP) != 0;
  spec.enable_transform = (cfg->flags & VMAF_MODEL_FLAG_ENABLE_TRANSFORM) != 0;
  return spec;
}

// A missing model is a warning: some callers ask for a collection next.
static std::vector<model::Model> load(const model::ModelSpec& spec) {
  try {
    return model::load_models(spec);
  } catch (const Error& error) {
    log(spec.version.empty() ? LogLevel::kError : LogLevel::kWarning, error.what());
    if (spec.path.ends_with(".pkl"))
      log(LogLevel::kError, "models of this kind are not read; each has a twin in JSON");
    return {};
  }
}

static int load_model(VmafModel** model, const VmafModelConfig* cfg, std::string model::ModelSpec::*source,
                      const char* text) {
  return guarded(model != nullptr && text != nullptr, [&] {
    const model::ModelSpec spec = spec_of(cfg, source, text);
    std::vector<model::Model> models = load(spec);
    if (models.empty()) return -EINVAL;
    if (models.size() > 1) {
      log(LogLevel::kWarning, words("{} is a collection of models", model::source_of(spec)));
      return -EINVAL;
    }
    *model = new VmafModel(spec, std::move(models.front()));
    return 0;
  });
}

static int load_collection(VmafModel** model, VmafModelCollection** collection, const VmafModelConfig* cfg,
                           std::string model::ModelSpec::*source, const char* text) {
  return guarded(model != nullptr && collection != nullptr && text != nullptr, [&] {
    const model::ModelSpec spec = spec_of(cfg, source, text);
    std::vector<model::Model> models = load(spec);
    if (models.empty()) return -EINVAL;
    if (models.size() < 2) {
      log(LogLevel::kError, words("{} is no collection of models", model::source_of(spec)));
      return -EINVAL;
    }
    auto own = std::make_unique<VmafModel>(spec, std::move(models.front()));
    auto made = std::make_unique<VmafModelCollection>();
    made->name = spec.name;
    for (size_t i = 1; i < models.size(); ++i) {
      model::ModelSpec own_spec = spec;
      own_spec.name = member_name(spec.name, i);
      made->members.push_back(std::make_unique<LoadedModel>(std::move(own_spec), std::move(models[i])));
    }
    *model = own.release();
    *collection = made.release();
    return 0;
  });
}

}  // namespace vq::libvmaf

namespace lib = vq::libvmaf;
using vq::model::ModelSpec;

int vmaf_model_load(VmafModel** model, VmafModelConfig* cfg, const char* version) {
  return lib::load_model(model, cfg, &ModelSpec::version, version);
}

int vmaf_model_load_from_path(VmafModel** model, VmafModelConfig* cfg, const char* path) {
  return lib::load_model(model, cfg, &ModelSpec::path, path);
}

int vmaf_model_feature_overload(VmafModel* model, const char* feature_name,
                                VmafFeatureDictionary* opts_dict) {
  return lib::guarded(model != nullptr && feature_name != nullptr && opts_dict != nullptr, [&] {
    model->loaded.overload(feature_name, opts_dict->entries);
    delete opts_dict;
  });
}

void vmaf_model_destroy(VmafModel* model) { delete model; }

int vmaf_model_collection_load(VmafModel** model, VmafModelCollection** model_collection,
                               VmafModelConfig* cfg, const char* version) {
  return lib::load_collection(model, model_collection, cfg, &ModelSpec::version, version);
}

int vmaf_model_collection_load_from_path(VmafModel** model, VmafModelCollection** model_collection,
                                         VmafModelConfig* cfg, const char* path) {
  return lib::load_collection(model, model_collection, cfg, &ModelSpec::path, path);
}

int vmaf_model_collection_feature_overload(VmafModel* model, VmafModelCollection** model_collection,
                                           const char* feature_name, VmafFeatureDictionary* opts_dict) {
  if (model == nullptr || model_collection == nullptr || *model_collection == nullptr) return -EINVAL;
  return lib::guarded(feature_name != nullptr && opts_dict != nullptr, [&] {
    for (const auto& member : (*model_collection)->members)
      member->overload(feature_name, opts_dict->entries);
    model->loaded.overload(feature_name, opts_dict->entries);
    delete opts_dict;
  });
}

void vmaf_model_collection_destroy(VmafModelCollection* model_collection) { delete model_collection; }

namespace vq::libvmaf {

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

static std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  return text;
}

// Takes a sign off the front.
static bool take_minus(std::string_view& text) {
  const bool is_negative = text.starts_with('-');
  if (is_negative || text.starts_with('+')) text.remove_prefix(1);
  return is_negative;
}

// Reads a number at the front, and takes it off. False if there is none that T has room for.
template <typename T>
static bool take_number(std::string_view& text, T& value) {
  std::string_view rest = without_blanks(text);
  const bool is_negative = take_minus(rest);
  const bool is_hexadecimal = rest.starts_with("0x") || rest.starts_with("0X");
  if (is_hexadecimal) rest.remove_prefix(2);
  if (rest.starts_with('-')) return false;
  const auto format = is_hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const auto [end, fault] = std::from_chars(rest.data(), rest.data() + rest.size(), value, format);
  if (fault != std::errc()) return false;
  if (is_negative) value = -value;
  text = rest.substr(static_cast<size_t>(end - rest.data()));
  return true;
}

static std::string general_text(double value, int digits) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value, std::chars_format::general, digits);
  return std::string(text, end.ptr);
}

// Digits at the front, and nothing else of it.
static std::string whole_part(std::string_view text) {
  text = without_blanks(text);
  const bool is_negative = take_minus(text);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto end = std::ranges::find_if_not(text, is_digit);
  const std::string digits(text.begin(), end);
  return digits.empty() ? "0" : (is_negative ? "-" : "") + digits;
}

std::string normalised(const std::string& value) {
  std::string_view rest = value;
  float number = 0;
  if (!take_number(rest, number) || !rest.empty()) return value;
  return general_text(static_cast<double>(number), 6);
}

std::string exact_text(const OptionSpec& option, const std::string& value) {
  if (option.kind == OptionKind::kInt) return whole_part(value);
  if (option.kind != OptionKind::kReal) return value;
  std::string_view rest = value;
  double number = 0;
  if (!take_number(rest, number)) return "0";
  return general_text(number, 17);
}

const OptionSpec* find_option(const FeatureInfo& feature, const std::string& name) {
  const auto is_it = [&](const OptionSpec& option) { return option.name == name && option.in_exact_form; };
  const auto found = std::ranges::find_if(feature.options, is_it);
  return found == feature.options.end() ? nullptr : &*found;
}

FeatureRequest request_of(const FeatureInfo& feature, const std::map<std::string, std::string>& options) {
  FeatureRequest request{.info = &feature, .options = OptionSet(feature.options), .asked_by = AskedBy::kUser};
  for (const auto& [name, value] : options) {
    const OptionSpec* const option = find_option(feature, name);
    if (option == nullptr) continue;
    request.heatmaps |= name == feature.heatmap_option && !value.empty();
    request.options.set(name, exact_text(*option, value), OptionForm::kExact);
  }
  return request;
}

}  // namespace vq::libvmaf

int vmaf_feature_dictionary_set(VmafFeatureDictionary** dict, const char* key, const char* value) {
  return lib::guarded(dict != nullptr && key != nullptr && value != nullptr, [&] {
    auto made = *dict == nullptr ? std::make_unique<VmafFeatureDictionary>() : nullptr;
    VmafFeatureDictionary& target = made ? *made : **dict;
    target.entries[key] = lib::normalised(value);
    if (made) *dict = made.release();
  });
}

int vmaf_feature_dictionary_free(VmafFeatureDictionary** dict) {
  if (dict == nullptr) return -EINVAL;
  delete *dict;
  *dict = nullptr;
  return 0;
}
