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

}  // namespace vq::cli
