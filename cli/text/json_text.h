// JSON as it is written out.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace vq::cli {

// On one line, or with so many blanks for each level. Text that is not UTF-8 has replacement characters.
template <typename Json>
std::string json_text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// A text as JSON has it, in quotes.
inline std::string json_quoted(const std::string& text) {
  return json_text(nlohmann::json(text));
}

// A file of it.
template <typename Json>
std::string json_file_text(const Json& json) {
  return json_text(json, 2) + "\n";
}

}  // namespace vq::cli
