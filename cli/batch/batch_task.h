// One video of a batch: its outputs, and whether they exist already.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/batch/video_list.h"
#include "cli/inputs/run_options.h"
#include "cli/run/run_outputs.h"
#include "engine/report/report.h"
#include "engine/report/report_writer.h"
#include "engine/report/threshold.h"

namespace vq::cli {

struct BatchRequest {
  RunOptions arguments;               // for each video; which video and which outputs is said by what follows
  std::string folder;                 // of the reports
  std::vector<ReportFormat> formats;  // beside the extended JSON report that every video gets
  int jobs = 0;                       // videos at a time; 0: as many as keep the cores busy
  bool force = false;                 // score also what has its report already
};

// Below the folder: NAME.json, NAME.html, NAME.segments.csv, so that videos of different names never meet.
std::string batch_output(const std::string& name, ReportFormat format);

// The video's own, or else the one for all.
std::optional<std::string> reference_of(const BatchRequest& request, const ListedVideo& video);

// Options for a video: its JSON report, which is the first of the outputs, and the rest.
RunOptions batch_options(const BatchRequest& request, const ListedVideo& video);

struct BatchTask {
  RunOptions arguments;  // with all outputs, the JSON report first
  OriginFacts origin;
  std::optional<Baseline> baseline;
};

// Throws Error{kInput} if the video, its reference or its baseline cannot be looked at.
BatchTask batch_task(const BatchRequest& request, const ListedVideo& video);

// Adds thresholds and origin, and writes all outputs. Needs: thresholds on metrics that there are. Throws
// Error: kMismatch for the baseline, kOutput.
void finish_task(Report& report, const BatchTask& task, RunOutputs& outputs);

// The report that is there, if it is of the same scores and everything else that is wanted of the video is
// there or could be made of it, which is done then. Throws Error{kOutput}.
std::optional<Report> kept_report(const BatchRequest& request, const BatchTask& task);

// The origin of a report, by which a later run knows whether it would be the same.

// A file as it is now. Throws Error{kInput} if it cannot be looked at.
OriginFacts::File file_facts(const std::string& path);

// Everything that scores and reports follow from, but for the program's version: the inputs as they are now,
// and what is asked of them. Bytes that are not UTF-8 are escaped, so that a report which is read back says
// the same. Scores are the same on every backend and with any number of threads, so none of those is in it.
// Throws Error{kInput} if an input cannot be looked at.
OriginFacts origin_of(const RunOptions& arguments);
// The same of inputs that were looked at before.
OriginFacts origin_of(const RunOptions& arguments, std::vector<OriginFacts::File> files);

}  // namespace vq::cli
