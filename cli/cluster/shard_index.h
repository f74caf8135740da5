// Which shards a process is to score.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vq::cli {

// A variable by which an engine tells each of its tasks which one it is.
struct TaskVariable {
  const char* name;
  int64_t first = 0;  // the number of the first task
};
const std::vector<TaskVariable>& task_variables();

// Numbers from A to B, both of them in it.
struct NumberRange {
  int64_t first = 0, last = 0;
  bool operator==(const NumberRange&) const = default;
};

struct IndexRequest {
  std::optional<std::string>
      text;            // "7", "3-5", or several of these with commas; none: as the environment says
  int64_t each = 1;    // number of shards that one entry stands for
  int64_t shards = 0;  // that there are
};

// The shards, in ranges as they were given. `environment` gives the text of a variable, or null. Throws
// Error{kUsage}: no number, none that there is a shard for, and where nothing says which.
std::vector<NumberRange> shard_ranges(const IndexRequest& request,
                                      const std::function<const char*(const char*)>& environment);

}  // namespace vq::cli
