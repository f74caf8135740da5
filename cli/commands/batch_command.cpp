#include "cli/commands/batch_command.h"

#include <algorithm>
#include <filesystem>

#include "cli/commands/arguments.h"
#include "cli/commands/run_flags.h"
#include "cli/output/output_check.h"
#include "cli/output/output_file.h"
#include "cli/output/output_path.h"
#include "cli/output/written_lines.h"
#include "cli/pages/batch_page.h"
#include "cli/pages/page_assets.h"
#include "cli/reports/junit.h"
#include "cli/reports/markdown.h"
#include "cli/reports/threshold.h"
#include "cli/run/batch.h"
#include "cli/run/ci_outputs.h"
#include "cli/run/run.h"
#include "cli/run/scorer.h"
#include "cli/run/video_list.h"
#include "cli/system/interrupt.h"
#include "cli/text/argument_values.h"
#include "cli/text/message_text.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr int64_t kMaxJobs = 1000;
constexpr size_t kMostLines = 20;  // on failures

using State = VideoOutcome::State;

const std::string& reports_folder(const ParsedWords& words) {
  const std::string* const folder = words.find("--reports");
  if (folder == nullptr || folder->empty()) {
    throw Error(ErrorKind::kUsage, "batch needs a folder for the reports. Add --reports DIR");
  }
  return *folder;
}

std::string text_of(const ParsedWords& words, std::string_view flag) {
  const std::string* const text = words.find(flag);
  if (text == nullptr) return {};
  if (text->empty()) throw Error(ErrorKind::kUsage, std::string(flag) + ": the path is empty.");
  return *text;
}

VideoListRequest list_request(const ParsedWords& words) {
  if (const std::string* const video = words.find("--distorted")) {
    throw Error(ErrorKind::kUsage, "batch takes videos and folders without a flag: cambi batch " + printable(*video) + " ...");
  }
  VideoListRequest request;
  request.paths = words.arguments;
  for (const GivenFlag& given : words.flags) {
    if (given.flag->name == "--list") request.lists.push_back(given.text);
  }
  if (request.paths.empty() && request.lists.empty()) {
    throw Error(ErrorKind::kUsage, "batch needs a video or a folder. Try: cambi batch FOLDER --reports DIR");
  }
  request.reference_folder = text_of(words, "--reference-dir");
  request.root = text_of(words, "--root");
  request.may_be_raw = words.find("--width") != nullptr;
  request.left_out = {reports_folder(words)};
  if (const std::string* const folder = words.find("--heatmaps")) request.left_out.push_back(*folder);
  return request;
}

std::vector<ReportFormat> formats_of(const ParsedWords& words) {
  constexpr std::pair<const char*, ReportFormat> kFormats[] = {
      {"html", ReportFormat::kHtml}, {"csv", ReportFormat::kCsv}, {"xml", ReportFormat::kXml},
      {"sub", ReportFormat::kSub},   {"segments", ReportFormat::kSegmentTable}, {"chapters", ReportFormat::kChapters}};
  std::vector<std::string> known;
  for (const auto& [word, format] : kFormats) known.emplace_back(word);
  std::vector<ReportFormat> formats;
  const std::string* const text = words.find("--formats");
  if (text == nullptr) return formats;
  for (size_t start = 0; start <= text->size();) {
    const size_t end = std::min(text->find(',', start), text->size());
    const ReportFormat format = kFormats[choice_value("--formats", text->substr(start, end - start), known)].second;
    if (std::find(formats.begin(), formats.end(), format) == formats.end()) formats.push_back(format);
    start = end + 1;
  }
  return formats;
}

void refuse(const RunOptions& arguments, const std::string& folder) {
  if (arguments.stream_scores) {
    throw Error(ErrorKind::kUsage, "batch does not take --stream-scores: lines of several videos would mix. For what "
                                   "becomes of each video as it ends, use --progress json.");
  }
  if (!arguments.outputs.empty()) {
    throw Error(ErrorKind::kUsage, "batch writes a report of each video into the folder of --reports, and a summary of all: "
                                   "there is nothing for " + shown_path(arguments.outputs.front().path) +
                                   ". For more than JSON use --formats html,csv");
  }
  if (arguments.film_grain == FilmGrainWish::kBoth) {
    throw Error(ErrorKind::kUsage, "batch makes one report of each video, so --film-grain is on or off. For both: cambi compare VIDEO "
                                   "--film-grain both");
  }
  if (arguments.baseline && same_file(*arguments.baseline, folder)) {
    throw Error(ErrorKind::kUsage, "--baseline and --reports name the same folder: new reports would replace those they are measured from.");
  }
  for (const FeatureRequest& request : arguments.features) {
    if (histogram_path(request).empty()) continue;
    throw Error(ErrorKind::kUsage, "batch writes no file of histograms; pages have them: --formats html. Or score each video "
                                   "by itself: cambi VIDEO");
  }
}

const Flag& reference_flag() {
  for (const FlagGroup& group : run_flags()) {
    for (const Flag& flag : group.flags) {
      if (flag.name == "--reference") return flag;
    }
  }
  throw Error(ErrorKind::kInternal, "there is no --reference");
}

// As if the videos that were found had been given.
RunOptions run_options_for(ParsedWords words, const VideoList& list) {
  words.arguments.clear();
  for (const ListedVideo& video : list.videos) words.arguments.push_back(video.path);
  if (list.videos.empty()) words.arguments.push_back(list.faults.front().path);
  const bool has_own = !list.videos.empty() && list.videos.front().reference;
  if (has_own && words.find("--reference") != nullptr) {
    throw Error(ErrorKind::kUsage, shown_path(list.videos.front().path) + " has a reference of its own, and --reference names another.");
  }
  if (has_own) words.flags.push_back({&reference_flag(), *list.videos.front().reference});
  RunOptions arguments = several_options(words).arguments;
  refuse(arguments, reports_folder(words));
  return arguments;
}

bool has_pages() {
  try {
    page_assets();
    return true;
  } catch (const Error&) {
    return false;
  }
}

std::vector<std::string> expressions_of(const RunOptions& arguments) {
  std::vector<std::string> expressions;
  for (const Threshold& threshold : arguments.thresholds) expressions.push_back(threshold.text);
  return expressions;
}

std::string junit_of(const BatchSummary& summary, const RunOptions& arguments) {
  std::vector<JunitSuite> suites;
  for (const VideoOutcome& video : summary.videos) {
    if (!video.scores) {
      const std::string message = video.error ? video.message : "not reached";
      suites.push_back(failed_suite(video.path, message, expressions_of(arguments)));
      continue;
    }
    Report report;
    report.run.wall_seconds = video.scores->wall_seconds;
    report.run.thresholds = video.scores->thresholds;
    suites.push_back(scored_suite(video.path, report));
  }
  return junit_xml(suites);
}

std::vector<OutputText> summary_files(const BatchSummary& summary, const BatchRequest& request) {
  const NumberStyle numbers = request.arguments.precision.value_or(NumberStyle());
  std::vector<OutputText> files = {{request.folder + "/summary.json", batch_json(summary, numbers)},
                                   {request.folder + "/summary.csv", batch_csv(summary, numbers)}};
  if (request.arguments.junit) files.push_back({*request.arguments.junit, junit_of(summary, request.arguments)});
  if (has_pages()) files.push_back({request.folder + "/index.html", write_batch_page(summary)});
  return files;
}

// Before any work is done.
void prepare(const BatchRequest& request, const VideoList& list) {
  if (std::find(request.formats.begin(), request.formats.end(), ReportFormat::kHtml) != request.formats.end()) page_assets();
  check_batch_names(request, list);
  std::error_code error;
  std::filesystem::create_directories(request.folder, error);
  if (error) {
    throw Error(ErrorKind::kOutput, shown_path(request.folder) + ": cannot make the folder: " + error.message());
  }
  std::vector<std::string> inputs;
  for (const ListedVideo& video : list.videos) inputs.push_back(video.path);
  std::vector<std::string> outputs = {request.folder + "/summary.json", request.folder + "/summary.csv",
                                      request.folder + "/index.html"};
  if (request.arguments.junit) outputs.push_back(*request.arguments.junit);
  check_outputs(outputs, inputs);
}

std::string failure_of(const VideoOutcome& video, const std::string& folder) {
  const std::string path = shown_path(video.path);
  std::string text = video.message.find(path) == std::string::npos ? path + ": " + video.message : video.message;
  if (!video.partial.empty()) text += " (what was scored is in " + shown_path(folder + "/" + video.partial) + ")";
  return text;
}

// Failures first: they are what somebody has to look at.
void tell_troubles(const BatchSummary& summary, const std::string& folder, Messages& messages) {
  std::vector<std::string> lines;
  for (const VideoOutcome& video : summary.videos) {
    if (video.state == State::kFailed) lines.push_back(failure_of(video, folder));
  }
  for (const VideoOutcome& video : summary.videos) {
    if (!video.scores || !video.scores->crosses()) continue;
    lines.push_back(shown_path(video.path) + ": threshold crossed: " + crossed_text(video.scores->thresholds));
  }
  for (size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) messages.error(lines[i]);
  if (lines.size() > kMostLines) messages.error(std::to_string(lines.size() - kMostLines) + " more are in the summary");
}

int exit_code_of(const BatchSummary& summary) {
  for (const VideoOutcome& video : summary.videos) {
    if (video.error) return static_cast<int>(*video.error);
  }
  return count_crossing(summary) > 0 ? static_cast<int>(ErrorKind::kThreshold) : 0;
}

}  // namespace

int run_batch(const ParsedWords& words, Messages& messages) {
  BatchRequest request;
  request.folder = reports_folder(words);
  request.formats = formats_of(words);
  request.force = words.find("--force") != nullptr;
  if (const std::string* const jobs = words.find("--jobs")) {
    request.jobs = static_cast<int>(int_value("--jobs", *jobs, {0, kMaxJobs}));
  }
  const VideoList list = list_videos(list_request(words));
  request.arguments = run_options_for(words, list);
  prepare(request, list);
  const bool talks = !request.arguments.quiet;
  if (talks) {
    for (const std::string& remark : list.remarks) messages.note(remark);
  }
  const BatchSummary summary = score_batch(request, list, messages);
  std::vector<OutputFile> files = write_outputs(summary_files(summary, request));
  if (talks) write_for_people(batch_table(summary).text(stdout_width()) + batch_totals(summary) + "\n", {});
  if (talks) tell_written("wrote", std::move(files), messages);
  tell_troubles(summary, request.folder, messages);
  add_step_summary(request.arguments, markdown_table(batch_table(summary)) + "\n" + batch_totals(summary) + "\n", messages);
  const int signal = interrupt_signal();
  if (signal == 0) return exit_code_of(summary);
  messages.error("interrupted; the same command goes on with what is left");
  return interrupt_exit_code(signal);
}

}  // namespace vq::cli
