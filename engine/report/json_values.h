// Values of a JSON document that somebody else may have written: what is not there, or of another type, is
// none.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace vq {

// Null where `object` is none, or lacks it.
const nlohmann::json* member(const nlohmann::json& object, const char* key);

// Needs: value.is_number(). Only an integer with a sign is kept as a signed one, so a signed 0 was written as
// "-0".
double real_number(const nlohmann::json& value);

// A number as T, which is int, int64_t or double; one that T cannot hold is as good as none. Needs:
// value.is_number().
template <typename T>
T number_or_default(const nlohmann::json& value);

// A member where it is present and of the expected type, else what T starts as. T: std::string, bool, int,
// int64_t, double, or one of the last two as std::optional.
template <typename T>
T value_or_default(const nlohmann::json& object, const char* key);

// The strings of a list; empty where the member is none.
std::vector<std::string> strings(const nlohmann::json& object, const char* key);

}  // namespace vq
