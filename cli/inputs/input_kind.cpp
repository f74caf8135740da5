#include "cli/inputs/input_kind.h"

#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <optional>

#include "cli/decoding/sequence.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text.h"
#include "engine/report/report_writer.h"

namespace vq::cli {
namespace {

bool is_regular_file(const std::string& path) {
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

// No container of video begins with a brace.
bool begins_as_json(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  char first = 0;
  return file >> first && first == '{';  // past white space
}

// No container of video has these extensions.
bool is_other_report(const std::string& path) {
  const std::optional<ReportFormat> format = named_format(path);
  return format == ReportFormat::kXml || format == ReportFormat::kCsv || format == ReportFormat::kSub;
}

}  // namespace

bool is_json_report(const std::string& path, bool may_be_raw) {
  if (named_format(path) == ReportFormat::kJson) return true;
  return !may_be_raw && is_regular_file(path) && begins_as_json(path);
}

bool is_read_once(const std::string& path) {
  if (is_standard_input(path)) return true;
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

void check_read_twice(const std::string& path, const std::string& what, const std::string& advice) {
  if (!is_read_once(path)) return;
  throw Error(ErrorKind::kUsage, what + " twice, which " + shown_path(path) + " does not allow." + advice);
}

void check_is_video(const std::string& path) {
  if (is_regular_file(path)) {
    if (is_other_report(path)) {
      throw Error(ErrorKind::kInput, shown_path(path) +
                                         " is a report, not a video, and not in JSON, the form that is read. "
                                         "Try: a report written with --json");
    }
    if (!begins_as_json(path)) return;
    throw Error(ErrorKind::kInput, shown_path(path) +
                                       " is a report, not a video. Try: cambi report, for a page of it, or "
                                       "cambi compare");
  }
  struct stat info = {};
  const bool is_folder = stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
  if (is_folder && !sequence_files(path)) {
    throw Error(ErrorKind::kInput, words("{} cannot be opened: {}, and has no pictures. For all videos in "
                                         "it: cambi batch FOLDER --reports DIR",
                                         shown_path(path), errno_text(EISDIR)));
  }
  const size_t scheme = path.find("://");
  if (scheme == std::string::npos || scheme == 0 || path.find('/') < scheme) return;
  throw Error(ErrorKind::kInput,
              shown_path(path) + ": videos are read from files and pipes, not from the network.");
}

}  // namespace vq::cli
