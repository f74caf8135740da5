// From videos to titles with their shards.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/cluster/cutting.h"
#include "cli/cluster/plan.h"
#include "cli/decoding/parallel/stream_index.h"

namespace vq::cli {

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
