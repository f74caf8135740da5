#include "cli/cluster/shard_run.h"

#include <algorithm>
#include <exception>
#include <filesystem>
#include <system_error>

#include "cli/cluster/input_check.h"
#include "cli/cluster/shard_result.h"
#include "cli/inputs/pair_remarks.h"
#include "cli/run/run.h"
#include "cli/run/scoring_run.h"
#include "cli/system/exit_code.h"
#include "cli/system/output_file.h"
#include "cli/system/output_path.h"
#include "cli/system/progress.h"
#include "core/error.h"
#include "core/text/message_text.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

RunPart part_of(const PlannedTitle& title, const PlannedShard& shard) {
  RunPart part{.first = shard.first,
               .end = shard.end,
               .lead = shard.lead,
               .run_first = title.run_first,
               .distorted = shard.distorted,
               .reference = shard.reference,
               .distorted_length = title.distorted.measured,
               .reference_length = {}};
  if (title.reference) part.reference_length = title.reference->measured;
  return part;
}

// What it scores is what a whole run of an extended report does.
RunOptions options_of(const PlannedTitle& title, const PlannedShard& shard, const std::string& path,
                      RunOptions arguments) {
  arguments.extended = true;
  arguments.outputs = {{path, ReportFormat::kJson}};
  if (title.whole.empty()) arguments.part = part_of(title, shard);
  return arguments;
}

void write_whole(const std::string& path, const std::string& text) {
  std::error_code error;
  fs::create_directories(folder_of(path), error);
  if (error)
    throw Error(ErrorKind::kOutput,
                shown_path(folder_of(path)) + ": cannot make the folder: " + error.message());
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
      write_whole(path, printable(refusal.what(), 1000) + "\t" + std::string(to_string(fault.kind)) + "\t" +
                            (fault.is_certain ? "1" : "0") + "\t" + printable(fault.diagnostic.text, 1000) +
                            "\n");
    } catch (...) {
      write_whole(path, printable(error_of(failure).what(), 1000) + "\n");
    }
  } catch (const std::exception&) {
  }
}

class Shard {
 public:
  Shard(const RunOptions& arguments, Messages& messages)
      : arguments_(arguments), messages_(messages), run_(arguments, messages) {
    facts_.opening_warnings = messages.warnings().size();
    run_.keep(findings_);
  }

  // False after an interrupt.
  bool score(const std::string& label) {
    Progress progress(progress_settings(arguments_, run_.expected_frames(), label),
                      {seconds_now, write_stderr, terminal_width}, &messages_);
    try {
      run_.score({[&](double value) { progress.frame(value); }});
    } catch (...) {
      progress.finish();
      throw;
    }
    progress.finish();
    return !arguments_.stop.is_requested();
  }

  std::string text(const ShardId& id) {
    facts_.report = run_.report();
    return shard_text(id, facts_, findings_);
  }

 private:
  const RunOptions& arguments_;
  Messages& messages_;
  ShardFacts facts_;
  PartFindings findings_;
  ScoringRun run_;
};

}  // namespace

int64_t place_in_title(const PlannedTitle& title, int64_t shard) {
  return shard - title.first_shard;
}

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
    Shard shard(own, messages);
    if (!shard.score(title.name + " " + std::to_string(place))) return ShardOutcome::kInterrupted;
    write_whole(path, shard.text(id));
  } catch (...) {
    if (arguments.stop.is_requested()) return ShardOutcome::kInterrupted;
    note_failure(failure, std::current_exception());
    throw;
  }
  std::error_code ignored;
  fs::remove(failure, ignored);
  return ShardOutcome::kScored;
}

}  // namespace vq::cli
