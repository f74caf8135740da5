// The findings of a shard, as a file: complete or absent.
#pragma once

#include "engine/part_findings.h"
#include "engine/report/report.h"
#include "feature/feature.h"

namespace vq::cli {

// What a shard found apart from its frames.
struct ShardFacts {
  // Has the RunFacts of the shard's run. It has a single frame, whose scores mean nothing.
  Report report;
  size_t opening_warnings = 0;  // how many of the report's warnings came before the first frame
};

// How many values of each kind a feature has for a frame.
struct FeatureShape {
  size_t values = 0, tallies = 0, texts = 0;
};

// How many frames and pairs a result has, and how many values of each feature.
struct ShardShape {
  size_t frames = 0, pairs = 0;
  std::vector<FeatureShape> features;
};

struct ShardId {
  std::string plan;  // PlanHead::id
  int64_t shard = 0;
};

// The bytes of a file with these facts. `frames` are the bytes of frames and pairs, as they lie in the file.
std::string shard_file(const ShardId& id, std::string_view facts, std::string_view frames);
// The bytes of a file with what a shard found. `findings` has as many results as frames.
std::string shard_text(const ShardId& id, const ShardFacts& facts, const PartFindings& findings);

// The state of a shard's file. kForeign: it is of another plan or another shard. result_state() reads the
// whole file, for its hash. Throws Error{kResource} if memory or descriptors are missing.
enum class ResultState { kAbsent, kDamaged, kForeign, kWhole };
ResultState result_state(const std::string& path, const ShardId& id);
inline bool is_whole_result(const std::string& path, const ShardId& id) {
  return result_state(path, id) == ResultState::kWhole;
}

// The result of a shard, read from its file. The constructor throws as result_state(), and Error{kIncomplete}
// if the file is not there, cut, changed, or of another shard.
class ShardResult {
 public:
  ShardResult(const std::string& path, const ShardId& id);

  const ShardFacts& facts() const { return facts_; }
  // The findings that are not those of single frames.
  const PartFindings& findings() const { return findings_; }
  const ShardShape& shape() const { return shape_; }
  size_t frames() const { return shape_.frames; }
  PushedFrame frame(size_t i) const;
  // Fills in the results of the i-th frame, by feature. Reuses the memory that `results` has.
  void fill(size_t i, std::vector<FrameResult>& results) const;
  size_t pairs() const { return shape_.pairs; }
  LookedPair pair(size_t i) const;

 private:
  [[noreturn]] void refuse(const std::string& path, const std::string& why) const;
  void read_places(size_t at);

  std::string bytes_;  // without the tail
  ShardFacts facts_;
  PartFindings findings_;
  ShardShape shape_;
  std::vector<size_t> frames_, pairs_;  // places in the bytes
};

}  // namespace vq::cli
