#include "cli/cluster/shard_run.h"

#include "cli/batch/batch_task.h"
#include "cli/cluster/shard_result.h"
#include "cli/inputs/remarks.h"
#include "cli/run/run.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "cli/system/progress.h"
#include "core/content_hash.h"
#include "core/error.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

// Scores the same as a whole run with an extended report.
RunOptions options_of(const PlannedTitle& title, const RunPart& shard, const std::string& path,
                      RunOptions arguments) {
  arguments.extended = true;
  arguments.outputs = {{path, ReportFormat::kJson}};
  if (!title.whole.empty()) return arguments;
  RunPart& part = arguments.part.emplace(shard);
  part.run_first = title.run_first;
  part.distorted_length = title.distorted.measured;
  if (title.reference) part.reference_length = title.reference->measured;
  return arguments;
}

void write_whole(const std::string& path, const std::string& text) {
  make_folder(folder_of(path));
  OutputFile file(path, OutputFile::Place::kReplaced);
  file.write(text);
  file.commit();
}

// Whatever becomes of the note, what failed is told.
void note_failure(const std::string& path, const std::exception_ptr& failure) {
  try {
    try {
      std::rethrow_exception(failure);
    } catch (const RefusedPair& refusal) {
      const PairFault& fault = refusal.fault();
      write_whole(path, words("{}\t{}\t{}\t{}\n", printable(refusal.what(), 1000), to_string(fault.kind),
                              fault.is_certain ? "1" : "0", printable(fault.diagnostic.text, 1000)));
    } catch (...) {
      write_whole(path, printable(error_of(failure).what(), 1000) + "\n");
    }
  } catch (const std::exception&) {
  }
}

int64_t number_of(const std::string& where, const std::string& text) {
  long long number = 0;
  if (!all_digits(text) || !parse_int(text, number))
    throw usage_error("{}: \"{}\" is no number of a shard, such as 7, 3-5 or 3,4,9.", where, printable(text));
  return number;
}

NumberRange range_of(const std::string& where, const std::string& text) {
  const size_t dash = text.find('-');
  const int64_t first = number_of(where, text.substr(0, dash));
  const NumberRange range{first, dash == std::string::npos ? first : number_of(where, text.substr(dash + 1))};
  if (range.last < range.first)
    throw usage_error("{}: \"{}\" ends before it starts.", where, printable(text));
  return range;
}

// From tasks to shards; the last task may have fewer.
NumberRange shards_of(const std::string& where, const NumberRange& tasks, const IndexRequest& request) {
  const int64_t count = (request.shards + request.each - 1) / request.each;
  if (tasks.last >= count) {
    throw usage_error("{}: there is no number {}; the plan has {}, so the last is {}.", where, tasks.last,
                      counted(request.shards, "shard"), count - 1);
  }
  return {tasks.first * request.each, std::min((tasks.last + 1) * request.each, request.shards) - 1};
}

// A variable by which an engine tells each of its tasks which one it is.
struct TaskVariable {
  const char* name;
  int64_t first = 0;  // the number of the first task
};
constexpr TaskVariable kTaskVariables[] = {
    {"SLURM_ARRAY_TASK_ID"}, {"JOB_COMPLETION_INDEX"}, {"AWS_BATCH_JOB_ARRAY_INDEX"}, {"BATCH_TASK_INDEX"},
    {"PBS_ARRAY_INDEX"},     {"PBS_ARRAYID"},          {"LSB_JOBINDEX", 1},           {"SGE_TASK_ID", 1}};

// Containers have their index within so many bytes of one of their ends, or its place.
constexpr int64_t kEndBytes = 1 << 18;

std::string fingerprint_of(const std::string& path, int64_t bytes, FileExtent extent) {
  std::ifstream file(path_of(path), std::ios::binary);
  ContentHash hash;
  std::string buffer;
  const auto add = [&](int64_t at) {
    buffer.resize(static_cast<size_t>(std::min(bytes - at, kEndBytes)));
    file.seekg(at);
    file.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    if (!file) throw input_error(path, "cannot be read", errno);
    hash.add(buffer);
  };
  if (extent == FileExtent::kAll) {
    for (int64_t at = 0; at < bytes; at += kEndBytes) add(at);
  } else {
    add(0);
    add(std::max<int64_t>(0, bytes - kEndBytes));
  }
  return hash_text(hash.value());
}

}  // namespace

ShardOutcome run_shard(const PlanHead& head, const PlannedTitle& title, int64_t place,
                       const RunOptions& arguments, Messages& messages) {
  const std::string path = shard_path(head, title, place), failure = failure_path(head, title, place);
  const ShardId id{head.id, title.first_shard + place};
  if (is_whole_result(path, id)) return ShardOutcome::kKept;
  try {
    check_models_unchanged(head);
    check_unchanged(title.distorted.file);
    if (title.reference) check_unchanged(title.reference->file);
    const RunOptions own = options_of(title, title.shards.at(static_cast<size_t>(place)), path, arguments);
    ShardFacts facts;
    PartFindings findings;
    ScoringRun run(own, messages);
    facts.opening_warnings = messages.warnings().size();
    run.collect(findings);
    {
      const std::string label = words("{} {}", title.name, place);
      Progress progress(progress_settings(own, run.expected_frames(), label), {}, &messages);
      run.score({[&](double value) { progress.frame(value); }});
    }
    if (own.stop.is_requested()) return ShardOutcome::kInterrupted;
    facts.report = run.report();
    write_whole(path, shard_text(id, facts, findings));
  } catch (...) {
    if (arguments.stop.is_requested()) return ShardOutcome::kInterrupted;
    note_failure(failure, std::current_exception());
    throw;
  }
  std::error_code ignored;
  fs::remove(path_of(failure), ignored);
  return ShardOutcome::kScored;
}

std::vector<NumberRange> shard_ranges(const IndexRequest& request,
                                      const std::function<const char*(const char*)>& environment) {
  std::vector<NumberRange> ranges;
  if (request.text) {
    for (const std::string_view part : fields(*request.text, ','))
      ranges.push_back(shards_of("--index", range_of("--index", std::string(part)), request));
    return ranges;
  }
  for (const TaskVariable& variable : kTaskVariables) {
    const char* const text = environment(variable.name);
    // Engines set theirs to words if there is no array: SGE says "undefined", LSF 0.
    if (text == nullptr || !all_digits(text)) continue;
    const int64_t number = number_of(variable.name, text) - variable.first;
    if (number < 0) continue;
    return {shards_of(variable.name, {number, number}, request)};
  }
  throw usage_error("shard needs the number of a shard. Add --index N; without it one of these says so: {}.",
                    join(kTaskVariables, ", ", &TaskVariable::name));
}

PlannedFile look_at_file(const std::string& path, FileExtent extent) {
  const OriginFacts::File facts = file_facts(path);
  return {facts, fingerprint_of(path, facts.bytes, extent)};
}

void check_unchanged(const PlannedFile& planned, FileExtent extent) {
  const OriginFacts::File facts = file_facts(planned.path);
  const auto refuse = [&](const std::string& what) {
    throw Error(ErrorKind::kInput,
                "{} has changed since the plan was made ({}): its shards would not go together. Try: cambi "
                "plan once more",
                shown_path(planned.path), what);
  };
  if (facts.bytes != planned.bytes) refuse(words("it has {} bytes, not {}", facts.bytes, planned.bytes));
  if (facts.modified != planned.modified) refuse("it was written later, or earlier");
  if (fingerprint_of(planned.path, planned.bytes, extent) != planned.fingerprint)
    refuse(extent == FileExtent::kAll ? "its bytes differ" : "its first or last bytes differ");
}

void check_models_unchanged(const PlanHead& head) {
  for (const PlannedFile& model : head.models) check_unchanged(model, FileExtent::kAll);
}

}  // namespace vq::cli
