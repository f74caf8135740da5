// From videos to titles with their shards.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/cluster/plan.h"
#include "cli/decoding/parallel/stream_index.h"
#include "cli/inputs/run_options.h"

namespace vq::cli {

// Where a title is cut into shards.

// How long shards are to be: one of them; frames where none is given, see docs/cluster.md.
inline constexpr int64_t kDefaultShardFrames = 3000;
struct ShardLength {
  std::optional<int64_t> frames;
  std::optional<double> seconds;
  std::optional<int64_t> shards;  // of each title
};

struct TitleCut {
  std::string whole;  // why it is a single shard; empty where it could be cut
  int64_t run_first = 0;
  int64_t frames = -1;  // -1: nobody knows
  std::vector<PlannedShard> shards;
};

// Frames that are read before a shard, so that its first is scored as in the whole run.
int64_t lead_of(const RunOptions& arguments);

// Shards begin `lead_of()` frames behind pictures at which decoding may begin, so that what they need before
// them is decoded at no other cost. All frames of the run are in exactly one shard. Throws Error{kInput}
// where the run has no frame, or skips more than there are.
TitleCut cut_title(const RunOptions& arguments, const StreamIndex& distorted, const StreamIndex* reference,
                   const ShardLength& length);

class Planner {
 public:
  explicit Planner(const ShardLength& length) : length_(length) {}

  // Reads the packets of the videos, of a reference that follows itself once, and cuts the title.
  // `arguments`: of the title, with its videos. Throws what opening and reading the videos throws, and
  // cut_title().
  PlannedTitle plan(const std::string& name, const RunOptions& arguments);

 private:
  struct Indexed {
    PlannedInput input;
    StreamIndex index;
  };
  static Indexed index(const RunOptions& arguments, const std::string& path, bool is_reference);
  const Indexed& reference(const RunOptions& arguments);

  const ShardLength length_;
  std::string reference_path_;
  std::unique_ptr<Indexed> reference_;  // the last one
};

}  // namespace vq::cli
