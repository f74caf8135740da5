// Output of JSON.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/text.h"
#include "core/text/number_text.h"

namespace vq {

// On one line, or with `indent` blanks per level. Invalid UTF-8 becomes replacement characters.
template <typename Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// A text as a JSON string, with quotes.
inline std::string json_quoted(const std::string& text) {
  return json_text(nlohmann::json(text));
}

// JSON has no infinities and no NaN: these, and absent numbers, become null.
inline nlohmann::ordered_json finite_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// The number that `style` prints, or null if it is not finite.
inline nlohmann::ordered_json as_printed(double value, const NumberStyle& style) {
  if (!std::isfinite(value)) return nullptr;
  double shown = value;
  parse_real(number_text(value, style), shown);
  return shown;
}

// The content of a JSON file.
template <typename Json>
std::string json_file_text(const Json& value) {
  return json_text(value, 2) + "\n";
}

}  // namespace vq
