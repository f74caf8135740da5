// Model files, in the JSON form of the reference tool.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/models/model.h"

namespace vq::model {

// A number in a model, or in a command line, as the text of a feature's option: rounded to 32 bits, six
// digits. Other text is unchanged.
std::string option_number(std::string_view text);

// One model, or a collection: its full model first, then those of the bootstrap. Throws Error{kInput} that
// begins with `name` and says where the text is no model.
std::vector<Model> parse_models(std::string_view json, const std::string& name);

// The models of a file. Throws Error{kInput}.
std::vector<Model> read_models(const std::string& path);

}  // namespace vq::model
