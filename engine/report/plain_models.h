// Which metrics of a report are scores of models, where it does not say so.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace vq {

// Names of a report in a layout of the reference tool, in their order. Models may call their scores as they
// like; these stand behind the features that they are made of. So they are the last names, as far back as no
// feature has them, behind some feature that compares a video with its reference; but none of those that
// features of the reference tool have which this program lacks. What a collection adds to a score, under its
// name, is left out.
std::vector<std::string> scores_of_models(std::span<const std::string> metrics);

}  // namespace vq
