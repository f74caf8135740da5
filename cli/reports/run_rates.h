// What the runs of a comparison cost in bits, and which of them are worth it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/reports/compare.h"

namespace vq::cli {

// Of each run, whether no other run is at least as good at no more bits, and in one of both better: the runs
// that are worth their bits, the others are beaten. Nothing where the value or the bit rate of a run is not
// known, where neither side of the metric is better, and where fewer than two runs could be judged.
std::vector<std::optional<bool>> worth_their_bits(const std::vector<NamedReport>& runs,
                                                  const ComparisonBasis& basis);

// "1157", in thousands of bits a second, with a star where it is that of the file; "-" where it is not known.
std::string rate_cell(const InputFacts* video);
// "3.34 MB", or "-".
std::string size_cell(const InputFacts* video);

// A sentence that names the runs which no other beats at no more bits; empty where none was judged.
std::string rates_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

}  // namespace vq::cli
