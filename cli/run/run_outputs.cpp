#include "cli/run/run_outputs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include "cli/pages/page_writer.h"
#include "cli/pictures/shown_metrics.h"
#include "cli/reports/junit.h"
#include "cli/system/output_check.h"
#include "cli/system/output_file.h"
#include "cli/system/output_path.h"
#include "core/error.h"
#include "core/text/message_text.h"
#include "engine/report/json_text.h"

namespace vq::cli {

namespace {

void check_no_folder(const OutputPlace& place, const std::string& folder) {
  if (folder.empty() || !(same_file(place.path, folder) || same_file(place.partial, folder))) return;
  throw Error(ErrorKind::kUsage, "the output " + shown_path(place.path) + " and the folder for heatmaps " +
                                     shown_path(folder) + " have the same name.");
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

RunOutputs::RunOutputs(const RunOptions& arguments, RunPictures& pictures, Messages& messages,
                       PicturesMade tell)
    : arguments_(arguments), pictures_(pictures), messages_(messages), tell_(std::move(tell)) {
  std::vector<OutputPlace> all = output_places(arguments);
  for (const std::string& path : pictures.heatmap_paths()) all.push_back({path, partial_path(path)});
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

std::string RunOutputs::text_of(const Report& report, const OutputRequest& request) const {
  const ReportStyle style = report_style(arguments_, request);
  if (style.format == ReportFormat::kHtml)
    return write_page(report, pictures_.page_pictures(tell_), "", style);
  return write_report(report, style);
}

// What is written in place, such as a pipe, comes after everything else is complete, for it alone cannot be
// taken back.
void RunOutputs::write(const Report& report) {
  std::vector<OutputText> texts;
  for (const OutputRequest& request : arguments_.outputs) {
    texts.push_back({request.path, text_of(report, request)});
  }
  if (arguments_.junit) {
    texts.push_back({*arguments_.junit, junit_xml(std::array{scored_suite(arguments_.distorted, report)})});
  }
  std::vector<OutputFile*> heatmaps = pictures_.raw_heatmaps(false);
  const std::vector<OutputFile*> pictures = pictures_.pictures(false);
  heatmaps.insert(heatmaps.end(), pictures.begin(), pictures.end());
  const std::vector<OutputFile*> histograms = pictures_.histograms(false);
  heatmaps.insert(heatmaps.end(), histograms.begin(), histograms.end());
  for (OutputFile* file : heatmaps) file->finish();
  std::vector<OutputFile> reports;
  try {
    reports = finish_outputs(texts);
  } catch (const ClosedPipe&) {
    if (heatmaps.empty()) throw;
  }
  std::vector<OutputFile*> all = pointers_to(reports);
  all.insert(all.end(), heatmaps.begin(), heatmaps.end());
  commit_outputs({all.rbegin(), all.rend()});  // a report comes after the files of its run
  pictures_.committed();
  note_written("wrote", all);
}

// What ended the run early is the error to tell, whatever becomes of this.
void RunOutputs::keep_files(const char* what, const std::function<std::vector<OutputFile*>()>& files,
                            std::vector<std::string>& kept) {
  try {
    const std::vector<OutputFile*> all = files();
    kept.reserve(kept.size() + all.size());
    commit_outputs(all);
    for (const OutputFile* file : all) kept.push_back(file->path());
    note_written("kept", all);
  } catch (const Error& error) {
    messages_.warn(std::string("cannot keep the ") + what + " so far: " + error.what());
  } catch (const std::bad_alloc&) {
    write_stderr(std::string("cambi: warning: cannot keep the ") + what + " so far: out of memory\n");
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
      part.back().write(text_of(report, request));
      return pointers_to(part);
    };
    keep_files("scores", write, kept);
  }
  keep_files(
      "raw heatmaps", [&] { return pictures_.raw_heatmaps(true); }, kept);
  keep_files(
      "histograms", [&] { return pictures_.histograms(true); }, kept);
  keep_files(
      "pictures", [&] { return pictures_.pictures(true); }, kept);
  return kept;
}

void RunOutputs::note_written(const char* verb, const std::vector<OutputFile*>& files) {
  const std::vector<std::string> lines = written_lines(verb, files);
  written_.insert(written_.end(), lines.begin(), lines.end());
}

void RunOutputs::tell() {
  for (const std::string& line : written_) messages_.note(line);
  written_.clear();
}

std::string score_line(const ScoredRow& row, const NumberStyle& numbers) {
  std::string line = "{\"frameNum\": " + std::to_string(row.frame) + ", \"timestamp\": ";
  const bool timed = row.timestamp && std::isfinite(*row.timestamp);
  line += timed ? fixed_text(*row.timestamp, kTimestampDecimals) : "null";
  line += ", \"metrics\": {";
  for (size_t i = 0; i < row.metrics.size(); ++i) {
    const auto& [name, value] = row.metrics[i];
    if (i > 0) line += ", ";
    line += json_quoted(name) + ": ";
    line += std::isfinite(value) ? number_text(value, numbers) : "null";
  }
  line += "}";
  std::string infinite;
  for (const auto& [name, value] : row.metrics) {
    if (value == std::numeric_limits<double>::infinity())
      infinite += (infinite.empty() ? "" : ", ") + json_quoted(name);
  }
  if (!infinite.empty()) line += ", \"infinite\": [" + infinite + "]";
  for (size_t i = 0; i < row.texts.size(); ++i) {
    const auto& [name, text] = row.texts[i];
    line += (i == 0 ? ", \"texts\": {" : ", ") + json_quoted(name) + ": " + json_quoted(text);
  }
  return line + (row.texts.empty() ? "}\n" : "}}\n");
}

}  // namespace vq::cli
