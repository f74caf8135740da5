#include "cli/commands/subcommand.h"

#include <optional>

#include "cli/batch/batch_task.h"
#include "cli/cluster/catalogue.h"
#include "cli/cluster/merged_title.h"
#include "cli/cluster/shard_run.h"
#include "cli/commands/arguments.h"
#include "cli/reports/ci_formats.h"
#include "cli/reports/compare_files.h"
#include "cli/reports/summary.h"
#include "cli/run/run.h"
#include "cli/run/run_outputs.h"
#include "cli/system/exit_code.h"
#include "cli/system/output_file.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr std::string_view kMergeTaken[] = {"--compare-anyway"},
                           kMergeNotTaken[] = {"--stream-scores", "--progress"};
constexpr size_t kMostRows = 50;  // of the table for people

constexpr int kIncompleteCode = exit_code(ErrorKind::kIncomplete),
              kThresholdCode = exit_code(ErrorKind::kThreshold);

std::vector<std::string> merge_words(const ParsedArguments& typed) {
  return run_words(typed, {.roles = kMergeRoles, .names = kMergeTaken, .but = kMergeNotTaken});
}

std::optional<Baseline> baseline_of(const RunOptions& arguments) {
  return arguments.baseline ? std::optional(read_baseline(*arguments.baseline, interrupt_token()))
                            : std::nullopt;
}

// One title, whose outputs the command line names.
class SingleTitle {
 public:
  SingleTitle(const PlanFile& plan, const ParsedArguments& typed, Messages& messages)
      : plan_(plan),
        title_(plan.title_of_shard(0)),
        messages_(messages),
        arguments_(title_options(plan.head(), title_, merge_words(typed))) {
    check_run_outputs(arguments_);
  }

  int merge() {
    MergedTitle merged = merge_title(plan_.head(), title_, arguments_);
    for (const std::string& warning : merged.report.run.warnings) messages_.warn(warning);
    if (!merged.gaps.empty() || merged.refusal) return keep(merged);
    judge_merged(merged.report, arguments_, baseline_of(arguments_));
    const Report& report = merged.report;
    std::vector<OutputFile> files = write_merged(report, arguments_, Completeness::kWhole);
    if (!arguments_.quiet) {
      show_beside_result(
          run_summary(report, arguments_, {.notes = report.run.notes, .width = stdout_width()}), {});
      tell_written("wrote", std::move(files), messages_);
    }
    add_step_summary(arguments_, run_markdown(arguments_.distorted, report), messages_);
    return tell_thresholds(arguments_.distorted, report.run.thresholds, messages_);
  }

 private:
  int keep(const MergedTitle& merged) {
    const std::string text = merged.refusal ? merged.refusal->what() : gaps_text(title_, merged.gaps);
    messages_.error(text);
    if (!merged.report.frames.empty())
      tell_written("kept", write_merged(merged.report, arguments_, Completeness::kPartial), messages_);
    if (merged.refusal) {
      report_refusal_to_ci(failed_work(arguments_), text, messages_);
      return exit_code(ErrorKind::kMismatch);
    }
    report_failure_to_ci(arguments_, text, messages_);
    return kIncompleteCode;
  }

  const PlanFile& plan_;
  const PlannedTitle title_;
  Messages& messages_;
  const RunOptions arguments_;
};

// All titles, each with a report in one folder, as those of a batch.
class ManyTitles {
 public:
  ManyTitles(const PlanFile& plan, const ParsedArguments& typed, Messages& messages)
      : plan_(plan),
        messages_(messages),
        words_(merge_words(typed)),
        is_quiet_(typed.find("--quiet") != nullptr),
        folder_(path_of(typed, "--reports")),
        formats_(formats_of(typed)) {
    by_ = parse_statistic(typed.find("--by") != nullptr ? *typed.find("--by") : "mean", "--by");
  }

  int merge() {
    const RunOptions first = title_options(plan_.head(), plan_.title_of_shard(0), words_);
    check_models_unchanged(plan_.head());
    make_folder(folder_);
    Catalogue catalogue({.folder = folder_,
                         .by = by_,
                         .moments = first.worst.value_or(SummaryStyle().worst),
                         .numbers = first.precision.value_or(NumberStyle()),
                         .arguments = words_});
    plan_.each_title([&](const PlannedTitle& title) {
      if (interrupt_signal() != 0) return false;
      merge_one(title, catalogue);
      return true;
    });
    if (interrupt_signal() != 0) return interrupt_exit_code(interrupt_signal());
    return finish(catalogue, first);
  }

 private:
  // Each title by itself, so that there is only one in memory.
  void merge_one(const PlannedTitle& title, Catalogue& catalogue) {
    VideoOutcome outcome{.path = title.distorted.file.path, .name = title.name};
    if (title.reference) outcome.reference = title.reference->file.path;
    Report report;
    try {
      merge_into(title, outcome, report);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kUsage || error.kind() == ErrorKind::kOutput) throw;
      fail(outcome, VideoOutcome::State::kFailed, error.kind(), error.what());
    }
    catalogue.add(std::move(outcome), &report);
  }

  void merge_into(const PlannedTitle& title, VideoOutcome& outcome, Report& report) {
    BatchRequest request{
        .arguments = title_options(plan_.head(), title, words_), .folder = folder_, .formats = formats_};
    const ListedVideo video{
        .path = title.distorted.file.path, .reference = outcome.reference, .name = title.name};
    BatchTask task{.arguments = batch_options(request, video), .origin = {}, .baseline = {}};
    MergedTitle merged = merge_title(plan_.head(), title, task.arguments);
    report = std::move(merged.report);
    make_folder(folder_of(task.arguments.outputs.front().path));
    for (const PairFault& fault : report.run.pair_faults) {
      if (!merged.refusal) messages_.warn(fault.diagnostic.text);
    }
    if (!merged.gaps.empty() || merged.refusal) {
      if (merged.refusal) {
        fail(outcome, VideoOutcome::State::kRefused, ErrorKind::kMismatch, merged.refusal->what());
      } else {
        fail(outcome, VideoOutcome::State::kFailed, ErrorKind::kIncomplete, gaps_text(title, merged.gaps));
      }
      if (report.frames.empty()) return;
      write_merged(report, task.arguments, Completeness::kPartial);
      outcome.partial = partial_path(batch_output(title.name, ReportFormat::kJson));
      return;
    }
    task.origin = origin_of(task.arguments, files_of(title));
    task.baseline = baseline_of(task.arguments);
    judge_report(report, task);
    write_merged(report, task.arguments, Completeness::kWhole);
    outcome.state = VideoOutcome::State::kScored;
    outcome.scores = scores_of(report);
    outcome.report = batch_output(title.name, ReportFormat::kJson);
    if (task.arguments.heatmaps.page) outcome.page = batch_output(title.name, ReportFormat::kHtml);
    const int code = tell_thresholds(outcome.path, report.run.thresholds, messages_);
    if (code != kThresholdCode && code_ == 0) code_ = code;
  }

  static std::vector<OriginFacts::File> files_of(const PlannedTitle& title) {
    std::vector<OriginFacts::File> files;
    const auto add = [&](const PlannedFile& file) {
      files.push_back({file.path, file.bytes, file.modified});
    };
    add(title.distorted.file);
    if (title.reference) add(title.reference->file);
    return files;
  }

  void fail(VideoOutcome& outcome, VideoOutcome::State state, ErrorKind kind, const std::string& text) {
    outcome.state = state;
    outcome.error = kind;
    outcome.message = text;
    if (code_ == 0) code_ = exit_code(kind);
    messages_.error(text);
  }

  int finish(Catalogue& catalogue, const RunOptions& first) {
    BatchSummary shown = catalogue.summary();
    std::vector<OutputFile> files = catalogue.files();
    if (!is_quiet_) {
      if (shown.videos.size() > kMostRows) shown.videos.resize(kMostRows);
      std::string text = batch_table(shown).text(stdout_width()) + catalogue.totals() + "\n";
      for (const std::string& remark : shown.remarks) text += remark + "\n";
      for (const std::string& moment : shown.moments) text += words("worst moments: {}\n", moment);
      show_beside_result(text, {});
      tell_written("wrote", std::move(files), messages_);
    }
    add_step_summary(first, markdown_table(batch_table(shown)) + "\n" + catalogue.totals() + "\n", messages_);
    if (code_ != 0) return code_;
    return catalogue.crossing() > 0 ? kThresholdCode : 0;
  }

  const PlanFile& plan_;
  Messages& messages_;
  const std::vector<std::string> words_;
  const bool is_quiet_;
  const std::string folder_;
  const std::vector<ReportFormat> formats_;
  Statistic by_;
  int code_ = 0;
};

void refuse(const ParsedArguments& typed, const PlanHead& head) {
  const bool has_folder = typed.find("--reports") != nullptr, has_file = typed.find("--output") != nullptr;
  if (has_folder && has_file)
    throw Error(ErrorKind::kUsage,
                "-o is for the report of a single title, --reports for a folder of reports; give one.");
  for (const char* const flag : {"--formats", "--by"}) {
    if (!has_folder && typed.find(flag) != nullptr)
      throw Error(ErrorKind::kUsage, words("{} goes with --reports DIR.", flag));
  }
  for (const char* const flag : {"--junit", "--segments-output", "--scenes", "--scenes-from"}) {
    if (has_folder && typed.find(flag) != nullptr)
      throw Error(ErrorKind::kUsage, words("{} is for a single title: merge PLAN -o FILE.", flag));
  }
  const bool needs_place = has_file || typed.find("--missing") == nullptr;
  if (needs_place && !has_folder && head.titles > 1) {
    throw Error(ErrorKind::kUsage, words("the plan has {}, each with a report of its own. Use --reports DIR",
                                         counted(head.titles, "title")));
  }
}

// As a merge does, before there is anything to merge.
void check(const PlanFile& plan, const ParsedArguments& typed, Messages& messages) {
  if (typed.find("--reports") == nullptr) {
    SingleTitle(plan, typed, messages);
  } else {
    ManyTitles(plan, typed, messages);
    (void)title_options(plan.head(), plan.title_of_shard(0), merge_words(typed));
  }
}

}  // namespace

int run_merge(const ParsedArguments& typed, Messages& messages) {
  refuse_others(typed, {.roles = kMergeRoles, .names = kMergeTaken, .but = kMergeNotTaken},
                "is settled by the plan, or has no use here.");
  FailedWork work{.junit = {}, .github = typed.find("--github") != nullptr, .files = {typed.arguments.at(0)}};
  if (const std::string* const junit = typed.find("--junit")) work.junit = *junit;
  if (const std::string* const output = typed.find("--output")) work.others.push_back(*output);
  try {
    const PlanFile plan(typed.arguments.at(0));
    refuse(typed, plan.head());
    if (typed.find("--missing") != nullptr) {
      check(plan, typed, messages);
      write_stdout(missing_shards_json(plan));
      return 0;
    }
    if (typed.find("--reports") != nullptr) return ManyTitles(plan, typed, messages).merge();
    return SingleTitle(plan, typed, messages).merge();
  } catch (const std::exception&) {
    report_exception_to_ci(work, messages);
    throw;
  }
}

}  // namespace vq::cli
