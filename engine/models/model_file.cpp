#include "engine/models/model_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/report/json_values.h"

namespace vq::model {
namespace {

using nlohmann::json;

constexpr size_t kMostFeatures = 64, kMostKnots = 10;
constexpr std::streamsize kMostBytes = 64 << 20;  // of a file; the largest known has half a million

// Read as a 32-bit float and written with six digits, as the reference does on its way from a file to an
// option.
std::string float_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, static_cast<double>(static_cast<float>(value)),
                                 std::chars_format::general, 6);
  return std::string(text, end.ptr);
}

bool is_float(double value) {
  return std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
}

Error fault(const std::string& what) {
  return Error(ErrorKind::kInput, what);
}

// A key's value; null where it is absent or null.
const json* find(const json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

const json& need(const json& object, const char* key) {
  if (const json* const value = find(object, key)) return *value;
  throw fault(std::string("it has no ") + key);
}

double number(const json& value, const std::string& what) {
  if (!value.is_number()) throw fault(what + " is no number");
  return value.get<double>();
}

std::optional<double> optional_number(const json& object, const char* key) {
  const json* const value = find(object, key);
  return value == nullptr ? std::nullopt : std::optional(number(*value, key));
}

std::vector<double> numbers(const json& value, const std::string& what, size_t count) {
  if (!value.is_array() || value.size() != count)
    throw fault(words("{} is no list of {} numbers", what, count));
  std::vector<double> list;
  for (const json& element : value) list.push_back(number(element, "an element of " + what));
  return list;
}

std::string text_of(const json& value, const std::string& what) {
  if (!value.is_string()) throw fault(what + " is no string");
  return value.get<std::string>();
}

std::string one_of(const json& object, const char* key, std::span<const std::string_view> known) {
  std::string text = text_of(need(object, key), key);
  if (std::find(known.begin(), known.end(), text) != known.end()) return text;
  throw fault(words("{} is \"{}\", which is not known", key, printable(text)));
}

std::string option_text(const json& value, const std::string& what) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  const double real = number(value, what);
  if (!is_float(real)) throw fault(what + " is too large a number");
  return float_text(real);
}

std::vector<FeatureOptionRequest> features_of(const json& dict) {
  const json& names = need(dict, "feature_names");
  if (!names.is_array() || names.empty() || names.size() > kMostFeatures) {
    throw fault(words("feature_names is no list of 1 to {} names", kMostFeatures));
  }
  std::vector<FeatureOptionRequest> features;
  for (const json& name : names)
    features.push_back({.full_name = text_of(name, "an element of feature_names")});
  const json* const options = find(dict, "feature_opts_dicts");
  if (options == nullptr) return features;
  if (!options->is_array() || options->size() != features.size()) {
    throw fault("feature_opts_dicts is no list of as many objects as there are features");
  }
  for (size_t i = 0; i < features.size(); ++i) {
    if (!(*options)[i].is_object()) throw fault("an element of feature_opts_dicts is no object");
    for (const auto& [key, value] : (*options)[i].items())
      features[i].options[key] = option_text(value, printable(key));
  }
  return features;
}

// The strings "true" and "false", as files have them.
bool truth(const json& object, const char* key) {
  const json* const value = find(object, key);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  const std::string text = text_of(*value, key);
  if (text != "true" && text != "false") throw fault(std::string(key) + " is neither \"true\" nor \"false\"");
  return text == "true";
}

std::vector<std::pair<double, double>> knots_of(const json& object) {
  const json* const list = find(object, "knots");
  std::vector<std::pair<double, double>> knots;
  if (list == nullptr || (list->is_array() && list->empty())) return knots;
  if (!list->is_array() || list->size() < 2 || list->size() > kMostKnots) {
    throw fault(words("knots is no list of 2 to {} points", kMostKnots));
  }
  for (const json& point : *list) {
    const std::vector<double> pair = numbers(point, "a knot", 2);
    if (!knots.empty() && (pair[0] <= knots.back().first || pair[1] < knots.back().second)) {
      throw fault("the knots do not ascend");
    }
    knots.emplace_back(pair[0], pair[1]);
  }
  return knots;
}

std::optional<Transform> transform_of(const json& dict) {
  const json* const object = find(dict, "score_transform");
  if (object == nullptr) return std::nullopt;
  if (!object->is_object()) throw fault("score_transform is no object");
  return Transform{.is_enabled = truth(*object, "enabled"),
                   .p0 = optional_number(*object, "p0"),
                   .p1 = optional_number(*object, "p1"),
                   .p2 = optional_number(*object, "p2"),
                   .knots = knots_of(*object),
                   .at_most_input = truth(*object, "out_lte_in"),
                   .at_least_input = truth(*object, "out_gte_in")};
}

// The only feature with this in its name.
size_t feature_with(std::string_view part, std::span<const FeatureOptionRequest> features) {
  const auto has = [&](const FeatureOptionRequest& request) {
    return request.full_name.find(part) != std::string::npos;
  };
  if (std::count_if(features.begin(), features.end(), has) != 1) {
    throw fault("chroma_correction_parameter needs one feature of the name " + std::string(part));
  }
  return static_cast<size_t>(std::find_if(features.begin(), features.end(), has) - features.begin());
}

void read_scaling(const json& dict, Model& model) {
  static constexpr std::array<std::string_view, 2> kNorms = {"linear_rescale", "none"};
  model.rescales = one_of(dict, "norm_type", kNorms) == kNorms[0];
  if (!model.rescales) return;
  const size_t count = model.features.size() + 1;
  model.slopes = numbers(need(dict, "slopes"), "slopes", count);
  model.intercepts = numbers(need(dict, "intercepts"), "intercepts", count);
  if (model.slopes[0] == 0) throw fault("the slope of the score is 0");
}

Model parse_model(const json& object) {
  static constexpr std::array<std::string_view, 3> kTypes = {"LIBSVMNUSVR", "BOOTSTRAP_LIBSVMNUSVR",
                                                             "RESIDUEBOOTSTRAP_LIBSVMNUSVR"};
  const json& dict = need(object, "model_dict");
  if (!dict.is_object()) throw fault("model_dict is no object");
  one_of(dict, "model_type", kTypes);
  // libvmaf's coming models of HDR have it; scores of pictures as they are would be of something else.
  if (dict.contains("conversion_target") || object.contains("conversion_target"))
    throw fault("it wants pictures converted (conversion_target), which is not done here");
  Model model{.features = features_of(dict)};
  read_scaling(dict, model);
  model.svr = Svr::parse(text_of(need(dict, "model"), "model"));
  if (model.svr.inputs() > model.features.size())
    throw fault("its support vectors have more values than it has features");
  model.transform = transform_of(dict);
  if (const json* const clip = find(dict, "score_clip")) {
    const std::vector<double> ends = numbers(*clip, "score_clip", 2);
    if (ends[0] > ends[1]) throw fault("score_clip ends before it begins");
    model.clip.emplace(ends[0], ends[1]);
  }
  const std::optional<double> factor = optional_number(dict, "chroma_correction_parameter");
  if (!factor || *factor == 0) return model;
  model.chroma_from_luma = {.factor = *factor,
                            .luma = feature_with("adm3", model.features),
                            .chroma = feature_with("speed_chroma", model.features)};
  return model;
}

std::vector<Model> parse(const json& object) {
  if (!object.is_object()) throw fault("it is no JSON object");
  std::vector<Model> models;
  if (object.contains("model_dict")) {
    models.push_back(parse_model(object));
    return models;
  }
  for (size_t i = 0; object.contains(std::to_string(i)); ++i) {
    const json& one = object.at(std::to_string(i));
    if (!one.is_object()) throw fault(words("its \"{}\" is no object", i));
    models.push_back(parse_model(one));
  }
  if (models.size() < 2) throw fault("it is neither a model nor a collection of models");
  return models;
}

}  // namespace

std::string option_number(std::string_view text) {
  double value = 0;
  return parse_real(text, value) && is_float(value) ? float_text(value) : std::string(text);
}

std::vector<Model> parse_models(std::string_view text, const std::string& name) {
  try {
    return parse(*parse_json(text));
  } catch (const json::parse_error& error) {
    throw Error(ErrorKind::kInput, words("{}: not a model: no JSON at byte {}", name, error.byte));
  } catch (const json::out_of_range&) {
    throw Error(ErrorKind::kInput, name + ": not a model: it has a number that is out of range");
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kInput, words("{}: not a model: {}", name, printable(error.what(), 200)));
  } catch (const Error& error) {
    throw Error(ErrorKind::kInput, words("{}: not a model: {}", name, error.what()));
  }
}

std::vector<Model> read_models(const std::string& path) {
  errno = 0;
  std::ifstream file(path_of(path), std::ios::binary);
  if (!file)
    throw input_error(path, "the model cannot be opened", errno);  // which C++ libraries need not set
  const std::string shown = shown_path(path);
  std::string text(4096, '\0');
  std::streamsize size = 0;
  while (file.read(text.data() + size, static_cast<std::streamsize>(text.size()) - size), file.gcount() > 0) {
    size += file.gcount();
    if (size > kMostBytes) throw Error(ErrorKind::kInput, shown + ": not a model: it is larger than 64 MiB");
    text.resize(static_cast<size_t>(size) * 2 + 4096);
  }
  if (file.bad()) throw Error(ErrorKind::kInput, shown + ": the model cannot be read");
  text.resize(static_cast<size_t>(size));
  return parse_models(text, shown);
}

}  // namespace vq::model
