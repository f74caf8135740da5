// What an input is, by its beginning: people hand reports to commands that take videos, and the other way
// round.
#pragma once

#include <string>

namespace vq::cli {

// Whether a JSON report is named: by the extension .json, or for a regular file by its first character, so
// that parts of reports and reports under other names are known as well. `may_be_raw`: raw video may begin
// with any character, so only the name counts.
bool is_json_report(const std::string& path, bool may_be_raw = false);

// True for standard input, pipes and devices: what is read of them is gone. A path that names nothing is
// none.
bool is_read_once(const std::string& path);

// Throws Error{kUsage} for what is_read_once(). The message begins with `what`, as in "--align auto reads
// videos", and ends with the advice.
void check_read_twice(const std::string& path, const std::string& what, const std::string& advice = {});

// Throws Error{kInput} with what to do instead where the path is a report, a folder without pictures or a
// URL; and as sequence_files().
void check_is_video(const std::string& path);

}  // namespace vq::cli
