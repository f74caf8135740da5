// The report of a title, from what its shards found.
#pragma once

#include "cli/cluster/plan.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_options.h"
#include "cli/reports/batch_summary.h"
#include "cli/system/output_file.h"
#include "core/number_text.h"
#include "engine/report/report.h"
#include "engine/report/statistic.h"

namespace vq::cli {

struct ShardGap {
  // kFailed: scoring the shard was tried and failed; kDamaged: its result cannot be used.
  enum class Kind { kMissing, kFailed, kDamaged };
  int64_t shard = 0;  // its number among all shards of the plan
  Kind kind = Kind::kMissing;
  std::string reason;
  std::optional<PairFault> fault = {};  // set if it failed because the videos do not fit together
};

struct MergedTitle {
  // The report that a single run would have made. If there are gaps, it has the frames before the first.
  Report report;
  std::vector<ShardGap> gaps;
  // Why the videos do not fit together. If this is set, the report has the frames before that was known.
  std::optional<RefusedPair> refusal = {};
};

// Merges what the shards of a title found. `arguments` are those of a single run of the title, with the
// outputs that are wanted. Judges the pair as a single run does. Has one shard at a time in memory. Throws
// Error{kInput} if a model is not what it was when the plan was made, {kIncomplete} for videos of different
// lengths under --strict, and {kUsage, kMismatch} if the arguments ask for scores that the title does not
// have.
MergedTitle merge_title(const PlanHead& head, const PlannedTitle& title, const RunOptions& arguments);

// Names the gaps: "3 of 20 shards are missing, 1 failed: numbers 5, 6, 7 (...), 8". Shards that failed or are
// damaged have their reason in parentheses.
std::string gaps_text(const PlannedTitle& title, const std::vector<ShardGap>& gaps);

// A summary over all titles of a plan, in memory that does not grow with their number.

// Number of titles shown: the worst ones, and those that failed; summary.csv has all.
inline constexpr size_t kMostTitles = 1000;

struct CatalogueRequest {
  std::string folder;   // of the reports
  Statistic by;         // of the leading metric; it ranks the titles
  size_t moments = 10;  // number of worst moments of all titles that are listed
  NumberStyle numbers = {};
  std::vector<std::string> arguments;
};

class Catalogue {
 public:
  // Opens summary.csv. Throws Error{kOutput}.
  explicit Catalogue(CatalogueRequest request);

  // Adds a title. `report` counts if it has scores. Throws Error{kOutput}.
  void add(VideoOutcome outcome, const Report& report);
  // The titles that are shown: first those that failed, then the worst, from the worst on, last those that
  // are not comparable. Also has the worst moments.
  BatchSummary summary() const;
  const VideoCounts& counts() const { return counts_; }
  // summary.csv, summary.json and, if this build has pages, index.html. Throws Error{kOutput}.
  std::vector<OutputFile> files();

 private:
  struct Ranked {
    double value = 0;  // larger is worse
    int64_t order = 0;
    VideoOutcome outcome;
    // The worst first.
    bool operator<(const Ranked& other) const {
      return value != other.value ? value > other.value : order < other.order;
    }
  };
  struct Moment {
    double value = 0;  // larger is worse
    std::string text;
  };
  void rank(VideoOutcome outcome, const Metric& leading);
  void add_moments(const VideoOutcome& outcome, const Report& report, const Metric& metric);

  const CatalogueRequest request_;
  OutputFile table_;
  std::set<Ranked> worst_;                    // the worst first
  std::vector<VideoOutcome> failed_, apart_;  // apart: not comparable
  std::vector<Moment> moments_;               // the worst first
  VideoCounts counts_;
};

// Lists as JSON the shards that have no whole result, and the resources that the plan's shards take: see
// docs/cluster.md. Throws Error{kInput}.
std::string missing_shards_json(const PlanFile& plan);

}  // namespace vq::cli
