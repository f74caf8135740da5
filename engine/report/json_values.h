// Access to JSON documents of unknown origin: missing values and values of the wrong type count as absent.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vq {

struct FreeJson {
  void operator()(nlohmann::json* document) const noexcept;
};
// Freed without allocating: a json's own destructor needs memory, and without it ends the process.
using JsonDocument = std::unique_ptr<nlohmann::json, FreeJson>;
// Throws as json::parse(), and Error{kInput} for lists that are nested more than a hundred deep.
JsonDocument parse_json(std::string_view text);

// Null if `object` is not an object, or lacks the member.
const nlohmann::json* member(const nlohmann::json& object, const char* key);

// Needs: value.is_number(). The parser stores only negative integers as signed, so a signed 0 was written as
// "-0".
double real_number(const nlohmann::json& value);

// A number as T, which is int, int64_t or double; absent if T cannot hold it. Needs: value.is_number().
template <typename T>
T number_or_default(const nlohmann::json& value);

// Sums and differences of a few such numbers fit into 64 bits.
inline constexpr int64_t kMostCounted = int64_t{1} << 53;
// A whole number. Throws json::out_of_range for any other value, and beyond the limits.
int64_t whole_number(const nlohmann::json& value, int64_t least = 0, int64_t most = kMostCounted);

// A member if it is present and of the expected type, otherwise a default T. T: std::string, bool, int,
// int64_t, double, or one of the last two as std::optional.
template <typename T>
T value_or_default(const nlohmann::json& object, const char* key);

// The strings of a list; empty if the member is not a list.
std::vector<std::string> strings(const nlohmann::json& object, const char* key);

}  // namespace vq
