// Named sets of models and features from other programs' command lines.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace vq::model {

struct Preset {
  std::vector<std::string> models = {};    // as for --model
  std::vector<std::string> features = {};  // as for --feature
};

// The Alliance for Open Media's common test conditions, and Netflix's. Throws Error{kUsage} with the
// available versions.
Preset aom_ctc(const std::string& version);
Preset nflx_ctc(const std::string& version);

}  // namespace vq::model
