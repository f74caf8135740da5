#include "cli/cluster/shard_index.h"

#include <algorithm>

#include "core/error.h"
#include "core/text.h"
#include "core/text/message_text.h"

namespace vq::cli {
namespace {

int64_t number_of(const std::string& where, const std::string& text) {
  long long number = 0;
  if (!all_digits(text) || !parse_int(text, number)) {
    throw Error(ErrorKind::kUsage,
                where + ": \"" + printable(text) + "\" is no number of a shard, such as 7, 3-5 or 3,4,9.");
  }
  return number;
}

NumberRange range_of(const std::string& where, const std::string& text) {
  const size_t dash = text.find('-');
  const int64_t first = number_of(where, text.substr(0, dash));
  const NumberRange range{first, dash == std::string::npos ? first : number_of(where, text.substr(dash + 1))};
  if (range.last < range.first)
    throw Error(ErrorKind::kUsage, where + ": \"" + printable(text) + "\" ends before it starts.");
  return range;
}

// From tasks to shards; the last task may have fewer.
NumberRange shards_of(const std::string& where, const NumberRange& tasks, const IndexRequest& request) {
  const int64_t count = (request.shards + request.each - 1) / request.each;
  if (tasks.last >= count) {
    throw Error(ErrorKind::kUsage, where + ": there is no number " + std::to_string(tasks.last) +
                                       "; the plan has " + counted(request.shards, "shard") +
                                       ", so the last is " + std::to_string(count - 1) + ".");
  }
  return {tasks.first * request.each, std::min((tasks.last + 1) * request.each, request.shards) - 1};
}

}  // namespace

const std::vector<TaskVariable>& task_variables() {
  static const std::vector<TaskVariable> all = {
      {"SLURM_ARRAY_TASK_ID"}, {"JOB_COMPLETION_INDEX"}, {"AWS_BATCH_JOB_ARRAY_INDEX"}, {"BATCH_TASK_INDEX"},
      {"PBS_ARRAY_INDEX"},     {"PBS_ARRAYID"},          {"LSB_JOBINDEX", 1},           {"SGE_TASK_ID", 1}};
  return all;
}

std::vector<NumberRange> shard_ranges(const IndexRequest& request,
                                      const std::function<const char*(const char*)>& environment) {
  std::vector<NumberRange> ranges;
  if (request.text) {
    for (size_t start = 0; start <= request.text->size();) {
      const size_t end = std::min(request.text->find(',', start), request.text->size());
      ranges.push_back(
          shards_of("--index", range_of("--index", request.text->substr(start, end - start)), request));
      start = end + 1;
    }
    return ranges;
  }
  std::string names;
  for (const TaskVariable& variable : task_variables()) {
    names += (names.empty() ? "" : ", ") + std::string(variable.name);
    const char* const text = environment(variable.name);
    // Engines set theirs to words where there is no array: SGE says "undefined", LSF 0.
    if (text == nullptr || !all_digits(text)) continue;
    const int64_t number = number_of(variable.name, text) - variable.first;
    if (number < 0) continue;
    return {shards_of(variable.name, {number, number}, request)};
  }
  throw Error(
      ErrorKind::kUsage,
      "shard needs the number of a shard. Add --index N; without it one of these says so: " + names + ".");
}

}  // namespace vq::cli
