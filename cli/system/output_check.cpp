#include "cli/system/output_check.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "cli/system/output_file.h"
#include "cli/system/output_path.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text/message_text.h"

namespace vq::cli {
namespace {

void check_descriptor(const std::string& path, int descriptor) {
  const char* const doing = descriptor == STDOUT_FILENO ? "standard output" : "cannot write";
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) throw output_error(path, doing, errno);
  if ((flags & O_ACCMODE) == O_RDONLY) throw output_error(path, doing, EBADF);
}

[[noreturn]] void refuse(const std::string& path, const char* what) {
  throw Error(ErrorKind::kOutput, shown_path(path) + ": cannot write: " + what + ". Try: the name of a file");
}

void check_kind(const std::string& path, const struct stat& status) {
  if (S_ISDIR(status.st_mode)) refuse(path, "is a folder");
  if (S_ISSOCK(status.st_mode)) refuse(path, "is a socket");
  if (S_ISBLK(status.st_mode)) refuse(path, "is a block device");
  if (::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0)
    throw output_error(path, "cannot write", errno);
}

struct Name {
  std::string path;
  std::string shown;
};

std::vector<Name> names_of(const std::vector<OutputPlace>& outputs) {
  std::vector<Name> names;
  for (const OutputPlace& output : outputs) {
    const std::string path = shown_path(output.path), partial = shown_path(output.partial);
    names.push_back({output.path, "the output " + path});
    if (partial.empty()) continue;
    names.push_back({output.partial, partial + ", which is left of " + path + " if the run ends early,"});
  }
  return names;
}

}  // namespace

void check_writable(const std::string& path) {
  if (path.empty()) throw Error(ErrorKind::kOutput, "the name of an output is empty");
  if (const std::optional<int> descriptor = descriptor_of(path)) return check_descriptor(path, *descriptor);
  const auto status = status_of(path);
  if (status) check_kind(path, *status);
  // A name ending in a slash can only be a folder's.
  if (!status && errno == ENOENT && path.ends_with('/')) throw output_error(path, "cannot write", EISDIR);
  if (!status && errno != ENOENT) throw output_error(path, "cannot write", errno);
  // Only making a file tells whether one can be made.
  if (!is_written_in_place(path)) OutputFile probe(path);
}

void check_replaceable(const std::string& path) {
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0 || S_ISREG(status.st_mode) || S_ISLNK(status.st_mode)) return;
  refuse(path, S_ISDIR(status.st_mode)    ? "is a folder"
               : S_ISFIFO(status.st_mode) ? "is a pipe"
                                          : "is no file");
}

void check_distinct(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs) {
  const std::vector<Name> names = names_of(outputs);
  for (size_t i = 0; i < names.size(); ++i) {
    for (const std::string& input : inputs) {
      if (!same_file(names[i].path, is_standard_input(input) ? "/dev/stdin" : input)) continue;
      throw Error(ErrorKind::kUsage,
                  names[i].shown + " is the same file as the input " + shown_path(input) + ".");
    }
    for (size_t j = 0; j < i; ++j) {
      if (!same_file(names[i].path, names[j].path)) continue;
      throw Error(ErrorKind::kUsage, names[j].shown + " and " + names[i].shown + " are the same file.");
    }
  }
}

void check_outputs(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs) {
  check_distinct(outputs, inputs);
  for (const OutputPlace& output : outputs) {
    check_writable(output.path);
    if (!output.partial.empty()) check_replaceable(output.partial);
  }
}

void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs) {
  std::vector<OutputPlace> places;
  for (const std::string& path : outputs) places.push_back({path});
  check_outputs(places, inputs);
}

}  // namespace vq::cli
