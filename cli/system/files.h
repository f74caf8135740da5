// Files and libraries as the system has them. Descriptors are the C library's, on Windows too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vq::cli {

enum class FileKind { kFile, kFolder, kLink, kPipe, kCharacterDevice, kBlockDevice, kSocket };

// A volume, and a file's number there: equal for all names of a file, and no other's.
using FileIdentity = std::array<uint64_t, 3>;

struct FileStatus {
  FileKind kind = FileKind::kFile;
  int64_t bytes = 0;
  FileIdentity identity = {};
  timespec modified = {};
};

enum class Links { kFollowed, kThemselves };

// Nothing if the system does not tell, with errno set.
std::optional<FileStatus> file_status(const std::string& path, Links links = Links::kFollowed);
std::optional<FileStatus> file_status(int descriptor);

// Paths that a pattern with * and ? names, and on POSIX with [ and wildcards for folders, in no order; none
// if a folder cannot be read.
std::vector<std::string> matching_paths(const std::string& pattern);

// Whether a text is the pattern, in which * stands for any text and ? for any byte.
inline bool matches_pattern(std::string_view text, std::string_view pattern) {
  size_t at = 0, next = 0;
  size_t star = pattern.npos, resumed = 0;  // the last star, and how much of the text is left behind it
  while (at < text.size()) {
    if (next < pattern.size() && pattern[next] == '*') {
      star = next++;
      resumed = at;
    } else if (next < pattern.size() && (pattern[next] == '?' || pattern[next] == text[at])) {
      ++at;
      ++next;
    } else if (star != pattern.npos) {
      next = star + 1;
      at = ++resumed;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', next) == pattern.npos;
}

// Descriptors that no other program inherits. -1, with errno set, if that fails. Opening does not wait for
// the writer of a pipe.
int open_to_read(const std::string& path);
int duplicate(int descriptor);

// Waits until a read returns at once, be it at the end or with an error, but no longer than this. Negative:
// without a limit. False after that time, and after a signal.
bool wait_until_readable(int descriptor, int milliseconds);

// Whether the system names the descriptors of this process or of this thread in the folder.
bool is_own_descriptor_folder(const std::filesystem::path& folder);
bool is_open_for_writing(int descriptor);

// Outputs. Paths are as given, and the descriptors are for writing.

bool may_write(const std::string& path);
int open_new(const std::string& path);    // fails if anything has that name
int open_again(const std::string& path);  // what open_new() made
int open_to_append(const std::string& path);
// A device or a pipe. Waits for the reader of a pipe, until a signal asks to stop: ECANCELED.
int open_in_place(const std::string& path);

// The others return 0, or the errno of the failure.

// Writes all of `data`. Waits for the reader of a slow pipe, even if the descriptor is non-blocking, until a
// signal asks to stop: ECANCELED.
int write_all(int descriptor, std::string_view data);
// To the device. Pipes, terminals and some file systems have nothing to flush, and a folder that may not be
// read cannot be flushed: that is no failure.
int flush(int descriptor);
int flush_folder(const std::string& folder);
// Gives the open file the mode, and if allowed the owner, of one that it is going to replace.
int copy_attributes(int descriptor, const std::string& from);
// Renames, in place of what has that name.
int replace_file(const std::string& from, const std::string& to);
void remove_file(const char* path) noexcept;

// A descriptor to close later: until then EWOULDBLOCK is what others get. Without locks, as some file systems
// are, every call has one.
int lock_folder(const std::string& folder);

bool is_terminal(int descriptor);
int terminal_columns(int descriptor);  // 0: it is none

// A library that is opened where it is first used.
struct LibraryName {
  const char* on_posix;
  const char* on_windows;
  const char* here() const;
};

// The address of a function. The library stays open: threads and exit handlers of what it brings may be at
// work to the end. Null, with the system's reason, if there is none. May be called from any thread.
void* library_function(const LibraryName& library, const char* name, std::string& reason);

}  // namespace vq::cli
