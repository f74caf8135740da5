#include "cli/run/run_outputs.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <new>
#include <utility>

#include "cli/pages/page_writer.h"
#include "cli/pictures/picture_tap.h"
#include "cli/system/output_file.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/text.h"
#include "core/version.h"
#include "engine/report/json_values.h"

namespace vq::cli {
namespace {

void check_no_folder(const OutputPlace& place, const std::string& folder) {
  if (folder.empty() || !(same_file(place.path, folder) || same_file(place.partial, folder))) return;
  throw Error(ErrorKind::kUsage, words("the output {} and the folder for heatmaps {} have the same name.",
                                       shown_path(place.path), shown_path(folder)));
}

// A flag that would change nothing was meant to.
void refuse_idle_flags(const RunOptions& arguments) {
  const auto writes = [&](ReportFormat format) {
    return std::any_of(arguments.outputs.begin(), arguments.outputs.end(),
                       [&](const OutputRequest& output) { return output.format == format; });
  };
  const bool has_page = writes(ReportFormat::kHtml), has_json = writes(ReportFormat::kJson);
  const auto refuse = [](const std::string& what) { throw Error(ErrorKind::kUsage, what); };
  if (arguments.extended && !has_json && !has_page) {
    refuse("--extended has no effect without a JSON report. Add -o FILE.json");
  }
  if (arguments.precision && arguments.outputs.empty() && !arguments.stream_scores) {
    refuse("--precision has no effect without a report. Add -o FILE");
  }
  const bool lists_worst =
      !arguments.quiet || has_page || arguments.heatmaps.png || (has_json && arguments.extended);
  if (arguments.worst && !lists_worst) {
    refuse("--worst has no effect under --quiet, without a page, pictures and an extended report.");
  }
  if (arguments.heatmaps.page_quality && !has_page) {
    refuse("--page-pictures has no effect without a page. Add --html FILE");
  }
}

}  // namespace

void check_run_outputs(const RunOptions& arguments) {
  refuse_idle_flags(arguments);
  std::vector<std::string> inputs = input_paths(arguments);
  // A run that is worse than its baseline must not become the next one.
  if (arguments.baseline) inputs.push_back(*arguments.baseline);
  if (arguments.scenes) inputs.push_back(arguments.scenes->path);
  check_outputs(output_places(arguments), inputs);
}

ReportStyle report_style(const RunOptions& arguments, const OutputRequest& request) {
  return {.format = request.format.value_or(ReportFormat::kXml),
          .numbers = arguments.precision.value_or(NumberStyle()),
          .extended = arguments.extended,
          .worst = arguments.worst.value_or(ReportStyle().worst),
          .zones = request.zones};
}

RunOutputs::RunOutputs(const RunOptions& arguments, Messages& messages, RunPictures* pictures,
                       PicturesMade tell)
    : arguments_(arguments), messages_(messages), pictures_(pictures), tell_(std::move(tell)) {
  if (pictures == nullptr) return;
  std::vector<OutputPlace> all = output_places(arguments);
  for (const std::string& path : pictures->heatmap_paths()) all.push_back({path, partial_path(path)});
  check_distinct(all, input_paths(arguments));
  for (const FeatureRequest& request : arguments.features) {
    for (const OutputPlace& place : all) check_no_folder(place, heatmap_folder(request));
  }
}

bool RunOutputs::any() const {
  const auto writes_files = [](const FeatureRequest& request) {
    return !heatmap_folder(request).empty() || !histogram_path(request).empty();
  };
  return !arguments_.outputs.empty() || arguments_.junit ||
         std::any_of(arguments_.features.begin(), arguments_.features.end(), writes_files);
}

// Reports of long videos are large, so they go to the file in pieces.
OutputText RunOutputs::text_of(const Report& report, const OutputRequest& request,
                               const std::string& path) const {
  const ReportStyle style = report_style(arguments_, request);
  if (style.format == ReportFormat::kHtml) {
    const PagePictures pictures = pictures_ == nullptr ? PagePictures() : pictures_->page_pictures(tell_);
    return {path, write_page(report, pictures, "", style)};
  }
  const auto write = [&report, style](OutputFile& file) {
    write_report(report, style, [&](std::string_view text) { file.write(text); });
  };
  return {.path = path, .write = write};
}

// Outputs written in place, such as pipes, come after everything else is complete, as they cannot be taken
// back.
void RunOutputs::write(const Report& report, std::vector<OutputText> others) {
  std::vector<OutputText> texts;
  for (const OutputRequest& request : arguments_.outputs)
    texts.push_back(text_of(report, request, request.path));
  std::move(others.begin(), others.end(), std::back_inserter(texts));
  const std::vector<OutputFile*> files =
      pictures_ == nullptr ? std::vector<OutputFile*>() : pictures_->files();
  for (OutputFile* file : files) file->finish();
  std::vector<OutputFile> reports;
  try {
    reports = finish_outputs(texts);
  } catch (const ClosedPipe&) {
    if (files.empty()) throw;
  }
  std::vector<OutputFile*> all = pointers_to(reports);
  all.insert(all.end(), files.begin(), files.end());
  commit_outputs({all.rbegin(), all.rend()});  // a report comes after the files of its run
  if (pictures_ != nullptr) pictures_->committed();
  note_written("wrote", all);
}

// The error that ended the run is the one to report, so failures here are ignored.
void RunOutputs::keep_files(const char* what, const std::function<std::vector<OutputFile*>()>& files,
                            std::vector<std::string>& kept) {
  try {
    const std::vector<OutputFile*> all = files();
    kept.reserve(kept.size() + all.size());
    commit_outputs(all);
    for (const OutputFile* file : all) kept.push_back(file->path());
    note_written("kept", all);
  } catch (const Error& error) {
    messages_.warn(words("cannot keep the {} so far: {}", what, error.what()));
  } catch (const std::bad_alloc&) {
    write_stderr(words("cambi: warning: cannot keep the {} so far: out of memory\n", what));
  }
}

// Each report by itself: one that cannot be written takes no other with it.
std::vector<std::string> RunOutputs::keep(const Report& report) {
  std::vector<std::string> kept;
  for (const OutputRequest& request : arguments_.outputs) {
    const std::string path = partial_output(request);
    if (path.empty()) continue;
    std::vector<OutputFile> part;
    const auto write = [&] {
      part.emplace_back(path, OutputFile::Place::kReplaced);
      text_of(report, request, path).write_to(part.back());
      return pointers_to(part);
    };
    keep_files("scores", write, kept);
  }
  if (pictures_ == nullptr) return kept;
  keep_files(
      "raw heatmaps", [&] { return pictures_->raw_heatmaps(true); }, kept);
  keep_files(
      "histograms", [&] { return pictures_->histograms(true); }, kept);
  keep_files(
      "pictures", [&] { return pictures_->pictures(true); }, kept);
  return kept;
}

void RunOutputs::note_written(const char* verb, const std::vector<OutputFile*>& files) {
  const std::vector<std::string> lines = written_lines(verb, files);
  lines_.insert(lines_.end(), lines.begin(), lines.end());
}

std::string score_line(const ScoredRow& row, const NumberStyle& numbers) {
  const bool timed = row.timestamp && std::isfinite(*row.timestamp);
  std::string line = words(R"({"frameNum": {}, "timestamp": {})", row.frame,
                           timed ? fixed_text(*row.timestamp, kTimestampDecimals) : "null");
  std::vector<std::string> metrics, infinite, texts;
  for (const auto& [name, value] : row.metrics) {
    metrics.push_back(
        words("{}: {}", json_quoted(name), std::isfinite(value) ? number_text(value, numbers) : "null"));
    if (value == std::numeric_limits<double>::infinity()) infinite.push_back(json_quoted(name));
  }
  for (const auto& [name, text] : row.texts)
    texts.push_back(words("{}: {}", json_quoted(name), json_quoted(text)));
  line += words(R"(, "metrics": {{}})", join(metrics, ", "));
  if (!infinite.empty()) line += words(R"(, "infinite": [{}])", join(infinite, ", "));
  if (!texts.empty()) line += words(R"(, "texts": {{}})", join(texts, ", "));
  return line + "}\n";
}

namespace {

std::vector<InputFacts> inputs_of(const SettledRun& run) {
  PairReader& reader = *run.reader;
  std::vector<InputFacts> inputs;
  const auto add = [&](const char* role, FrameReader& video, int64_t skipped, ShorterVideo other) {
    // Whether the end of one that goes on behind the other was read ahead is chance.
    const auto length = reader.shorter() == other ? std::nullopt : video.measured_length();
    inputs.push_back(input_facts(role, video.source_info(), reader.pairs_read(), length));
    inputs.back().skipped = skipped;
    inputs.back().decoder = video.decoders();
  };
  add("distorted", reader.distorted(), run.options.skip_distorted, ShorterVideo::kReference);
  if (reader.reference())
    add("reference", *reader.reference(), run.options.skip_reference, ShorterVideo::kDistorted);
  return inputs;
}

RunFacts facts_of(const SettledRun& run, const BackendReport& backend) {
  RunFacts facts = run_facts(run.options.features, run.formats, backend);
  facts.inputs = inputs_of(run);
  facts.models = run.models();
  const auto crop = [](const Rectangle& r) { return CropFacts{r.width, r.height, r.x, r.y}; };
  if (run.crop.distorted) facts.crop = crop(*run.crop.distorted);
  if (run.options.reference_crop && run.crop.reference) facts.reference_crop = crop(*run.crop.reference);
  facts.threads = run.threads();
  return facts;
}

}  // namespace

Report report_run(Report report, const RunRecord& record, RunAccount account) {
  const BackendReport& backend = account.backend;
  report.version = version();
  report.width = record.formats().distorted.width;
  report.height = record.formats().distorted.height;
  report.fps = static_cast<double>(report.frames.size()) / std::max(account.wall_seconds, 1e-6);
  RunFacts& run = report.run = std::move(account.facts);
  run.gpu_milliseconds.clear();
  for (const StageTotal& stage : backend.stages) run.gpu_milliseconds.emplace_back(stage.stage, stage.ms);
  run.stages = stage_facts(backend);
  if (!tells_stages(record.options())) run.stages.clear();
  run.pace = account.pace;
  run.bytes_uploaded = backend.bytes_uploaded;
  run.bytes_read = backend.bytes_read;
  run.wall_seconds = microseconds(account.wall_seconds);
  run.complete = account.is_complete;
  run.repeated_frames = backend.repeated_frames;
  run.warnings = std::move(account.warnings);
  record.fill(report);
  return report;
}

Report report_run(const SettledRun& run, const RunEvaluation& evaluation,
                  const std::vector<std::string>& warnings) {
  const PaceFacts pace = evaluation.pace();
  const BackendReport backend = evaluation.evaluator().backend_report();
  Report scores;
  evaluation.evaluator().fill(scores);
  return report_run(std::move(scores), evaluation.record(),
                    {.facts = facts_of(run, backend),
                     .backend = backend,
                     .pace = pace,
                     .wall_seconds = total_seconds(pace),
                     .is_complete = evaluation.is_complete(),
                     .warnings = warnings});
}

}  // namespace vq::cli
