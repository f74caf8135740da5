// Models in the caller's hands.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/models/model_features.h"

namespace vq::libvmaf {

// What a model asks for, and how it scores. Does not change.
struct ModelState {
  std::string name;                                         // of its scores
  std::shared_ptr<const std::vector<model::Model>> models;  // one
  std::vector<FeatureRequest> features;
  std::vector<std::string> inputs;  // the names of the scores that it takes, in its order
  std::string fault;                // why it cannot be scored; empty: it can
};

// Its members may be called from any thread.
class LoadedModel {
 public:
  LoadedModel(model::ModelSpec spec, model::Model model);

  std::shared_ptr<const ModelState> state() const;
  // Sets options of those features that the extractor provides. What it lacks is left out.
  void overload(const std::string& extractor, const std::map<std::string, std::string>& options);

 private:
  std::shared_ptr<const ModelState> make_state() const;

  mutable std::mutex mutex_;
  model::ModelSpec spec_;
  const std::shared_ptr<const std::vector<model::Model>> models_;
  std::shared_ptr<const ModelState> state_;
};

// The score of a frame; the values are those of `inputs`.
double predict(const ModelState& state, std::span<const double> values);

// Throws Error{kInput} where it cannot be scored.
const ModelState& usable(const ModelState& state);

}  // namespace vq::libvmaf

struct VmafModel {
  VmafModel(vq::model::ModelSpec spec, vq::model::Model model) : loaded(std::move(spec), std::move(model)) {}
  vq::libvmaf::LoadedModel loaded;
};

struct VmafModelCollection {
  std::string name;  // of the scores of all
  std::vector<std::unique_ptr<vq::libvmaf::LoadedModel>> members;
};
