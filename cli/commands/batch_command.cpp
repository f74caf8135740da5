#include <unistd.h>

#include "cli/batch/batch.h"
#include "cli/batch/video_list.h"
#include "cli/commands/arguments.h"
#include "cli/pages/page_assets.h"
#include "cli/pages/page_facts.h"
#include "cli/pictures/picture_tap.h"
#include "cli/reports/ci_formats.h"
#include "cli/run/ending.h"
#include "cli/run/run.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"
#include "core/text_table.h"
#include "engine/known_metrics.h"

namespace vq::cli {

constexpr int64_t kMaxJobs = 1000;
constexpr size_t kMostLines = 20;  // on failures

using State = VideoOutcome::State;

static void refuse(const RunOptions& arguments, const std::string& folder) {
  if (arguments.stream_scores) {
    throw usage_error(
        "batch does not take --stream-scores: lines of several videos would mix. For what becomes of each "
        "video as it ends, use --progress json.");
  }
  if (!arguments.outputs.empty()) {
    throw usage_error(
        "batch writes a report of each video into the folder of --reports, and a summary of all: there is "
        "nothing for {}. For more than JSON use --formats html,csv",
        shown_path(arguments.outputs.front().path));
  }
  if (arguments.scenes || arguments.lists_scenes) {
    throw usage_error("batch does not take {}", arguments.scenes
                                                    ? "--scenes-from, since each video has its own scenes."
                                                    : "--scenes table. Use --formats scenes");
  }
  if (arguments.film_grain == FilmGrainRequest::kBoth) {
    throw usage_error(
        "batch makes one report of each video, so --film-grain is on or off. For both: cambi compare VIDEO "
        "--film-grain both");
  }
  if (arguments.baseline && same_file(*arguments.baseline, folder)) {
    throw usage_error(
        "--baseline and --reports name the same folder: new reports would replace those they are measured "
        "from.");
  }
  for (const FeatureRequest& request : arguments.features) {
    if (histogram_path(request).empty()) continue;
    throw usage_error(
        "batch writes no file of histograms; pages have them: --formats html. Or score each video by itself: "
        "cambi VIDEO");
  }
}

static std::vector<JunitSuite> suites_of(const BatchSummary& summary, const EndingOptions& options) {
  std::vector<JunitSuite> suites;
  for (const VideoOutcome& video : summary.videos) {
    if (!video.scores) {
      const auto make_suite = video.state == State::kRefused ? unfit_suite : failed_suite;
      suites.push_back(
          make_suite(video.path, video.error ? video.message : "not reached", options.expressions));
      continue;
    }
    suites.push_back(scored_suite(video.path, *video.scores));
  }
  return suites;
}

static std::vector<OutputText> summary_files(const BatchSummary& summary, const BatchRequest& request) {
  const NumberStyle numbers = request.arguments.precision.value_or(NumberStyle());
  std::vector<OutputText> files = {{request.folder + "/summary.json", batch_json(summary, numbers)},
                                   {request.folder + "/summary.csv", batch_csv(summary, numbers)}};
  if (has_pages()) files.push_back({request.folder + "/index.html", write_batch_page(summary)});
  return files;
}

// Before any work is done.
static void prepare(const BatchRequest& request, const VideoList& list) {
  const bool has_pages = contains(request.formats, ReportFormat::kHtml);
  if (has_pages) page_assets();
  if (request.arguments.heatmaps.page_quality && !has_pages)
    throw usage_error("--page-pictures has no effect without pages. Add --formats html");
  for (const ReportFormat format : request.formats) {
    if (request.arguments.confidence && !may_be_of_sample(format))
      throw usage_error("--formats {} takes all frames, which --confidence does not score.",
                        info_of(format).word);
  }
  check_batch_names(request, list);
  make_folder(request.folder);
  std::vector<std::string> outputs = {request.folder + "/summary.json", request.folder + "/summary.csv",
                                      request.folder + "/index.html"};
  if (request.arguments.junit) outputs.push_back(*request.arguments.junit);
  check_outputs(outputs, mapped(list.videos, &ListedVideo::path));
}

static void enter_sandbox(BatchRequest& request, const VideoList& list, Messages& messages) {
  SandboxPaths paths{.folders = {request.folder}};
  for (const ListedVideo& video : list.videos) {
    paths.read.push_back(video.path);
    if (video.reference) paths.read.push_back(*video.reference);
  }
  enter_sandbox_of(request.arguments, std::move(paths), messages);
}

static std::string failure_of(const VideoOutcome& video, const std::string& folder) {
  const std::string path = shown_path(video.path);
  std::string text =
      video.message.find(path) == std::string::npos ? words("{}: {}", path, video.message) : video.message;
  if (!video.partial.empty())
    text += words(" (what was scored is in {})", shown_path(folder + "/" + video.partial));
  return text;
}

// The table, with the reason in place of the scores that a failed video lacks.
static std::string batch_text(const BatchSummary& summary, const std::string& folder, size_t width) {
  const std::vector<std::string> lines =
      batch_table(summary).lines(width);  // a heading, and one for each video
  std::string text = lines[0] + "\n";
  const std::vector<const VideoOutcome*> videos = table_order(summary);
  for (size_t i = 0; i < videos.size(); ++i) {
    const VideoOutcome& video = *videos[i];
    if (!video.error) {
      text += lines[i + 1] + "\n";
      continue;
    }
    const std::string path = shown_path(video.path) + ": ", reason = failure_of(video, folder);
    const std::string& name = video.name.empty() ? video.path : video.name;
    text += fit_text(words("{}  {}: {}\n", shown_path(name), word_of(video.state),
                           reason.starts_with(path) ? reason.substr(path.size()) : reason),
                     width);
  }
  return text;
}

// Failures first: they are what somebody has to look at. `names_crossed` and `names_failed`: the table has
// not said which videos cross a threshold or failed and why, or has gone elsewhere, or annotations are to do
// so.
static void print_failures(const BatchSummary& summary, const BatchRequest& request, Messages& messages) {
  const bool names_crossed = request.arguments.quiet || request.arguments.github;
  const bool names_failed = names_crossed || !is_terminal(STDOUT_FILENO);
  std::vector<std::string> lines;
  for (const VideoOutcome& video : summary.videos) {
    if (video.error && names_failed) lines.push_back(failure_of(video, request.folder));
  }
  for (const VideoOutcome& video : summary.videos) {
    if (video.scores && video.scores->is_unjudged())
      lines.push_back(unjudged_line(video.path, video.scores->thresholds));
  }
  const int64_t crossing = counts_of(summary).crossing;
  if (crossing > 1 && !names_crossed) lines.push_back(words("{} videos cross a threshold", crossing));
  for (const VideoOutcome& video : summary.videos) {
    if (video.scores && video.scores->crosses() && (crossing <= 1 || names_crossed))
      lines.push_back(crossed_line(video.path, video.scores->thresholds));
  }
  for (size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) messages.error(lines[i]);
  if (lines.size() > kMostLines)
    messages.error(words("{} more are in the summary", lines.size() - kMostLines));
}

static void count_all(const BatchSummary& summary, bool ignores_failed, Ending& ending) {
  const auto has_scores = [](const VideoOutcome& video) { return video.scores.has_value(); };
  const bool ignores = ignores_failed && std::ranges::any_of(summary.videos, has_scores);
  for (const VideoOutcome& video : summary.videos) {
    if (video.scores) ending.count(video.scores->thresholds);
    if (video.state == State::kFailed && !ignores) ending.count_failed(*video.error);
    if (video.state == State::kRefused) ending.count_refused();
  }
}

// With what is known so far of the options and the videos.
static EndingOptions batch_ending(const ParsedArguments& typed, const RunOptions& arguments,
                                  const VideoList& list) {
  std::vector<std::string> files = mapped(list.videos, &ListedVideo::path);
  if (files.empty()) files = typed.arguments;
  EndingOptions options =
      ending_options(arguments, files.empty() ? std::vector<std::string>{"batch"} : files);
  options.junit = typed.text("--junit");
  options.quiet = typed.has("--quiet");
  for (const GivenFlag& given : typed.flags) {
    if (given.flag->name == "--list") options.other_inputs.push_back(given.text);
  }
  return options;
}

static int score_and_end(const ParsedArguments& typed, BatchRequest request, Messages& messages,
                         Ending& ending) {
  VideoListRequest wanted = list_request(typed, "batch FOLDER --reports DIR");
  wanted.left_out = {request.folder};
  if (const std::string* const folder = typed.find("--heatmaps")) wanted.left_out.push_back(*folder);
  const VideoList list = list_videos(wanted);
  ending.set_options(batch_ending(typed, {}, list));
  // As if the videos that were found had been given.
  request.arguments = several_options(words_for(typed, list));
  refuse(request.arguments, request.folder);
  const EndingOptions options = batch_ending(typed, request.arguments, list);
  ending.set_options(options);
  prepare(request, list);
  enter_sandbox(request, list, messages);
  const bool talks = !request.arguments.quiet;
  if (talks) {
    for (const std::string& remark : list.remarks) messages.note(remark);
  }
  BatchSummary summary;
  traced(request.arguments.trace, [&] {
    summary = score_batch(request, list, messages);
    return 0;
  });
  ending.write(summary_files(summary, request), suites_of(summary, options));
  if (const Sampling& sampling = request.arguments.sampling; talks && sampling.every > 1) {
    messages.note(words("statistics are of {}", sample_text(sampling.every, sampling.is_spread)));
  }
  const std::string purpose = purpose_of(leading_of(summary).value_or(Metric()));
  const std::string text = words("{}{}{}\n", batch_text(summary, request.folder, stdout_width()),
                                 purpose.empty() ? "" : purpose + "\n", counts_of(summary).text());
  ending.show(talks ? text : "");
  print_failures(summary, request, messages);
  ending.add_to_step(words("{}\n{}{}\n", markdown_table(batch_table(summary)),
                           purpose.empty() ? "" : markdown_paragraph(purpose + "."),
                           counts_of(summary).text()));
  if (const int signal = interrupt_signal(); signal != 0) {
    messages.error("interrupted; the same command goes on with what is left");
    return interrupt_exit_code(signal);
  }
  count_all(summary, typed.has("--ignore-failed"), ending);
  return ending.code();
}

int run_batch(const ParsedArguments& typed, Messages& messages) {
  BatchRequest request;
  request.folder = typed_folder(typed, "--reports");
  if (request.folder.empty()) throw usage_error("batch needs a folder for the reports. Add --reports DIR");
  request.formats = formats_of(typed);
  request.force = typed.has("--force");
  request.jobs = static_cast<int>(typed.number("--jobs", {0, kMaxJobs}, request.jobs));
  Ending ending(messages, batch_ending(typed, {}, {}));
  return ending.run([&] { return score_and_end(typed, request, messages, ending); });
}

}  // namespace vq::cli
