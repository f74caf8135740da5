// The order of names in a report, which its parsed form does not keep.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>

namespace vq::cli {

// Where each name first appears.
using NamePlaces = std::unordered_map<std::string, size_t>;
struct NameOrder {
  NamePlaces metrics, stages, options, aggregates;
};

// Needs: text that is valid JSON.
NameOrder read_name_order(std::string_view text);

}  // namespace vq::cli
