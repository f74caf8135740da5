// What `cambi align` says of a pair.
#pragma once

#include <string>
#include <string_view>

#include "cli/inputs/align_pair.h"

namespace vq::cli {

enum class PairVerdict { kAligned, kShifted, kUneven, kBarsDiffer, kDifferent, kUnknown };
PairVerdict verdict_of(const PairFindings& findings);
// "aligned", "shifted", "uneven", "bars differ", "different", "cannot tell".
std::string_view to_string(PairVerdict verdict);
// Whether it says that frames are compared with others than their own, or with less of them.
bool is_at_fault(PairVerdict verdict);

// A few lines for people, the first with the verdict.
std::string pair_text(const PairFindings& findings);
// One object; docs/alignment.md has its members.
std::string pair_json(const PairFindings& findings);

}  // namespace vq::cli
