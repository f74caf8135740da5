// Reports as files.
#pragma once

#include <string>

#include "core/stop_token.h"
#include "engine/report/baseline.h"
#include "engine/report/report_reader.h"

namespace vq::cli {

// Reads the file, or standard input for "-"; `stop` is asked while waiting and ends it. Throws
// Error{kInput}: what cannot be read, is over 512 MiB, and what parse_report() refuses.
ScoreTable read_report(const std::string& path, StopToken stop = {});
// Throws as read_report() and to_report().
Baseline read_baseline(const std::string& path, StopToken stop = {});

}  // namespace vq::cli
