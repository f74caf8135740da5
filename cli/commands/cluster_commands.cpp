// `cambi plan`, `cambi shard` and `cambi merge`.
#include <cstdlib>

#include "cli/batch/batch_task.h"
#include "cli/batch/video_list.h"
#include "cli/cluster/merged_title.h"
#include "cli/cluster/plan.h"
#include "cli/cluster/shard_run.h"
#include "cli/commands/arguments.h"
#include "cli/pictures/picture_tap.h"
#include "cli/reports/ci_formats.h"
#include "cli/reports/summary.h"
#include "cli/run/ending.h"
#include "cli/run/run.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/models/model_spec.h"

namespace vq::cli {
namespace {

constexpr std::string_view kNotOfTitles[] = {"--reference", "--distorted", "--sandbox", "--output",
                                             "--quiet"};
constexpr int64_t kMostPlannedFrames = int64_t{1} << 40;

ShardLength length_of(const ParsedArguments& typed) {
  const std::string *const frames = typed.find("--shard-frames"),
                           *const seconds = typed.find("--shard-seconds"),
                           *const shards = typed.find("--shards");
  if ((frames != nullptr) + (seconds != nullptr) + (shards != nullptr) > 1)
    throw usage_error("--shard-frames, --shard-seconds and --shards each say how long a shard is; give one.");
  ShardLength length;
  if (frames != nullptr) length.frames = typed.number("--shard-frames", {1, kMostPlannedFrames}, 0);
  if (shards != nullptr) length.shards = typed.number("--shards", {1, kMostPlannedFrames}, 0);
  double value = 0;
  if (seconds != nullptr && (!parse_real(*seconds, value) || value <= 0))
    throw usage_error("--shard-seconds: \"{}\" is no number of seconds.", printable(*seconds));
  if (seconds != nullptr) length.seconds = value;
  return length;
}

std::string absolute(const std::string& path) {
  return text_of(std::filesystem::absolute(path_of(path)).lexically_normal());
}

// Machines that read the plan are in folders of their own: files of models are named from the root on. They
// are looked at before anything is planned.
void settle_models_of(PlanHead& head) {
  constexpr std::string_view kModel = "--model=";
  for (std::string& word : head.arguments) {
    if (!word.starts_with(kModel)) continue;
    std::vector<std::string> specs;
    for (model::ModelSpec& spec : model::parse_model_specs(std::string_view(word).substr(kModel.size()))) {
      if (spec.version.empty()) {
        spec.path = absolute(spec.path);
        head.models.push_back(look_at_file(spec.path, FileExtent::kAll));
      }
      specs.push_back(model::text_of(spec));
    }
    word = std::string(kModel) + join(specs, "|");
  }
}

std::string plan_path(const ParsedArguments& typed) {
  const std::string path = typed_path(typed, "--output");
  if (path.empty()) throw usage_error("plan needs a file to write. Add -o PLAN.json");
  if (is_standard_output(path))
    throw usage_error("a plan is a file that all machines read. Add -o PLAN.json");
  return path;
}

std::string results_folder(const ParsedArguments& typed, const std::string& plan) {
  const std::string folder = typed_path(typed, "--results");
  if (!folder.empty()) return absolute(folder);
  return absolute(text_of(path_of(plan).replace_extension(".shards")));
}

void refuse(const RunOptions& arguments) {
  if (arguments.film_grain == FilmGrainRequest::kBoth)
    throw usage_error("plan makes one report of each video, so --film-grain is on or off.");
  if (arguments.skip_distorted_seconds || arguments.skip_reference_seconds) {
    throw usage_error(
        "plan counts frames: give --frame_skip_dist and --frame_skip_ref as numbers of frames.");
  }
  for (const FeatureRequest& request : arguments.features) {
    if (heatmap_folder(request).empty() && histogram_path(request).empty()) continue;
    throw usage_error(
        "shards write no pictures and no files of histograms. Score a video by itself for these: cambi "
        "VIDEO");
  }
}

class Plan {
 public:
  Plan(const ParsedArguments& typed, Messages& messages)
      : messages_(messages),
        path_(plan_path(typed)),
        is_quiet_(typed.has("--quiet")),
        ignores_failed_(typed.has("--ignore-failed")),
        list_(list_videos(list_request(typed, "plan FOLDER -o PLAN.json"))),
        planner_(length_of(typed)) {
    head_.version = version();
    head_.results = results_folder(typed, path_);
    head_.arguments = run_words(typed, "plan", kNotOfTitles);
    settle_models_of(head_);
    RunOptions options = several_options(words_for(typed, list_));
    refuse(options);
    if (const std::string* const reference = typed.find("--reference")) reference_ = absolute(*reference);
    for (const std::string& remark : list_.remarks) note(remark);
    SandboxPaths paths{.written = {path_}};
    for (const ListedVideo& video : list_.videos) {
      paths.read.push_back(video.path);
      if (video.reference) paths.read.push_back(*video.reference);
    }
    enter_sandbox_of(options, std::move(paths), messages);
  }

  int make() {
    PlanWriter writer(path_, head_);
    for (const ListFault& fault : list_.faults) {
      if (!code_) code_ = exit_code(ErrorKind::kInput);
      messages_.error(error_of(fault.error).what());
    }
    int64_t titles = 0;
    for (const ListedVideo& video : list_.videos) titles += add(video, writer);
    if (const int signal = interrupt_signal(); signal != 0) {
      messages_.error("interrupted");
      return interrupt_exit_code(signal);
    }
    if (titles == 0) return code_.value_or(exit_code(ErrorKind::kInput));  // every video was told
    const PlanHead head = writer.commit();
    note(words("wrote {}: {} in {}. Each is scored by: cambi shard {} --index N, N from 0 to {}",
               shown_path(path_), counted(head.titles, "title"), counted(head.shards, "shard"),
               shell_word(path_), head.shards - 1));
    return ignores_failed_ ? 0 : code_.value_or(0);
  }

 private:
  void note(const std::string& text) {
    if (!is_quiet_) messages_.note(text);
  }

  // Whether the title is in the plan. What cannot be planned keeps no other from it.
  bool add(const ListedVideo& video, PlanWriter& writer) {
    if (interrupt_signal() != 0) return false;
    PlannedTitle title;
    title.distorted.file.path = absolute(video.path);
    const std::optional<std::string> reference =
        video.reference ? std::optional(absolute(*video.reference)) : reference_;
    if (reference) title.reference.emplace().file.path = *reference;
    try {
      PlannedTitle planned = planner_.plan(video.name, title_options(head_, title, {}));
      if (!planned.whole.empty())
        note(words("{} is a single shard: {}", shown_path(video.path), planned.whole));
      writer.add(std::move(planned));
      return true;
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::kOutput) throw;
      if (interrupt_signal() != 0) return false;
      if (!code_) code_ = exit_code(error);
      messages_.error(error.what());
      return false;
    }
  }

  Messages& messages_;
  const std::string path_;
  const bool is_quiet_, ignores_failed_;
  const VideoList list_;
  Planner planner_;
  PlanHead head_;
  std::optional<std::string> reference_;  // of all
  std::optional<int> code_;
};

constexpr int64_t kMostEach = 1'000'000;

bool has_shard(const PlannedTitle& title, int64_t shard) {
  const int64_t place = shard - title.first_shard;
  return place >= 0 && place < static_cast<int64_t>(title.shards.size());
}

// The title of shards that follow each other is looked up once.
class Shards {
 public:
  Shards(const std::string& path, const ParsedArguments& typed, Messages& messages)
      : plan_(path), more_(run_words(typed, "shard")), is_quiet_(typed.has("--quiet")), messages_(messages) {}

  const PlanHead& head() const { return plan_.head(); }

  // Confines this process to what these shards need.
  void enter_sandbox(const std::vector<NumberRange>& ranges) {
    SandboxPaths paths{.read = {plan_.path()}, .folders = {plan_.head().results}};
    std::optional<RunOptions> options;
    for (const NumberRange& range : ranges) {
      for (int64_t shard = range.first; shard <= range.last; ++shard) {
        if (title_ && has_shard(*title_, shard)) continue;
        title_ = plan_.title_of_shard(shard);
        options = title_options(plan_.head(), *title_, more_);
        for (const std::string& video : input_paths(*options)) paths.read.push_back(video);
      }
    }
    if (!options) return;
    enter_sandbox_of(*options, std::move(paths), messages_);
    sandbox_layers_ = options->sandbox_layers;
  }

  // A shard that fails does not stop the others.
  void score(int64_t shard) {
    try {
      score_one(shard);
    } catch (const std::exception&) {
      const Error error = error_of(std::current_exception());
      if (!code_) code_ = exit_code(error);
      messages_.error(words("shard {}: {}", shard, error.what()));
    }
  }

  int code() const {
    const int signal = interrupt_signal();
    return signal != 0 ? interrupt_exit_code(signal) : code_.value_or(0);
  }

 private:
  void score_one(int64_t shard) {
    if (!title_ || !has_shard(*title_, shard)) title_ = plan_.title_of_shard(shard);
    Messages own([](std::string_view text) { write_stderr(text); });
    RunOptions arguments = title_options(plan_.head(), *title_, more_);
    arguments.sandbox_layers = sandbox_layers_;
    const ShardOutcome outcome =
        run_shard(plan_.head(), *title_, shard - title_->first_shard, arguments, own);
    own.finish();
    if (is_quiet_) return;
    if (outcome == ShardOutcome::kKept) messages_.note(words("shard {} was done already", shard));
    if (outcome == ShardOutcome::kScored) messages_.note(words("shard {} is done", shard));
    if (outcome == ShardOutcome::kInterrupted) messages_.error(words("shard {} was interrupted", shard));
  }

  const PlanFile plan_;
  const std::vector<std::string> more_;
  const bool is_quiet_;
  Messages& messages_;
  std::string sandbox_layers_;
  std::optional<PlannedTitle> title_;
  std::optional<int> code_;
};

constexpr size_t kMostRows = 50;  // of the table for people

// One title, whose outputs the command line names.

RunOptions title_arguments(const PlanFile& plan, const ParsedArguments& typed) {
  RunOptions arguments = title_options(plan.head(), plan.title_of_shard(0), run_words(typed, "merge"));
  check_run_outputs(arguments);
  return arguments;
}

int merge_single(const PlanFile& plan, const RunOptions& arguments, Messages& messages, Ending& ending) {
  ending.set_options(ending_options(arguments));
  const PlannedTitle title = plan.title_of_shard(0);
  MergedTitle merged = merge_title(plan.head(), title, arguments);
  Report& report = merged.report;
  for (const std::string& warning : report.run.warnings) messages.warn(warning);
  RunOutputs outputs(arguments, messages);
  if (!merged.gaps.empty() || merged.refusal) {
    const int code = merged.refusal
                         ? ending.refuse(merged.refusal->what())
                         : ending.fail(gaps_text(title, merged.gaps), exit_code(ErrorKind::kIncomplete));
    if (!report.frames.empty()) outputs.write_partial(report);
    for (const std::string& line : outputs.take_lines()) messages.note(line);
    return code;
  }
  judge_report(report, arguments, baseline_of(arguments));
  outputs.write(report, ending.junit(std::array{scored_suite(arguments.distorted, report.run)}));
  ending.wrote(outputs.take_lines());
  ending.show(arguments.quiet
                  ? ""
                  : run_summary(report, arguments, {.notes = report.run.notes, .width = stdout_width()}));
  ending.add_to_step(run_markdown(arguments.distorted, report));
  ending.judged(arguments.distorted, report.run.thresholds);
  return ending.code();
}

// All titles, each with a report in one folder, as those of a batch.
class ManyTitles {
 public:
  ManyTitles(const PlanFile& plan, const ParsedArguments& typed, Messages& messages, Ending& ending)
      : plan_(plan),
        messages_(messages),
        ending_(ending),
        words_(run_words(typed, "merge")),
        is_quiet_(typed.has("--quiet")),
        folder_(typed_folder(typed, "--reports")),
        formats_(formats_of(typed)),
        by_(parse_statistic(typed.text("--by").value_or("mean"), "--by")) {}

  // Throws what merge() would before there is anything to merge.
  RunOptions check() const { return title_options(plan_.head(), plan_.title_of_shard(0), words_); }

  int merge() {
    const RunOptions first = check();
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
    return finish(catalogue);
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
      fail(outcome, VideoOutcome::State::kFailed, error);
    }
    catalogue.add(std::move(outcome), report);
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
    RunOutputs outputs(task.arguments, messages_);
    for (const PairFault& fault : report.run.pair_faults) {
      if (!merged.refusal) messages_.warn(fault.diagnostic.text);
    }
    if (!merged.gaps.empty() || merged.refusal) {
      if (merged.refusal) {
        fail(outcome, VideoOutcome::State::kRefused, *merged.refusal);
      } else {
        fail(outcome, VideoOutcome::State::kFailed,
             Error(ErrorKind::kIncomplete, gaps_text(title, merged.gaps)));
      }
      if (!report.frames.empty() && !outputs.write_partial(report).empty())
        outcome.partial = partial_path(batch_output(title.name, ReportFormat::kJson));
      return;
    }
    std::vector<OriginFacts::File> files = {title.distorted.file};
    if (title.reference) files.push_back(title.reference->file);
    task.origin = origin_of(task.arguments, std::move(files));
    task.baseline = baseline_of(task.arguments);
    finish_task(report, task, outputs);
    outcome.state = VideoOutcome::State::kScored;
    outcome.scores = scores_of(report);
    outcome.report = batch_output(title.name, ReportFormat::kJson);
    if (task.arguments.heatmaps.page) outcome.page = batch_output(title.name, ReportFormat::kHtml);
    ending_.judged(outcome.path, report.run.thresholds);
  }

  void fail(VideoOutcome& outcome, VideoOutcome::State state, const Error& error) {
    outcome.fail(state, error);
    state == VideoOutcome::State::kRefused ? ending_.count_refused() : ending_.count_failed(error.kind());
    messages_.error(error.what());
  }

  int finish(Catalogue& catalogue) {
    BatchSummary shown = catalogue.summary();
    std::vector<OutputFile> files = catalogue.files();
    ending_.wrote(written_lines("wrote", pointers_to(files)));
    std::string text;
    if (!is_quiet_) {
      if (shown.videos.size() > kMostRows) shown.videos.resize(kMostRows);
      text = words("{}{}\n", batch_table(shown).text(stdout_width()), catalogue.counts().text());
      for (const std::string& remark : shown.remarks) text += remark + "\n";
      for (const std::string& moment : shown.moments) text += words("worst moments: {}\n", moment);
    }
    ending_.show(text);
    ending_.add_to_step(words("{}\n{}\n", markdown_table(batch_table(shown)), catalogue.counts().text()));
    return ending_.code();
  }

  const PlanFile& plan_;
  Messages& messages_;
  Ending& ending_;
  const std::vector<std::string> words_;
  const bool is_quiet_;
  const std::string folder_;
  const std::vector<ReportFormat> formats_;
  const Statistic by_;
};

void refuse(const ParsedArguments& typed, const PlanHead& head) {
  const bool has_folder = typed.has("--reports"), has_file = typed.has("--output");
  if (has_folder && has_file)
    throw usage_error("-o is for the report of a single title, --reports for a folder of reports; give one.");
  for (const char* const flag : {"--formats", "--by"}) {
    if (!has_folder && typed.has(flag)) throw usage_error("{} goes with --reports DIR.", flag);
  }
  for (const char* const flag : {"--junit", "--segments-output", "--scenes", "--scenes-from"}) {
    if (has_folder && typed.has(flag))
      throw usage_error("{} is for a single title: merge PLAN -o FILE.", flag);
  }
  const bool needs_place = has_file || !typed.has("--missing");
  if (needs_place && !has_folder && head.titles > 1) {
    throw usage_error("the plan has {}, each with a report of its own. Use --reports DIR",
                      counted(head.titles, "title"));
  }
}

}  // namespace

int run_plan(const ParsedArguments& typed, Messages& messages) { return Plan(typed, messages).make(); }

int run_shard_command(const ParsedArguments& typed, Messages& messages) {
  Shards shards(typed.arguments.at(0), typed, messages);
  const IndexRequest request{.text = typed.text("--index"),
                             .each = typed.number("--each", {1, kMostEach}, 1),
                             .shards = shards.head().shards};
  const std::vector<NumberRange> ranges =
      shard_ranges(request, [](const char* name) -> const char* { return std::getenv(name); });
  if (typed.has("--sandbox")) shards.enter_sandbox(ranges);
  for (const NumberRange& range : ranges) {
    for (int64_t shard = range.first; shard <= range.last && interrupt_signal() == 0; ++shard)
      shards.score(shard);
  }
  return shards.code();
}

int run_merge(const ParsedArguments& typed, Messages& messages) {
  EndingOptions options{.junit = typed.text("--junit"),
                        .github = typed.has("--github"),
                        .quiet = typed.has("--quiet"),
                        .files = {typed.arguments.at(0)}};
  if (const std::string* const output = typed.find("--output")) options.outputs.push_back(*output);
  Ending ending(messages, std::move(options));
  return ending.run([&] {
    const PlanFile plan(typed.arguments.at(0));
    refuse(typed, plan.head());
    const bool is_in_folder = typed.has("--reports");
    if (typed.has("--missing")) {
      is_in_folder ? (void)ManyTitles(plan, typed, messages, ending).check()
                   : (void)title_arguments(plan, typed);
      write_stdout(missing_shards_json(plan));
      return 0;
    }
    return is_in_folder ? ManyTitles(plan, typed, messages, ending).merge()
                        : merge_single(plan, title_arguments(plan, typed), messages, ending);
  });
}

}  // namespace vq::cli
