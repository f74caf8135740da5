// Where calls in C become calls in C++: exceptions become codes, and sizes say what a caller knows of a
// struct.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

#include "core/elementary.h"
#include "core/error.h"
#include "core/text.h"
#include "include/cambi/cambi.h"

namespace vq::c_api {

// The run has nothing of that name or number.
class NotFound : public Error {
 public:
  explicit NotFound(const std::string& message) : Error(ErrorKind::kUsage, message) {}
};
// The run was cancelled.
class Stopped : public Error {
 public:
  Stopped() : Error(ErrorKind::kIncomplete, "the run was cancelled") {}
};

// Keeps the exception's text for cambi_error(). Needs: called while it is handled.
CambiStatus status_of_exception() noexcept;
// The text of the thread's last failure.
const char* last_error() noexcept;

// Runs the body of an entry point, which returns a CambiStatus.
template <typename Body>
CambiStatus guarded(Body&& body) noexcept {
  const ExactFloats exact;
  try {
    return body();
  } catch (...) {
    return status_of_exception();
  }
}

// Throws Error{kUsage} where an argument is null.
template <typename T>
T& needed(T* argument, const char* name) {
  if (argument == nullptr) throw Error(ErrorKind::kUsage, std::string(name) + " is null");
  return *argument;
}

// The same of a text.
inline std::string text_of(const char* argument, const char* name) {
  needed(argument, name);
  return argument;
}

// Throws Error{kUsage} for a size that no version of the struct has: it would cut a member in two.
template <typename T>
void check_size(const T& given) {
  if (given.size < sizeof(given.size) || given.size % alignof(T) != 0)
    throw Error(ErrorKind::kUsage, words("the size of a struct is {}, which it never was", given.size));
}

// A caller's struct of any version, with defaults for what the caller does not know; all of them for null.
template <typename T>
T sized(const T* given) {
  T all = {};
  if (given == nullptr) return all;
  check_size(*given);
  std::memcpy(&all, given, std::min(given->size, sizeof all));
  return all;
}

// Fills as much of a caller's struct as the caller knows.
template <typename T>
void fill_sized(T& place, T all) {
  check_size(place);
  all.size = place.size;
  std::memcpy(&place, &all, std::min(place.size, sizeof all));
}

}  // namespace vq::c_api
