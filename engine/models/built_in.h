// The model files that are part of the program. What defines these functions is made while the program is
// built: see engine/models/embed_models.py.
#pragma once

#include <span>
#include <string_view>

namespace vq::model {

struct BuiltIn {
  std::string_view name = {};  // "vmaf_v0.6.1"
  std::string_view json = {};
};

// In the order of their names.
std::span<const BuiltIn> built_in_models();

// Under which the files are passed on.
std::string_view models_licence();

}  // namespace vq::model
