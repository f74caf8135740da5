// The sets of models and features by which other programs' command lines call them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vq::model {

struct Preset {
  std::vector<std::string> models = {};    // as --model takes them
  std::vector<std::string> features = {};  // as --feature takes them
};

// Of the Alliance for Open Media's common test conditions, and of Netflix'. Throws Error{kUsage} with the
// versions that there are.
Preset aom_ctc(const std::string& version);
Preset nflx_ctc(const std::string& version);

}  // namespace vq::model
