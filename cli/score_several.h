// Several videos scored with one set of arguments.
#pragma once

#include <string>
#include <vector>

#include "cli/arguments.h"
#include "cli/messages.h"
#include "core/report.h"

namespace vq::cli {

// Scores each of the videos as `arguments.distorted` and returns their reports in order. Without a reference
// one after the other; with one all at the same time, so that it is decoded once. Shows progress. Warnings go
// to `messages`, each once; every report has those of its own run. After an interrupt the reports are those
// of what was scored. Throws Error; of several the one of the first video in order.
std::vector<Report> score_several(const Arguments& arguments, const std::vector<std::string>& videos,
                                  Messages& messages);

}  // namespace vq::cli
