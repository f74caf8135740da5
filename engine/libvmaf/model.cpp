#include "engine/libvmaf/model.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "engine/libvmaf/dictionary.h"
#include "engine/libvmaf/registration.h"
#include "engine/libvmaf/score_names.h"

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
