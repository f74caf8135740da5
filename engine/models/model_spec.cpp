#include "engine/models/model_spec.h"

#include <cstdio>
#include <system_error>

#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"
#include "engine/models/catalogue.h"

namespace vq::model {
namespace {

constexpr std::string_view kAutomatic = "auto";
constexpr size_t kMostOverloads = 32;
constexpr size_t kLongest = 4096;

Error fault(std::string_view text, const std::string& what) {
  return usage_error("model \"{}\": {}", printable(text), what);
}

struct Part {
  std::string key = {};
  std::optional<std::string> value = {};  // none: there is no "="
};

// Parts end at ":", a key at its first "=".
std::vector<Part> parts_of(std::string_view text) {
  std::vector<Part> parts(1);
  for (size_t i = 0; i < text.size(); ++i) {
    Part& part = parts.back();
    char c = text[i];
    if (c == ':') {
      parts.emplace_back();
      continue;
    }
    if (c == '=' && !part.value) {
      part.value.emplace();
      continue;
    }
    if (c == '\\') {
      const size_t next = ++i;
      if (next == text.size() || std::string_view(":=\\").find(text[next]) == std::string_view::npos) {
        throw fault(text, "a backslash must be followed by : = or another one");
      }
      c = text[next];
    }
    (part.value ? *part.value : part.key) += c;
  }
  return parts;
}

bool flag_value(std::string_view text, const Part& part) {
  if (!part.value || *part.value == "true") return true;
  if (*part.value == "false") return false;
  throw fault(text, words("{} is true or false, not \"{}\"", part.key, printable(*part.value)));
}

const std::string kKeys[] = {"version", "path", "name", "scaled", "disable_clip", "enable_transform"};

// Throws unless it is one that a model may have.
void check_key(std::string_view text, const std::string& key) {
  if (contains(kKeys, key)) return;
  const size_t dot = key.find('.');
  if (dot != std::string::npos && dot != 0 && dot + 1 != key.size()) return;
  const std::string near = nearest(key, kKeys);
  throw fault(
      text,
      words("unknown part \"{}\".{}", printable(key),
            near.empty()
                ? " It takes version, path, name, scaled, disable_clip, enable_transform and FEATURE.OPTION"
                : words(" Did you mean \"{}\"?", near)));
}

Overload overload_of(std::string_view text, const Part& part) {
  check_key(text, part.key);
  const size_t dot = part.key.find('.');
  return {.feature = part.key.substr(0, dot), .option = part.key.substr(dot + 1), .value = *part.value};
}

// Names stand in reports of several forms, and before a colon in thresholds.
void check_name(std::string_view text, const std::string& name) {
  const auto is_plain = [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != ':' && c != '"' && c != '\x7f';
  };
  if (!name.empty() && std::ranges::all_of(name, is_plain)) return;
  throw fault(text, words("\"{}\" is no name for scores", printable(name)));
}

// The name of a model, or a file's, alone. False for other words.
bool take_name(ModelSpec& spec, const std::string& word) {
  constexpr std::string_view kFile = ".json";
  std::error_code ignored;
  const bool is_file = word.ends_with(kFile);
  // Scripts name files of libvmaf's folder of models, which is not there.
  const std::filesystem::path path = path_of(word);
  const std::string stem = vq::text_of(path.stem());
  if (word == kAutomatic || find_entry(word) != nullptr) {
    spec.version = word;
  } else if (word == "neg") {
    spec.version = "vmaf_v0.6.1neg";
  } else if (is_file && find_entry(stem) != nullptr && !std::filesystem::exists(path, ignored)) {
    spec.version = stem;
  } else if (is_file) {
    spec.path = word;
  } else {
    return false;
  }
  return true;
}

void take_part(ModelSpec& spec, std::string_view text, const Part& part, bool is_first) {
  if (part.key == "disable_clip") {
    spec.disable_clip = flag_value(text, part);
  } else if (part.key == "enable_transform") {
    spec.enable_transform = flag_value(text, part);
  } else if (part.key == "scaled") {
    spec.is_scaled = flag_value(text, part);
  } else if (!part.value) {
    if (is_first && take_name(spec, part.key)) return;
    if (is_first && !contains(kKeys, part.key)) throw usage_error(unknown_model_text(part.key));
    check_key(text, part.key);
    throw fault(text, words("\"{}\" lacks a \"=\" and a value", printable(part.key)));
  } else if (part.key == "version") {
    spec.version = *part.value;
  } else if (part.key == "path") {
    spec.path = *part.value;
  } else if (part.key == "name") {
    check_name(text, *part.value);
    spec.name = *part.value;
  } else {
    spec.overloads.push_back(overload_of(text, part));
  }
}

// As parse_model_spec() takes it.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ':' || c == '=' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::vector<ModelSpec> parse_model_specs(std::string_view text) {
  std::vector<ModelSpec> specs;
  // A file's name may have a bar as well.
  const auto next_bar = [&] { return std::min(text.find("|version="), text.find("|path=")); };
  for (size_t bar = next_bar(); bar != std::string_view::npos; bar = next_bar()) {
    specs.push_back(parse_model_spec(text.substr(0, bar)));
    text.remove_prefix(bar + 1);
  }
  specs.push_back(parse_model_spec(text));
  return specs;
}

ModelSpec parse_model_spec(std::string_view text) {
  if (text.size() > kLongest) throw fault(text, words("longer than {} bytes", kLongest));
  ModelSpec spec;
  const std::vector<Part> parts = parts_of(text);
  for (const Part& part : parts) take_part(spec, text, part, &part == &parts.front());
  if (spec.version.empty() && spec.path.empty()) {
    throw fault(text, "it names no model. Write version=NAME, path=FILE or auto (see: cambi models)");
  }
  if (spec.overloads.size() > kMostOverloads) {
    throw fault(text, words("it sets more than {} options", kMostOverloads));
  }
  if (!spec.version.empty()) spec.path.clear();
  spec.is_automatic = spec.version == kAutomatic;
  spec.is_scaled |= spec.is_automatic;
  if (spec.is_scaled && spec.version.empty()) {
    throw fault(text, "of a model file it is not known for which display it is. Scale the videos instead.");
  }
  return spec;
}

std::string source_of(const ModelSpec& spec) {
  return spec.version.empty() ? shown_path(spec.path) : printable(spec.version);
}

std::string text_of(const ModelSpec& spec) {
  std::string text = spec.version.empty() ? "path=" + escaped(spec.path) : "version=" + escaped(spec.version);
  text += ":name=" + escaped(spec.name);
  if (spec.disable_clip) text += ":disable_clip";
  if (spec.enable_transform) text += ":enable_transform";
  if (spec.is_scaled) text += ":scaled";
  for (const Overload& overload : spec.overloads) {
    text += words(":{}.{}={}", escaped(overload.feature), escaped(overload.option), escaped(overload.value));
  }
  return text;
}

}  // namespace vq::model

namespace vq {

// Grades end halfway between the scores that stand for them: see `explanation`.
constexpr Grade kGrades[] = {{100, "excellent"}, {90, "good"}, {70, "fair"}, {50, "poor"}, {30, "bad"}};

// Source: "a VMAF score of 70 can be interpreted as a vote between good and fair by an average viewer"
// (Netflix technology blog, VMAF: the journey continues, 2018).
constexpr MetricInfo kScore = {.title = "VMAF",
                               .subject = "quality",
                               .better = Better::kHigher,
                               .flawless = 100,
                               .noteworthy = 70,
                               .noteworthy_meaning = "between good and fair",
                               .grades = kGrades,
                               .usual_top = 100,
                               .explanation =
                                   "How good viewers would find the video beside its reference, as a model "
                                   "predicts it that was trained on their "
                                   "votes: 20 bad, 40 poor, 60 fair, 80 good, 100 excellent."};

static constexpr MetricInfo of_collection(std::string_view title, Better better,
                                          std::string_view explanation) {
  return {.title = title,
          .subject = kScore.subject,
          .better = better,
          .usual_top = kScore.usual_top,
          .explanation = explanation};
}

static constexpr MetricInfo info_of_member() {
  MetricInfo info = of_collection("VMAF of one bootstrap model", Better::kHigher,
                                  "The score of one of the models that were trained on parts of the votes.");
  info.is_detail = true;
  return info;
}
constexpr MetricInfo kMember = info_of_member();

constexpr MetricInfo kOfCollection[kCollectionScores] = {
    of_collection("VMAF, bagged", Better::kHigher,
                  "The mean of the models that were trained on parts of the votes."),
    of_collection("deviation of VMAF", Better::kNeither,
                  "By how much these models disagree: their standard deviation."),
    of_collection("VMAF, lower end", Better::kHigher,
                  "95 % of these models lie between this score and the upper end."),
    of_collection("VMAF, upper end", Better::kHigher,
                  "95 % of these models lie between the lower end and this score.")};

static const MetricInfo* find_in(std::string_view model, std::string_view metric) {
  if (!metric.starts_with(model)) return nullptr;
  constexpr size_t kDigits = 4;
  const std::string_view rest = metric.substr(model.size());
  if (rest.empty()) return &kScore;
  if (rest.size() == kDigits + 1 && rest.front() == '_' && all_digits(rest.substr(1))) return &kMember;
  for (size_t i = 0; i < kCollectionScores; ++i) {
    if (rest == kCollectionEndings[i]) return &kOfCollection[i];
  }
  return nullptr;
}

const MetricInfo* find_model_score(std::string_view metric, std::span<const std::string> models) {
  const MetricInfo* found = nullptr;
  size_t longest = 0;
  for (const std::string& model : models) {
    const MetricInfo* const info = model.size() > longest ? find_in(model, metric) : nullptr;
    if (info == nullptr) continue;
    found = info;
    longest = model.size();
  }
  return found;
}

const MetricInfo* find_model_score(std::string_view metric) {
  static const std::string kUsual[] = {"vmaf", "vmaf_neg"};
  if (const MetricInfo* const info = find_model_score(metric, kUsual); info != nullptr) return info;
  return metric.starts_with("vmaf_") ? &kScore : nullptr;  // "vmaf_4k"
}

ModelPart model_part(const MetricInfo& metric) {
  if (&metric == &kScore) return ModelPart::kScore;
  const auto is_it = [&](const MetricInfo& known) { return &known == &metric; };
  return &metric == &kMember || std::ranges::any_of(kOfCollection, is_it) ? ModelPart::kOfCollection
                                                                          : ModelPart::kNone;
}

std::string member_name(const std::string& score, size_t number) {
  char ending[24];
  std::snprintf(ending, sizeof ending, "_%04zu", number);
  return score + ending;
}

ScoreInterval interval_names(std::string_view score) {
  return {.low = words("{}{}", score, kCollectionEndings[2]),
          .high = words("{}{}", score, kCollectionEndings[3])};
}

}  // namespace vq
