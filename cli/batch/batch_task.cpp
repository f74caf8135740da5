#include "cli/batch/batch_task.h"

#include <initializer_list>
#include <system_error>

#include "cli/decoding/open_video.h"
#include "cli/pictures/picture_tap.h"
#include "cli/reports/compare_files.h"
#include "cli/run/ending.h"
#include "cli/system/files.h"
#include "cli/system/output_file.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"
#include "core/version.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

// Whether something is wanted that cannot be made of the report.
bool needs_frames(const RunOptions& own) {
  const auto has_folder = [](const FeatureRequest& feature) { return !heatmap_folder(feature).empty(); };
  return own.heatmaps.page || std::ranges::any_of(own.features, has_folder);
}

// Looks for the folder of all videos' pictures only: a video without a flaw has none.
bool has_outputs(const BatchRequest& request, const RunOptions& own) {
  const auto is_there = [](const OutputRequest& output) { return file_status(output.path).has_value(); };
  const auto has_pictures = [](const FeatureRequest& feature) {
    return heatmap_folder(feature).empty() || file_status(heatmap_folder(feature));
  };
  return std::ranges::all_of(own.outputs, is_there) &&
         std::ranges::all_of(request.arguments.features, has_pictures);
}

// The report that is there, if it is of the same scores.
std::optional<Report> saved(const RunOptions& own, const OriginFacts& origin) {
  const std::string& path = own.outputs.front().path;
  if (!file_status(path)) return std::nullopt;
  try {
    Report report = read_report(path, own.stop, MissingScores::kRefused, OfSample::kTaken).report;
    const std::optional<OriginFacts>& was = report.run.origin;
    if (report.version != version() || !report.run.complete || !was || was->files != origin.files ||
        was->scores != origin.scores)
      return std::nullopt;
    return report;
  } catch (const Error&) {  // as good as none
    return std::nullopt;
  }
}

void renew(Report& report, const BatchTask& task) {
  const RunOptions& own = task.arguments;
  check_segments(own.segments, report.metrics);
  report.run.segments = segments_of(report, own.segments);
  Messages unheard([](std::string_view) {});
  RunOutputs outputs(own, unheard);
  finish_task(report, task, outputs);
}

}  // namespace

std::string batch_output(const std::string& name, ReportFormat format) {
  return name + std::string(info_of(format).ending);
}

std::optional<std::string> reference_of(const BatchRequest& request, const ListedVideo& video) {
  return video.reference ? video.reference : request.arguments.reference;
}

RunOptions batch_options(const BatchRequest& request, const ListedVideo& video) {
  RunOptions own = request.arguments;
  own.distorted = video.path;
  own.reference = reference_of(request, video);
  own.extended = true;
  own.quiet = true;
  // Figures worked out from the report later must equal those worked out from the scores.
  if (!own.precision) own.precision = kShortestNumbers;
  // About all of them there is one.
  own.junit.reset();
  own.github = false;
  std::error_code ignored;
  if (own.baseline && fs::is_directory(path_of(*own.baseline), ignored)) {
    own.baseline = *own.baseline + "/" + batch_output(video.name, ReportFormat::kJson);
  }
  const auto add = [&](ReportFormat format) {
    own.outputs.push_back({request.folder + "/" + batch_output(video.name, format), format});
    own.heatmaps.page = own.heatmaps.page || (format == ReportFormat::kHtml && !own.confidence);
  };
  add(ReportFormat::kJson);
  for (const ReportFormat format : request.formats) add(format);
  for (FeatureRequest& feature : own.features) {
    const std::string folder = heatmap_folder(feature);
    if (!folder.empty()) feature.options.resolve(feature.info->heatmap_option, folder + "/" + video.name);
  }
  return own;
}

BatchTask batch_task(const BatchRequest& request, const ListedVideo& video) {
  BatchTask task{.arguments = batch_options(request, video), .origin = {}, .baseline = {}};
  task.origin = origin_of(task.arguments);
  task.baseline = baseline_of(task.arguments);
  return task;
}

void finish_task(Report& report, const BatchTask& task, RunOutputs& outputs) {
  judge_report(report, task.arguments, task.baseline);
  report.run.origin = task.origin;
  outputs.write(report);
}

std::optional<Report> kept_report(const BatchRequest& request, const BatchTask& task) {
  const RunOptions& own = task.arguments;
  std::optional<Report> report = saved(own, task.origin);
  if (!report) return std::nullopt;
  if (report->run.origin->outputs != task.origin.outputs || !has_outputs(request, own)) {
    if (needs_frames(own)) return std::nullopt;
    renew(*report, task);
  }
  return report;
}

// Seconds and nanoseconds as one number.
static std::string time_text(const timespec& time) {
  const std::string nanoseconds = std::to_string(time.tv_nsec);
  return words("{}.{}{}", time.tv_sec, std::string(9 - nanoseconds.size(), '0'), nanoseconds);
}

static FileStatus status_of_input(const std::string& path) {
  const auto status = file_status(path);
  if (!status) throw input_error(path, "cannot be opened", errno);
  return *status;
}

static std::string absolute_path(const std::string& path) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path_of(path), error);
  return error ? path : text_of(absolute.lexically_normal());
}

// With the file as it is.
static std::string file_text(const std::string& path) {
  const OriginFacts::File file = file_facts(path);
  return words("{},{},{}", file.path, file.bytes, file.modified);
}

// The flags given that change this, with their values.
static std::vector<std::string> texts_of(const RunOptions& options, std::initializer_list<FlagRole> roles) {
  std::vector<std::string> texts;
  for (const GivenOption& given : options.given) {
    if (!contains(roles, given.role)) continue;
    if (given.name == "--distorted" || given.name == "--reference" || given.name == "--baseline") continue;
    texts.push_back(words("{}={}", given.name, given.names_path ? absolute_path(given.text) : given.text));
  }
  return texts;
}

static std::string scores_text(const RunOptions& options) {
  std::vector<std::string> texts = texts_of(options, {FlagRole::kScoring, FlagRole::kAccepting});
  for (const model::ModelSpec& spec : options.model_specs) {
    if (spec.version.empty()) texts.push_back(words("model={}", file_text(spec.path)));
  }
  // One of both, as compare scores them.
  if (options.film_grain == FilmGrainRequest::kOff) texts.push_back("without film grain");
  // What is asked decides which frames are scored.
  for (const GivenOption& given : options.given) {
    if (options.confidence && given.role == FlagRole::kReporting && given.name != "--worst")
      texts.push_back(words("{}={}", given.name, given.text));
  }
  // Digits that were not written cannot be got back.
  if (const GivenOption* const precision = options.find("--precision"))
    texts.push_back(words("--precision={}", precision->text));
  return join(texts, "; ");
}

static std::string outputs_text(const RunOptions& options) {
  std::vector<std::string> texts = texts_of(options, {FlagRole::kReporting, FlagRole::kDrawing});
  if (options.baseline) texts.push_back(words("baseline={}", file_text(*options.baseline)));
  // An older file of one of these forms may lie there, made from something else.
  texts.push_back(words("forms={}", join(options.outputs, ",", [](const OutputRequest& output) {
                          return std::to_string(static_cast<int>(output.format.value_or(ReportFormat::kXml)));
                        })));
  return join(texts, "; ");
}

// All files of a sequence together, and when the latest of them was written.
static OriginFacts::File sequence_facts(const std::string& path, const std::vector<std::string>& files) {
  OriginFacts::File facts{.path = absolute_path(path), .bytes = 0, .modified = {}};
  for (const std::string& file : files) {
    const FileStatus status = status_of_input(file);
    facts.bytes += status.bytes;
    facts.modified = std::max(facts.modified, time_text(status.modified));
  }
  return facts;
}

OriginFacts::File file_facts(const std::string& path) {
  if (const auto files = sequence_files(path)) return sequence_facts(path, *files);
  const FileStatus status = status_of_input(path);
  return {.path = absolute_path(path), .bytes = status.bytes, .modified = time_text(status.modified)};
}

OriginFacts origin_of(const RunOptions& arguments) {
  return origin_of(arguments, mapped(input_paths(arguments), file_facts));
}

OriginFacts origin_of(const RunOptions& arguments, std::vector<OriginFacts::File> files) {
  OriginFacts origin;
  origin.files = std::move(files);
  origin.scores = escaped_text(scores_text(arguments));
  origin.outputs = escaped_text(outputs_text(arguments));
  for (OriginFacts::File& file : origin.files) file.path = escaped_text(file.path);
  return origin;
}

}  // namespace vq::cli
