// Recognition of models' scores in reports that do not declare them.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace vq {

// Takes the names of a report in a layout of the reference tool, in order. Scores may have any name, but
// follow the features that they are computed from. They are therefore the last names that no known feature
// has, after some feature that compares a video with its reference, except for features of the reference tool
// that this program lacks. Additions of collections, which extend a score's name, are left out.
std::vector<std::string> scores_of_models(std::span<const std::string> metrics);

}  // namespace vq
