// The report of a title, from what its shards found.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster/plan.h"
#include "cli/inputs/remarks.h"
#include "cli/inputs/run_options.h"
#include "cli/reports/batch_summary.h"
#include "cli/system/output_file.h"
#include "core/number_text.h"
#include "engine/report/report.h"
#include "engine/report/statistic.h"
#include "engine/report/threshold.h"

namespace vq::cli {

struct ShardGap {
  enum class Kind { kMissing, kFailed, kDamaged };  // kFailed: it was tried; kDamaged: its result is there
  int64_t shard = 0;                                // among all of the plan
  Kind kind = Kind::kMissing;
  std::string reason;
  std::optional<PairFault> fault = {};  // the reason, if its videos do not fit together
};

struct MergedTitle {
  Report report;  // that a single run would have made; of the frames before the first gap, if there is one
  std::vector<ShardGap> gaps;
  // Why the videos do not fit together; the report is then of the frames before that was known.
  std::optional<RefusedPair> refusal = {};
};

// `arguments`: of the title, with the outputs that are wanted, whose command line is that of a single run.
// Judges the pair as a single run does. Reads one shard at a time. Throws Error{kInput} if a model is not
// what it was when the plan was made, {kIncomplete} for videos of different lengths under --strict, and
// {kUsage, kMismatch} if the arguments ask for scores that the title does not have.
MergedTitle merge_title(const PlanHead& head, const PlannedTitle& title, const RunOptions& arguments);

// "3 of 20 shards are missing, 1 failed: numbers 5, 6, 7 (...), 8". Gives the reason for those that failed or
// are damaged.
std::string gaps_text(const PlannedTitle& title, const std::vector<ShardGap>& gaps);

// A summary over all titles of a plan, in memory that does not grow with their number.

// Number of titles shown: the worst ones, and those that failed; summary.csv has all.
inline constexpr size_t kMostTitles = 1000;

struct CatalogueRequest {
  std::string folder;   // of the reports
  Statistic by;         // of the leading metric
  size_t moments = 10;  // the worst of all titles
  NumberStyle numbers = {};
  std::vector<std::string> arguments;
};

class Catalogue {
 public:
  // Opens summary.csv. Throws Error{kOutput}.
  explicit Catalogue(CatalogueRequest request);

  // Adds a title; `report` null if there is none. Throws Error{kOutput}.
  void add(VideoOutcome outcome, const Report* report);
  // The titles that are kept, the worst first, those that failed before them, those that are not comparable
  // behind them; and the worst moments.
  BatchSummary summary() const;
  // The totals of all titles: "10000 videos: 9997 scored, 2 failed, 1 refused".
  std::string totals() const;
  int64_t crossing() const { return crossing_; }
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
  void rank(VideoOutcome outcome);
  void add_moments(const VideoOutcome& outcome, const Report& report);

  const CatalogueRequest request_;
  OutputFile table_;
  std::vector<Ranked> worst_;                 // a heap, the least of these first
  std::vector<VideoOutcome> failed_, apart_;  // apart: not comparable
  std::vector<Moment> moments_;               // the worst first
  int64_t titles_ = 0, scored_ = 0, failures_ = 0, refused_ = 0, crossing_ = 0, not_comparable_ = 0;
};

// The open part of a plan, for programs that hand it out.

class PlanFile;

// The shards without a whole result, and what the plan's shards take, as JSON: see docs/cluster.md. Throws
// Error{kInput}.
std::string missing_shards_json(const PlanFile& plan);

}  // namespace vq::cli
