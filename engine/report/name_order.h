// The order of names in a report's text, which the parsed form does not keep.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace vq {

// Where each name first appears.
using NamePlaces = std::unordered_map<std::string, size_t>;
struct NameOrder {
  NamePlaces metrics, stages, aggregates;
  std::vector<NamePlaces> options;  // per feature: another feature may have the same names in another order
};

// Needs: valid JSON.
NameOrder read_name_order(std::string_view text);

}  // namespace vq
