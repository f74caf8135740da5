// The findings of a shard, as a file: complete or absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/part_findings.h"
#include "engine/report/report.h"
#include "feature/feature.h"

namespace vq::cli {

// A shard's facts beside its frames, as text.

// A shard's facts beside its frames.
struct ShardFacts {
  Report report;  // its run, as that of a run by itself; of frames it has one, whose scores say nothing
  size_t opening_warnings = 0;  // of the report's, those that came before the first frame
};

// How many values of each kind a feature has for a frame.
struct FeatureShape {
  size_t values = 0, tallies = 0, texts = 0;
};

// How much of what there is.
struct ShardShape {
  size_t frames = 0, pairs = 0;
  std::vector<FeatureShape> features;
};

// Identifies a shard of a plan.
struct ShardId {
  std::string plan;  // PlanHead::id
  int64_t shard = 0;
};

// The bytes of a file with these facts and, as they lie in it, the numbers of frames.
std::string shard_file(const ShardId& id, std::string_view facts, std::string_view columns);
// The same for what was found. `findings` has as many results as frames.
std::string shard_text(const ShardId& id, const ShardFacts& facts, const PartFindings& findings);

// kForeign: of another plan, or of another shard. Reads all of the file, since its hash is of all. Throws
// Error{kResource} if memory or descriptors are missing.
enum class ResultState { kAbsent, kDamaged, kForeign, kWhole };
ResultState result_state(const std::string& path, const ShardId& id);
inline bool is_whole_result(const std::string& path, const ShardId& id) {
  return result_state(path, id) == ResultState::kWhole;
}

// A file that was read. Throws as result_state(), and Error{kIncomplete} if it is not there, cut, changed, or
// of another shard.
class ShardResult {
 public:
  ShardResult(const std::string& path, const ShardId& id);

  const ShardFacts& facts() const { return facts_; }
  // All that is not of single frames.
  const PartFindings& findings() const { return findings_; }
  const ShardShape& shape() const { return shape_; }
  size_t frames() const { return shape_.frames; }
  PushedFrame frame(size_t i) const;
  // Results of the i-th frame, by feature; existing memory is reused.
  void fill(size_t i, std::vector<FrameResult>& results) const;
  size_t pairs() const { return shape_.pairs; }
  LookedPair pair(size_t i) const;

 private:
  // Where the columns of a feature are.
  struct Columns {
    size_t values = 0, tallies = 0;
    std::vector<std::vector<std::string>> words;  // by frame
  };
  [[noreturn]] void refuse(const std::string& path, const std::string& why) const;
  void read_columns(size_t at);
  size_t read_words(size_t count, Columns& columns, size_t at) const;
  void check_numbers() const;
  size_t pair_bytes() const;

  std::string bytes_;
  ShardFacts facts_;
  PartFindings findings_;
  ShardShape shape_;
  size_t frames_at_ = 0, pairs_at_ = 0;
  std::vector<Columns> features_;  // as in the shape
};

}  // namespace vq::cli
