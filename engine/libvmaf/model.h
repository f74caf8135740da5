// Models in the caller's hands.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/models/model_features.h"
#include "feature/feature.h"

namespace vq::libvmaf {

// The features of a model and how it scores. Does not change.
struct ModelState {
  std::string name;                                         // of its scores
  std::shared_ptr<const std::vector<model::Model>> models;  // a single one
  std::vector<FeatureRequest> features;
  std::vector<std::string> inputs;  // the names of the scores that it takes, in its order
  std::string fault;                // why the model cannot be scored; empty if it can
};

// Its members may be called from any thread.
class LoadedModel {
 public:
  LoadedModel(model::ModelSpec spec, model::Model model);

  std::shared_ptr<const ModelState> state() const;
  // Sets options of those of the model's features that the extractor provides. Options that it does not have
  // are left out.
  void overload(const std::string& extractor, const std::map<std::string, std::string>& options);

 private:
  std::shared_ptr<const ModelState> make_state() const;

  mutable std::mutex mutex_;
  model::ModelSpec spec_;
  const std::shared_ptr<const std::vector<model::Model>> models_;
  std::shared_ptr<const ModelState> state_;
};

// The score of a frame. `values` are those of ModelState::inputs.
double predict(const ModelState& state, std::span<const double> values);

// Returns the state. Throws Error{kInput} if the model cannot be scored.
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

// Options as a caller gives them, and how they become those of a feature.

// Keys with their values, which are normalised().
struct VmafFeatureDictionary {
  std::map<std::string, std::string> entries;
};

namespace vq::libvmaf {

// Returns the value as the reference stores it: if the whole text is a number, which may be hexadecimal, it
// is rounded to a float and written with six digits; any other text stays as it is.
std::string normalised(const std::string& value);

// The value as the reference reads it: for an option that is a number, the beginning of the text that is a
// number, or 0 if there is none.
std::string exact_text(const OptionSpec& option, const std::string& value);

// The option of this name that the reference has as well; null if there is none.
const OptionSpec* find_option(const FeatureInfo& feature, const std::string& name);

// The feature with these options. Options that it does not have are left out. Throws Error{kUsage} for a
// value that an option cannot take.
FeatureRequest request_of(const FeatureInfo& feature, const std::map<std::string, std::string>& options);

}  // namespace vq::libvmaf
