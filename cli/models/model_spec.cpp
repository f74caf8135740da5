#include "cli/models/model_spec.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cli/models/catalogue.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::model {
namespace {

constexpr std::string_view kAutomatic = "auto";
constexpr size_t kMostOverloads = 32;
constexpr size_t kLongest = 4096;

Error fault(std::string_view text, const std::string& what) {
  return Error(ErrorKind::kUsage, "--model \"" + printable(text) + "\": " + what);
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
  throw fault(text, part.key + " is true or false, not \"" + printable(*part.value) + "\"");
}

// Throws unless it is one that a model may have.
void check_key(std::string_view text, const std::string& key) {
  const std::string known[] = {"version", "path", "name", "disable_clip", "enable_transform"};
  if (std::find(std::begin(known), std::end(known), key) != std::end(known)) return;
  const size_t dot = key.find('.');
  if (dot != std::string::npos && dot != 0 && dot + 1 != key.size()) return;
  const std::string near = nearest(key, known);
  throw fault(
      text,
      "unknown part \"" + printable(key) + "\"." +
          (near.empty() ? " It takes version, path, name, disable_clip, enable_transform and FEATURE.OPTION"
                        : " Did you mean \"" + near + "\"?"));
}

Overload overload_of(std::string_view text, const Part& part) {
  check_key(text, part.key);
  const size_t dot = part.key.find('.');
  return {.feature = part.key.substr(0, dot), .option = part.key.substr(dot + 1), .value = *part.value};
}

// Names stand in reports of several forms, and before a colon in thresholds.
void check_name(std::string_view text, const std::string& name) {
  const auto is_plain = [](char c) { return static_cast<unsigned char>(c) > ' ' && c != ':' && c != '"' && c != '\x7f'; };
  if (!name.empty() && std::all_of(name.begin(), name.end(), is_plain)) return;
  throw fault(text, "\"" + printable(name) + "\" is no name for scores");
}

// To those who write the name of a model, or a file's, alone.
std::string in_place_of(const std::string& word) {
  if (find_entry(word) != nullptr) return "version=" + word;
  if (word.ends_with(".json")) return "path=" + shown_path(word);
  return "version=NAME, or path=FILE (see: cambi models)";
}

void take_part(ModelSpec& spec, std::string_view text, const Part& part, bool is_first) {
  if (part.key == "disable_clip") {
    spec.disable_clip = flag_value(text, part);
  } else if (part.key == "enable_transform") {
    spec.enable_transform = flag_value(text, part);
  } else if (!part.value && is_first && part.key == kAutomatic) {
    spec.version = kAutomatic;
  } else if (!part.value) {
    if (!is_first) check_key(text, part.key);
    throw fault(text, "\"" + printable(part.key) + "\" lacks a \"=\" and a value" +
                          (is_first ? ". Write " + in_place_of(part.key) : ""));
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

ModelSpec parse_model_spec(std::string_view text) {
  if (text.size() > kLongest) throw fault(text, "longer than " + std::to_string(kLongest) + " bytes");
  ModelSpec spec;
  const std::vector<Part> parts = parts_of(text);
  for (const Part& part : parts) take_part(spec, text, part, &part == &parts.front());
  if (spec.version.empty() && spec.path.empty()) {
    throw fault(text, "it names no model. Write version=NAME, path=FILE or auto (see: cambi models)");
  }
  if (spec.overloads.size() > kMostOverloads) {
    throw fault(text, "it sets more than " + std::to_string(kMostOverloads) + " options");
  }
  if (!spec.version.empty()) spec.path.clear();
  spec.is_automatic = spec.version == kAutomatic;
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
  for (const Overload& overload : spec.overloads) {
    text += ":" + escaped(overload.feature) + "." + escaped(overload.option) + "=" + escaped(overload.value);
  }
  return text;
}

}  // namespace vq::model
