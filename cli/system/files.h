// Files and libraries as the system has them. Descriptors are the C library's, on Windows too.
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <utility>

namespace vq::cli {

enum class FileKind { kFile, kFolder, kLink, kPipe, kCharacterDevice, kBlockDevice, kSocket };

struct FileStatus {
  FileKind kind = FileKind::kFile;
  int64_t bytes = 0;
  std::pair<uint64_t, uint64_t> identity = {};  // of this file alone: its volume, and its number there
  timespec modified = {};
};

enum class Links { kFollowed, kThemselves };

// Nothing if the system does not tell, with errno set.
std::optional<FileStatus> file_status(const std::string& path, Links links = Links::kFollowed);
std::optional<FileStatus> file_status(int descriptor);

// Descriptors that no other program inherits. -1, with errno set, if that fails. Opening does not wait for
// the writer of a pipe.
int open_to_read(const std::string& path);
int duplicate(int descriptor);

// Waits until a read returns at once, be it at the end or with an error, but no longer than this. Negative:
// without a limit. False after that time, and after a signal.
bool wait_until_readable(int descriptor, int milliseconds);

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
