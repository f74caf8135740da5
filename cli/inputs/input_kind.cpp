#include "cli/inputs/input_kind.h"

#include <sys/stat.h>

#include <cerrno>
#include <fstream>
#include <optional>

#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text/message_text.h"
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

// Whether it is a pattern for the numbered files of FFmpeg's image2, such as f%03d.png.
bool names_many(const std::string& path) {
  const size_t sign = path.find('%');
  if (sign == std::string::npos) return false;
  const size_t letter = path.find_first_not_of("0123456789", sign + 1);
  return letter != std::string::npos && path[letter] == 'd';
}

}  // namespace

bool is_json_report(const std::string& path, bool may_be_raw) {
  if (named_format(path) == ReportFormat::kJson) return true;
  return !may_be_raw && is_regular_file(path) && begins_as_json(path);
}

bool is_read_once(const std::string& path) {
  if (is_standard_input(path)) return true;
  struct stat info = {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
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
  if (stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) {
    throw Error(ErrorKind::kInput, shown_path(path) + " cannot be opened: " + errno_text(EISDIR) +
                                       ". For all videos in it: cambi batch FOLDER --reports DIR");
  }
  if (names_many(path) && stat(path.c_str(), &info) != 0) {
    throw Error(ErrorKind::kInput,
                shown_path(path) + " cannot be opened: " + errno_text(ENOENT) +
                    ". Image sequences are not read. Make a video of it first, for example with "
                    "ffmpeg -framerate 24 -i IN -pix_fmt yuv420p -c:v ffv1 OUT.mkv");
  }
  const size_t scheme = path.find("://");
  if (scheme == std::string::npos || scheme == 0 || path.find('/') < scheme) return;
  throw Error(ErrorKind::kInput,
              shown_path(path) + ": videos are read from files and pipes, not from the network.");
}

}  // namespace vq::cli
