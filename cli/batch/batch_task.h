// One video of a batch: its outputs, and whether they exist already.
#pragma once

#include "cli/batch/video_list.h"
#include "cli/inputs/run_options.h"
#include "cli/run/run_outputs.h"
#include "engine/report/report.h"
#include "engine/report/report_writer.h"
#include "engine/report/threshold.h"

namespace vq::cli {

struct BatchRequest {
  RunOptions arguments;               // for each video, without its path and without outputs
  std::string folder;                 // of the reports
  std::vector<ReportFormat> formats;  // in addition to the extended JSON report that every video gets
  int jobs = 0;                       // videos at a time; 0: as many as keep the cores busy
  bool force = false;                 // videos that have a report are scored again
};

// The path of a video's output below the folder: NAME.json, NAME.html, NAME.segments.csv. Videos of different
// names never share one.
std::string batch_output(const std::string& name, ReportFormat format);

// The video's own reference, or else the one for all videos.
std::optional<std::string> reference_of(const BatchRequest& request, const ListedVideo& video);

// The options for a run of this video, with its outputs. The first output is its JSON report.
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

// Returns the video's report if there is one with the right scores. Other outputs that are missing or out of
// date are made of it. Returns nothing if that takes the frames. Throws Error{kOutput}.
std::optional<Report> kept_report(const BatchRequest& request, const BatchTask& task);

// The origin of a report, by which a later run knows whether it would be the same.

// A file as it is now. Throws Error{kInput} if it cannot be looked at.
OriginFacts::File file_facts(const std::string& path);

// Everything that determines the scores and the report, apart from the program's version: the inputs as they
// are now, and what is asked of them. Bytes that are not UTF-8 are escaped, so that a report which is read
// back says the same. The backend and the number of threads do not change scores, so they are left out.
// Throws Error{kInput} if an input cannot be looked at.
OriginFacts origin_of(const RunOptions& arguments);
// The same for inputs whose file_facts() are known already.
OriginFacts origin_of(const RunOptions& arguments, std::vector<OriginFacts::File> files);

}  // namespace vq::cli
