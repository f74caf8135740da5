#include "engine/models/model.h"

#include <charconv>
#include <fstream>

#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/report/json_values.h"

namespace vq::model {

// Undoes the rescaling for both, in these steps, as the reference does: values so small that they vanish in
// it are none.
static void take_chroma_from_luma(const Model& model, std::span<double> x) {
  const auto& [factor, luma, chroma] = *model.chroma_from_luma;
  const auto raw = [&](size_t k) {
    return model.rescales ? (x[k] - model.intercepts[k + 1]) / model.slopes[k + 1] : x[k];
  };
  if (raw(chroma) != 0.0) return;
  const double value = -factor * raw(luma) + factor;
  x[chroma] = model.rescales ? model.slopes[chroma + 1] * value + model.intercepts[chroma + 1] : value;
}

// The outer lines go on; if two lines meet the later one counts.
static double between_knots(std::span<const std::pair<double, double>> knots, double x) {
  size_t line = 0;
  while (line + 2 < knots.size() && x >= knots[line + 1].first) ++line;
  const auto& [x0, y0] = knots[line];
  const auto& [x1, y1] = knots[line + 1];
  if (y0 == y1) return y0;
  if (x0 == 0) return (y1 - y0) / x1 * x + y0;
  const double slope = (y1 - y0) / (x1 - x0);
  return slope * x + (y0 - x0 * slope);
}

static double transformed(const Transform& transform, double x) {
  double y = x;
  if (transform.p0 || transform.p1 || transform.p2) {
    y = 0;
    if (transform.p0) y += *transform.p0;
    if (transform.p1) y += *transform.p1 * x;
    if (transform.p2) y += *transform.p2 * x * x;
  }
  if (!transform.knots.empty()) y = between_knots(transform.knots, y);
  if (transform.at_most_input && y > x) y = x;
  if (transform.at_least_input && y < x) y = x;
  return y;
}

double regress(const Model& model, std::span<const double> values) {
  std::vector<double> x(values.begin(), values.end());
  if (model.rescales) {
    for (size_t k = 0; k < x.size(); ++k) x[k] = model.slopes[k + 1] * x[k] + model.intercepts[k + 1];
  }
  if (model.chroma_from_luma) take_chroma_from_luma(model, x);
  const double y = model.svr.predict(x);
  return model.rescales ? (y - model.intercepts[0]) / model.slopes[0] : y;
}

double shape(const Model& model, double score) {
  double y = score;
  if (model.transform && model.transform->is_enabled) y = transformed(*model.transform, y);
  if (!model.clip) return y;
  if (y < model.clip->first) y = model.clip->first;
  if (y > model.clip->second) y = model.clip->second;
  return y;
}

constexpr double kLowPercentile = 2.5, kHighPercentile = 97.5;
constexpr double kStep = 0.01;  // to either side, for the slope of a model's transform

static double percentile_of(std::span<const double> sorted, double percent) {
  const double place = percent * static_cast<double>(sorted.size() - 1) / 100.;
  const double left = std::floor(place), right = std::ceil(place);
  const double low = sorted[static_cast<size_t>(left)];
  return left == right ? low : low * (right - place) + sorted[static_cast<size_t>(right)] * (place - left);
}

// Statistics of the bootstrap models' scores before they were shaped; the first model shapes them.
static void add_summary(const Model& first, std::vector<double> scores, std::vector<double>& summary) {
  const auto count = static_cast<double>(scores.size());
  double sum = 0;
  for (const double score : scores) sum += score;
  const double mean = sum / count;
  double squares = 0;
  for (const double score : scores) squares += (score - mean) * (score - mean);
  const double slope = (shape(first, mean + kStep) - shape(first, mean - kStep)) / (2.0 * kStep);
  std::ranges::sort(scores);
  summary.push_back(shape(first, mean));
  summary.push_back(std::sqrt(squares / count) * slope);
  summary.push_back(shape(first, percentile_of(scores, kLowPercentile)));
  summary.push_back(shape(first, percentile_of(scores, kHighPercentile)));
}

FrameScores predict(std::span<const Model> models, std::span<const std::vector<double>> values) {
  FrameScores scores{.score = shape(models[0], regress(models[0], values[0]))};
  if (models.size() < 2) return scores;
  const auto members = mapped(models.subspan(1), [](const Model& member) { return &member; });
  scores.of_collection = predict_collection(members, values.subspan(1));
  return scores;
}

std::vector<double> predict_collection(std::span<const Model* const> models,
                                       std::span<const std::vector<double>> values) {
  std::vector<double> scores, raw;
  for (size_t i = 0; i < models.size(); ++i) {
    raw.push_back(regress(*models[i], values[i]));
    scores.push_back(shape(*models[i], raw.back()));
  }
  add_summary(*models.front(), std::move(raw), scores);
  return scores;
}

namespace {

// More than any model has, and few enough that nothing goes out of memory.
constexpr long long kMostVectors = 1'000'000, kMostInputs = 64;
constexpr size_t kMostNumbers = size_t{1} << 23;  // of all vectors

Error svr_fault(const std::string& what) { return Error(ErrorKind::kInput, "the support vectors: {}", what); }

double number(std::string_view text) {
  double value = 0;
  if (!parse_real(text, value)) throw svr_fault(words("\"{}\" is not a number", printable(text)));
  return value;
}

// Takes the text up to a stop character off its front, and the stop with it.
std::string_view take(std::string_view& text, char stop) {
  const size_t end = std::min(text.find(stop), text.size());
  const std::string_view taken = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return taken;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return text;
}

struct Head {
  std::optional<double> gamma, rho;
  long long vectors = -1;
  bool is_nu_svr = false, is_radial = false;
};

void read_line(Head& head, std::string_view line) {
  const std::string_view key = take(line, ' ');
  const auto demand = [&](std::string_view wanted) {
    if (line == wanted) return true;
    throw svr_fault(words("{} is \"{}\"; only {} is known", key, printable(line), wanted));
  };
  if (key == "svm_type") {
    head.is_nu_svr = demand("nu_svr");
  } else if (key == "kernel_type") {
    head.is_radial = demand("rbf");
  } else if (key == "nr_class") {
    demand("2");
  } else if (key == "gamma") {
    head.gamma = number(line);
  } else if (key == "rho") {
    head.rho = number(line);
  } else if (key == "total_sv") {
    if (!parse_int(line, head.vectors) || head.vectors < 1 || head.vectors > kMostVectors) {
      throw svr_fault(words("total_sv is \"{}\"; allowed: 1..{}", printable(line), kMostVectors));
    }
  } else {
    throw svr_fault(words("\"{}\" is no line of their head", printable(key)));
  }
}

// Takes it, with the line that ends it, off the front of the text.
Head read_head(std::string_view& text) {
  Head head;
  while (!text.empty()) {
    const std::string_view line = trimmed(take(text, '\n'));
    if (line != "SV") {
      read_line(head, line);
      continue;
    }
    const char* const missing = !head.is_nu_svr    ? "svm_type"
                                : !head.is_radial  ? "kernel_type"
                                : !head.gamma      ? "gamma"
                                : !head.rho        ? "rho"
                                : head.vectors < 0 ? "total_sv"
                                                   : nullptr;
    if (missing == nullptr) return head;
    throw svr_fault(words("{} is missing", missing));
  }
  throw svr_fault("the line SV is missing");
}

struct Row {
  double coefficient = 0;
  std::vector<double> values = {};
};

// "coefficient index:value ..."
Row read_row(std::string_view line) {
  Row row{.coefficient = number(take(line, ' '))};
  while (!line.empty()) {
    const std::string_view node = take(line, ' ');
    const size_t colon = node.find(':');
    long long index = 0;
    if (colon == std::string_view::npos || !parse_int(node.substr(0, colon), index) || index < 1 ||
        index > kMostInputs) {
      throw svr_fault(words("\"{}\" is no INDEX:VALUE", printable(node)));
    }
    if (static_cast<size_t>(index) <= row.values.size())
      throw svr_fault("the indices of a line do not ascend");
    row.values.resize(static_cast<size_t>(index));
    row.values.back() = number(node.substr(colon + 1));
  }
  return row;
}

}  // namespace

Svr Svr::parse(std::string_view text) {
  const Head head = read_head(text);
  std::vector<Row> rows;
  Svr svr;
  svr.gamma_ = *head.gamma;
  svr.rho_ = *head.rho;
  while (static_cast<long long>(rows.size()) < head.vectors) {
    if (text.empty()) {
      throw svr_fault(words("there are {} of {}", rows.size(), head.vectors));
    }
    rows.push_back(read_row(trimmed(take(text, '\n'))));
    svr.inputs_ = std::max(svr.inputs_, rows.back().values.size());
    if (rows.size() * svr.inputs_ > kMostNumbers)
      throw svr_fault(words("they have more than {} numbers", kMostNumbers));
  }
  if (!trimmed(text).empty()) throw svr_fault(words("there are more than {}", head.vectors));
  for (Row& row : rows) {
    svr.coefficients_.push_back(row.coefficient);
    row.values.resize(svr.inputs_);
    svr.vectors_.insert(svr.vectors_.end(), row.values.begin(), row.values.end());
  }
  return svr;
}

double Svr::predict(std::span<const double> x) const {
  double sum = 0;
  for (size_t i = 0; i < coefficients_.size(); ++i) {
    const std::span<const double> vector = std::span(vectors_).subspan(i * inputs_, inputs_);
    double distance = 0;
    for (size_t k = 0; k < std::max(x.size(), inputs_); ++k) {
      const double difference = (k < x.size() ? x[k] : 0.0) - (k < inputs_ ? vector[k] : 0.0);
      distance += difference * difference;
    }
    sum += coefficients_[i] * std::exp(-gamma_ * distance);
  }
  return sum - rho_;
}

using json = nlohmann::ordered_json;

constexpr size_t kMostFeatures = 64, kMostKnots = 10;
constexpr std::streamsize kMostBytes = 64 << 20;  // of a file; the largest known has half a million

// Read as a 32-bit float and written with six digits, as the reference does on its way from a file to an
// option.
static std::string float_text(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, static_cast<double>(static_cast<float>(value)),
                                 std::chars_format::general, 6);
  return std::string(text, end.ptr);
}

static bool is_float(double value) {
  return std::abs(value) <= static_cast<double>(std::numeric_limits<float>::max());
}

static Error fault(const std::string& what) { return Error(ErrorKind::kInput, what); }

// A key's value; null if it is absent or null.
static const json* find(const json& object, const char* key) {
  const json* const value = member(object, key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

static const json& need(const json& object, const char* key) {
  if (const json* const value = find(object, key)) return *value;
  throw fault(std::string("it has no ") + key);
}

static double number(const json& value, const std::string& what) {
  if (!value.is_number()) throw fault(words("{} is no number", what));
  return value.get<double>();
}

static std::optional<double> optional_number(const json& object, const char* key) {
  const json* const value = find(object, key);
  return value == nullptr ? std::nullopt : std::optional(number(*value, key));
}

static std::vector<double> numbers(const json& value, const std::string& what, size_t count) {
  if (!value.is_array() || value.size() != count)
    throw fault(words("{} is no list of {} numbers", what, count));
  return mapped(value, [&](const json& element) { return number(element, words("an element of {}", what)); });
}

static std::string text_of(const json& value, const std::string& what) {
  if (!value.is_string()) throw fault(words("{} is no string", what));
  return value.get<std::string>();
}

static std::string one_of(const json& object, const char* key, std::span<const std::string_view> known) {
  std::string text = text_of(need(object, key), key);
  if (contains(known, text)) return text;
  throw fault(words("{} is \"{}\", which is not known", key, printable(text)));
}

static std::string option_text(const json& value, const std::string& what) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
  const double real = number(value, what);
  if (!is_float(real)) throw fault(words("{} is too large a number", what));
  return float_text(real);
}

static std::vector<FeatureOptionRequest> features_of(const json& dict) {
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
static bool truth(const json& object, const char* key) {
  const json* const value = find(object, key);
  if (value == nullptr) return false;
  if (value->is_boolean()) return value->get<bool>();
  const std::string text = text_of(*value, key);
  if (text != "true" && text != "false") throw fault(words("{} is neither \"true\" nor \"false\"", key));
  return text == "true";
}

static std::vector<std::pair<double, double>> knots_of(const json& object) {
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

static std::optional<Transform> transform_of(const json& dict) {
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
static size_t feature_with(std::string_view part, std::span<const FeatureOptionRequest> features) {
  const auto has = [&](const FeatureOptionRequest& request) {
    return request.full_name.find(part) != std::string::npos;
  };
  if (std::ranges::count_if(features, has) != 1)
    throw fault(words("chroma_correction_parameter needs one feature of the name {}", part));
  return static_cast<size_t>(std::ranges::find_if(features, has) - features.begin());
}

static void read_scaling(const json& dict, Model& model) {
  static constexpr std::array<std::string_view, 2> kNorms = {"linear_rescale", "none"};
  model.rescales = one_of(dict, "norm_type", kNorms) == kNorms[0];
  if (!model.rescales) return;
  const size_t count = model.features.size() + 1;
  model.slopes = numbers(need(dict, "slopes"), "slopes", count);
  model.intercepts = numbers(need(dict, "intercepts"), "intercepts", count);
  if (model.slopes[0] == 0) throw fault("the slope of the score is 0");
}

static Model parse_model(const json& object) {
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

static std::vector<Model> parse(const json& object) {
  if (!object.is_object()) throw fault("it is no JSON object");
  std::vector<Model> models;
  if (object.contains("model_dict")) {
    models.push_back(parse_model(object));
    return models;
  }
  while (const json* const one = member(object, std::to_string(models.size()))) {
    if (!one->is_object()) throw fault(words("its \"{}\" is no object", models.size()));
    models.push_back(parse_model(*one));
  }
  if (models.size() < 2) throw fault("it is neither a model nor a collection of models");
  return models;
}

std::string option_number(std::string_view text) {
  double value = 0;
  return parse_real(text, value) && is_float(value) ? float_text(value) : std::string(text);
}

std::vector<Model> parse_models(std::string_view text, const std::string& name) {
  try {
    return parse(*parse_json(text));
  } catch (const json::parse_error& error) {
    throw Error(ErrorKind::kInput, "{}: not a model: no JSON at byte {}", name, error.byte);
  } catch (const json::out_of_range&) {
    throw Error(ErrorKind::kInput, "{}: not a model: it has a number that is out of range", name);
  } catch (const json::exception& error) {
    throw Error(ErrorKind::kInput, "{}: not a model: {}", name, printable(error.what(), 200));
  } catch (const Error& error) {
    throw Error(ErrorKind::kInput, "{}: not a model: {}", name, error.what());
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
    if (size > kMostBytes) throw Error(ErrorKind::kInput, "{}: not a model: it is larger than 64 MiB", shown);
    text.resize(static_cast<size_t>(size) * 2 + 4096);
  }
  if (file.bad()) throw Error(ErrorKind::kInput, "{}: the model cannot be read", shown);
  text.resize(static_cast<size_t>(size));
  return parse_models(text, shown);
}

}  // namespace vq::model
