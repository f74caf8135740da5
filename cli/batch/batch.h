// A batch: many videos, one report for each in one folder.
#pragma once

#include "cli/batch/batch_task.h"
#include "cli/batch/video_list.h"
#include "cli/reports/batch_summary.h"
#include "cli/system/messages.h"

namespace vq::cli {

// Throws Error{kUsage} where two files of the batch would have the same name, as that of a video and the
// summary, or a file that of a folder.
void check_batch_names(const BatchRequest& request, const VideoList& list);

// Scores the videos of the list that have no report of the same origin by this version, several at a time,
// and writes their reports, each with everything else that is wanted of that video or none of it. A report of
// the same scores of which only thresholds or segments differ is written anew from itself. A video that fails
// stops no other: what failed is in the result. A video for which there was not enough memory or no room on
// the device beside the others is scored once more when it is alone. After an interrupt the videos at work
// are left. Shows progress. Throws Error{kUsage} for errors that concern all videos, such as a threshold on a
// metric that does not exist.
BatchSummary score_batch(const BatchRequest& request, const VideoList& list, Messages& messages);

}  // namespace vq::cli
