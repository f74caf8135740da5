// The built-in model files. The definitions are generated during the build: see
// engine/models/embed_models.py.
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

// The licence of the files.
std::string_view models_licence();

}  // namespace vq::model
