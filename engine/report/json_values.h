// Access to JSON documents of unknown origin: missing values and values of the wrong type count as absent.
#pragma once

#include <nlohmann/json.hpp>

#include <cmath>

#include "core/number_text.h"
#include "core/text.h"
#include "core/trace.h"
#include "engine/report/report.h"

namespace vq {

struct FreeJson {
  void operator()(nlohmann::ordered_json* document) const noexcept;
};
// Freed without allocating: a json's own destructor needs memory, and without it ends the process.
using JsonDocument = std::unique_ptr<nlohmann::ordered_json, FreeJson>;
// Takes the elements of a list one by one, so that they are never in memory together. Null begins the list:
// if there are two of the name, the last counts.
using ElementSink = std::function<void(const nlohmann::ordered_json* element)>;
// Members keep the order of the text. If there is a sink and the document's member `list` is a list, that
// stays empty and the sink gets its elements. Throws as json::parse(), and Error{kInput} for lists that are
// nested more than a hundred deep.
JsonDocument parse_json(std::string_view text, std::string_view list = {}, const ElementSink& sink = {});

// Null if `object` is not an object, or lacks the member. If there are several of the name, the last counts.
const nlohmann::ordered_json* member(const nlohmann::ordered_json& object, std::string_view key);

// The member if it is a list, or an object; otherwise an empty one.
const nlohmann::ordered_json& list_in(const nlohmann::ordered_json& object, std::string_view key);
const nlohmann::ordered_json& object_in(const nlohmann::ordered_json& object, std::string_view key);

// Needs: value.is_number(). The parser stores only negative integers as signed, so a signed 0 was written as
// "-0".
double real_number(const nlohmann::ordered_json& value);

// A number as T, which is int, int64_t or double; absent if T cannot hold it. Needs: value.is_number().
template <typename T>
T number_or_default(const nlohmann::ordered_json& value);

// Sums and differences of a few such numbers fit into 64 bits.
inline constexpr int64_t kMostCounted = int64_t{1} << 53;
// A whole number. Throws json::out_of_range for any other value, and beyond the limits.
int64_t whole_number(const nlohmann::json& value, int64_t least = 0, int64_t most = kMostCounted);

// A member if it is present and of the expected type, otherwise a default T. T: std::string, bool, int,
// int64_t, double, or one of the last two as std::optional.
template <typename T>
T value_or_default(const nlohmann::ordered_json& object, std::string_view key);

// The strings of a list; empty if the member is not a list.
std::vector<std::string> strings(const nlohmann::ordered_json& object, std::string_view key);

// Output of JSON.

// On one line, or with `indent` blanks per level. Invalid UTF-8 becomes replacement characters.
template <typename Json>
std::string json_text(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// A text as a JSON string, with quotes.
inline std::string json_quoted(const std::string& text) { return json_text(nlohmann::json(text)); }

// Null for a value or a text that is not there.
template <typename T>
nlohmann::ordered_json nullable(const std::optional<T>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}
inline nlohmann::ordered_json nullable(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(text);
}

// A list of the values that `json_of` gives for each element: a function of it, or one of its members.
template <typename Range, typename JsonOf>
nlohmann::ordered_json json_list(const Range& range, const JsonOf& json_of) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const auto& element : range) list.push_back(std::invoke(json_of, element));
  return list;
}

// JSON has no infinities and no NaN: these, and absent numbers, become null.
inline nlohmann::ordered_json finite_or_null(std::optional<double> value) {
  return value && std::isfinite(*value) ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}

// The number that `style` prints, or null if there is none or it is not finite.
inline nlohmann::ordered_json as_printed(std::optional<double> value, const NumberStyle& style) {
  if (!value || !std::isfinite(*value)) return nullptr;
  double shown = *value;
  parse_real(number_text(*value, style), shown);
  return shown;
}

// The content of a JSON file.
template <typename Json>
std::string json_file_text(const Json& value) {
  return json_text(value, 2) + "\n";
}

// Times and faults of a run for its extended report.

// The member `pace` of `run`; see docs/report.md.
nlohmann::ordered_json pace_json(const RunFacts& run);  // null if the run was not measured
nlohmann::ordered_json pace_parts_json(const PaceFacts& pace);

// Each with its kind, its text, whether it is certain, and its frames if it has any.
nlohmann::ordered_json pair_faults_json(const std::vector<PairFault>& faults);

// A timeline as the JSON file that Perfetto and Chrome's about:tracing open.

// "traceEvents" of the Trace Event Format: the name of each thread, and a complete event ("ph":"X") for each
// span, with its frame as an argument. Times are in microseconds since the timeline began.
std::string trace_json(const Timeline& timeline);

}  // namespace vq
