#include "engine/analysis/pair_fault.h"

#include <algorithm>
#include <array>

namespace vq {
namespace {

// In the order of the enumeration.
constexpr std::array<std::string_view, 13> kWords = {"pictures", "mirrored", "negative", "range", "transfer",
                                                     "shape",    "rotation", "rate",     "shift", "uneven",
                                                     "bars",     "swapped",  "contrast"};

}  // namespace

std::string_view to_string(PairFaultKind kind) {
  return kWords[static_cast<size_t>(kind)];
}

std::optional<PairFaultKind> find_pair_fault_kind(std::string_view word) {
  const auto found = std::find(kWords.begin(), kWords.end(), word);
  if (found == kWords.end()) return std::nullopt;
  return static_cast<PairFaultKind>(found - kWords.begin());
}

bool is_not_comparable(const std::vector<PairFault>& faults) {
  return std::any_of(faults.begin(), faults.end(), [](const PairFault& fault) { return fault.is_certain; });
}

}  // namespace vq
