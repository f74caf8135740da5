// Outputs that appear whole or not at all: written to a temporary file beside their place and renamed.
// Standard output and other descriptors, pipes and character devices such as /dev/null are written in place.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/system/file_ops.h"
#include "cli/system/signal_cleanup.h"

namespace vq::cli {

class HiddenFolder;

// One output. Until it is committed the target holds what it held before; without a commit it keeps it, and no
// temporary file stays, not even after a second signal. A symbolic link is followed: the file it names is
// replaced. The new file takes the mode (and where allowed the owner) of the one it replaces, or else the mode
// that umask leaves. In place, what is written is written at once and cannot be taken back. Errors are
// Error{kOutput} with the path and errno in words; after one the output is of no further use. The process must
// ignore SIGPIPE and SIGXFSZ, or these end it before an error can be told.
class OutputFile {
 public:
  // "-" and "/dev/stdout" are standard output. Opens the temporary file; a pipe that nobody reads yet is waited
  // for, until a signal asks to stop. `ops` outlives this.
  explicit OutputFile(std::string path, FileOps& ops = FileOps::system());
  // Replaces what has that name, also where that is a link or a pipe.
  struct Replace {};
  OutputFile(std::string path, Replace, FileOps& ops = FileOps::system());
  // The same with the temporary file in the hidden folder, which outlives this.
  OutputFile(std::string path, HiddenFolder& folder, FileOps& ops = FileOps::system());
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }  // the highest offset written to
  bool failed() const { return failed_; }

  void write(std::string_view data);
  // The next byte goes to this offset. Fails for what is written in place.
  void seek(int64_t offset);
  // Gives the descriptor back before finish(), so that any number of files can be at work.
  void close();
  // Everything but the rename: flushed to the device and closed.
  void finish();
  // Changes the place to one on the same file system. As with Replace. Not in place.
  void move_to(const std::string& path);
  // commit_outputs() for this one.
  void commit();

 private:
  friend void commit_outputs(const std::vector<OutputFile*>& files);
  enum class Placed { kNo, kNew, kExchanged, kReplaced };

  bool is_in_place() const { return temporary_.empty(); }
  int open_in_place();
  void open_temporary();
  void note_temporary();
  void copy_attributes();
  void put_in_place();
  void take_back() noexcept;
  void sync_folder();
  [[noreturn]] void fail(int error, const char* doing);
  void discard() noexcept;

  std::string path_;       // as given, for messages
  std::string target_;     // where links lead
  std::string temporary_;  // empty in place, and after the commit
  SignalCleanup cleanup_;  // of the temporary file
  FileOps* ops_;
  int fd_ = -1;
  bool finished_ = false, failed_ = false;
  Placed placed_ = Placed::kNo;
  int64_t offset_ = 0, bytes_ = 0;
};

// Puts all of the files in their places, or none: first each is finished, and only then the first is renamed.
// Where a rename or the flush of a folder still fails, those already in place are taken back: what was replaced
// returns, and what was new goes. That takes a file system that can exchange two names (as ext4, XFS, Btrfs and
// tmpfs can); on others, what was replaced before the failure stays replaced. Nobody sees half a file at any
// time, but for a moment some of the files may be new and others old, and a loss of power in that moment can
// make this last. Throws Error{kOutput}.
void commit_outputs(const std::vector<OutputFile*>& files);

// For commit_outputs(); valid as long as the vector does not change.
std::vector<OutputFile*> pointers_to(std::vector<OutputFile>& files);

// One text and the place where it is to go.
struct OutputText {
  std::string path;
  std::string text;
};

// Completes every text beside its place, and after that writes what is written in place. What is left is to
// commit the files. Throws Error{kOutput}.
std::vector<OutputFile> finish_outputs(const std::vector<OutputText>& outputs,
                                       FileOps& ops = FileOps::system());

// finish_outputs() and commit_outputs(). Returns what was written. Throws Error{kOutput}.
std::vector<OutputFile> write_outputs(const std::vector<OutputText>& outputs, FileOps& ops = FileOps::system());

}  // namespace vq::cli
