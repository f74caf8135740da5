// Names in the order in which people count.
#pragma once

#include <string_view>

namespace vq {

// Whether `a` comes before `b`: runs of digits compare as numbers, so that "episode 2" is before "episode
// 10", and what is in a folder before what only begins with the folder's name. Names that differ in leading
// zeros alone are ordered as bytes, as is everything else, so that only equal names are equivalent.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace vq
