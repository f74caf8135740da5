// Natural sort order of names.
#pragma once

#include <string_view>

namespace vq {

// Whether `a` sorts before `b`. Runs of digits compare as numbers, so "episode 2" is before "episode 10", and
// a folder's contents come before names that merely begin with the folder's name. Everything else, and names
// that differ only in leading zeros, compares as bytes, so only equal names are equivalent.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace vq
