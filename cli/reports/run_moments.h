// Moments that are worth looking at in several runs at once, side by side.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/reports/compare.h"
#include "core/text/text_table.h"

namespace vq::cli {

// One frame number in every run.
struct SharedMoment {
  int64_t frame = 0;
  std::optional<double> timestamp;  // seconds, of the first run that knows it
  std::vector<std::optional<double>>
      scores;         // of each run; none where it has no finite score there, or is not comparable
  double spread = 0;  // from the lowest of the scores to the highest
  bool operator==(const SharedMoment&) const = default;
};

// The `count` moments at which the scores of the runs lie furthest apart, most first. Of frames that at least
// two runs have scored, a moment is one whose spread is larger than that of every other less than a second
// from it; of equal ones the first counts. Frames that all runs score alike are none. Needs: runs that all
// have the metric.
std::vector<SharedMoment> differing_moments(const std::vector<NamedReport>& runs, const std::string& metric,
                                            size_t count);

// The worst moments (engine/report/moments.h) of the first run, worst first, with what the others score
// there. None where that is not comparable.
std::vector<SharedMoment> worst_moments_of_first(const std::vector<NamedReport>& runs,
                                                 const std::string& metric, size_t count);

// The differing moments for people, one a row, with the runs that score lowest and highest.
TextTable moments_table(const std::vector<NamedReport>& runs, const std::vector<SharedMoment>& moments);

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
std::string worthy_text(const std::vector<NamedReport>& runs, const ComparisonBasis& basis);

}  // namespace vq::cli
