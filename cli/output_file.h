// Outputs that appear whole or not at all: written to a temporary file beside their place and renamed.
// Standard output, pipes and character devices such as /dev/null are written in place.
#pragma once

#include <sys/types.h>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <optional>

namespace vq::cli {

// The calls through which outputs are written, so that tests can make each of them fail. Contracts are those
// of the POSIX functions: -1 and errno on failure.
class FileOps {
 public:
  virtual ~FileOps() = default;
  virtual int open(const char* path, int flags, mode_t mode);
  virtual int duplicate(int fd);  // with close-on-exec
  virtual ssize_t write(int fd, const void* data, size_t size);
  virtual off_t seek(int fd, off_t offset);  // from the start
  virtual int fsync(int fd);
  virtual int close(int fd);
  virtual int rename(const char* from, const char* to);
  virtual int unlink(const char* path);

  // The real ones. Stateless, so shared by all.
  static FileOps& system();
};

// One output. Until commit() the target holds what it held before; without commit() it keeps it, and no
// temporary file stays. A symbolic link is followed: the file it names is replaced. The new file takes the
// mode (and where allowed the owner) of the one it replaces, or else the mode that umask leaves. In place,
// what is written is written at once and cannot be taken back. Errors are Error{kOutput} with the path and
// errno in words; after one the output is of no further use. The process must ignore SIGPIPE and SIGXFSZ, or
// these end it before an error can be told.
class OutputFile {
 public:
  // "-" and "/dev/stdout" are standard output. Opens the temporary file. `ops` outlives this.
  explicit OutputFile(std::string path, FileOps& ops = FileOps::system());
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  void write(std::string_view data);
  // The next byte goes to this offset. Fails for what is written in place.
  void seek(int64_t offset);
  // Everything but the rename: flushed to the device and closed. Several outputs are best all finished before
  // the first is committed.
  void finish();
  void commit();  // finish(), where that was not called, and the rename
  // commit() to the path with ".partial" behind it. Not for what is written in place.
  void commit_partial();

 private:
  void open_temporary();
  void copy_attributes();
  [[noreturn]] void fail(int error, const char* doing);
  void discard() noexcept;

  std::string path_;       // as given, for messages
  std::string target_;     // where links lead
  std::string temporary_;  // empty in place, and after the rename
  FileOps* ops_;
  int fd_ = -1;
};

// One text and the place where it is to go.
struct OutputText {
  std::string path;
  std::string text;
};

// Completes every text beside its place, and after that writes what is written in place. What is left is to
// commit the files. Throws Error{kOutput}.
std::vector<OutputFile> finish_outputs(const std::vector<OutputText>& outputs,
                                       FileOps& ops = FileOps::system());

// Writes all or none, as far as a file system allows: every text is complete beside its place before what is
// written in place is written, and only then the first file is renamed. Throws Error{kOutput}.
void write_outputs(const std::vector<OutputText>& outputs, FileOps& ops = FileOps::system());

// Whether the path is standard output or something else that is written in place: a pipe or a character
// device.
bool is_written_in_place(const std::string& path);

// Checks before any work is done that the output can be written: its folder exists and takes new files, it is
// no folder, socket or block device and may be replaced. Leaves nothing behind. Throws Error{kOutput}.
void check_writable(const std::string& path);

// FILE.partial, where the scores of a run go that ended early; nothing for what is written in place.
std::optional<std::string> partial_path(const std::string& path);

// Whether two paths name the same file: by link, hard link or another spelling, also where it does not exist
// yet. Character devices and sockets never count: two users of /dev/null or of a terminal do not meet. "-"
// and
// "/dev/stdout" are standard output; give "/dev/stdin" for standard input.
bool same_file(const std::string& a, const std::string& b);

}  // namespace vq::cli
