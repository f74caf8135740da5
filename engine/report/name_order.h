// The order of names in a report, which its parsed form does not keep.
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
  std::vector<NamePlaces>
      options;  // of each feature: those of one may have names of another's in another order
};

// Needs: text that is valid JSON.
NameOrder read_name_order(std::string_view text);

}  // namespace vq
