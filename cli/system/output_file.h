// Outputs that appear only when complete: written to a temporary file in the same folder and renamed.
// Standard output and other descriptors, pipes and character devices such as /dev/null are written in place.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace vq::cli {

struct OutputPlace {
  std::string path;
  std::string partial = {};  // name of the partial output of a run that ends early; empty: none
};

// Throws Error{kUsage} if an output, or its partial output, is the same file as an input or another output
// ("-" is standard input and standard output), and Error{kOutput} if one cannot be written.
void check_outputs(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs);

// The same for outputs without partial outputs.
void check_outputs(const std::vector<std::string>& outputs, const std::vector<std::string>& inputs);

// The check for identical files alone, for outputs that are otherwise checked differently.
void check_distinct(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs);

// Checks that the output can be written: its folder exists and accepts new files, it is no folder, socket or
// block device and may be replaced. Leaves nothing behind. Throws Error{kOutput}.
void check_writable(const std::string& path);

// The same for a file that also replaces a link of that name (see OutputFile::move_to()), in a folder that
// accepts new files.
void check_replaceable(const std::string& path);

// Makes the folder, and those above it, unless they exist. Throws Error{kOutput}.
void make_folder(const std::string& folder);

// The path of a file that is not to outlive the process, known to remove_temporary_files() as long as it is.
struct ForgetPath {
  void operator()(const std::string* path) const noexcept;
};
using TemporaryPath = std::unique_ptr<const std::string, ForgetPath>;

// For a process that ends at once, without destructors: removes the files of all threads and takes no memory.
// Threads that make or forget a path wait from then on.
void remove_temporary_files() noexcept;

// One output. Until it is committed, an existing file is unchanged; without a commit the temporary file is
// removed. The new file takes the mode (and if allowed the owner) of the one it replaces, otherwise the mode
// that umask leaves. Data written in place cannot be taken back. Errors are Error{kOutput} with the path and
// errno in words; after a write error the output cannot be used. The process must ignore SIGPIPE and SIGXFSZ,
// or these end it before an error can be reported.
class OutputFile {
 public:
  enum class Place {
    kFollowed,  // replaces the target of links; pipes and the like are written in place
    kReplaced,  // replaces whatever has that name, even a link or a pipe
    kLater,     // only the folder of the path counts; move_to() gives the name
  };

  // "-" and "/dev/stdout" are standard output. Opens the temporary file; waits for the reader of a pipe,
  // until a signal asks to stop.
  explicit OutputFile(std::string path, Place place = Place::kFollowed);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }  // the highest offset written to
  // Whether it waits for the commit: not written in place, not committed, and no write has failed.
  bool is_pending() const { return temporary_ != nullptr; }

  void write(std::string_view data);
  // The next byte goes to this offset. Fails for outputs written in place.
  void seek(int64_t offset);
  // Closes the descriptor before finish(), so that any number of files can be in progress.
  void close();
  // Everything but the rename: flushed to the device and closed.
  void finish();
  // Changes the place to one on the same file system, as with Place::kReplaced. Not for outputs written in
  // place.
  void move_to(const std::string& path);
  // commit_outputs() for this one.
  void commit();

 private:
  friend void commit_outputs(const std::vector<OutputFile*>& files);

  int open_temporary();
  [[noreturn]] void fail(int error, const char* doing);
  void discard() noexcept;

  std::string path_;         // as given, for messages
  std::string target_;       // after following links
  TemporaryPath temporary_;  // null in place, and after the commit
  int fd_ = -1;
  bool finished_ = false, failed_ = false;
  int64_t offset_ = 0, bytes_ = 0;
};

// Finishes all files, checks whether each can be renamed, and only then renames the first. If a rename still
// fails, the files before it stay and the others remain pending. Throws Error{kOutput}.
void commit_outputs(const std::vector<OutputFile*>& files);

// For commit_outputs(); valid as long as the vector does not change.
std::vector<OutputFile*> pointers_to(std::vector<OutputFile>& files);

// A text and its path, or what gives the text to the file in pieces.
struct OutputText {
  std::string path;
  std::string text = {};
  std::function<void(OutputFile& file)> write = {};

  void write_to(OutputFile& file) const { write ? write(file) : file.write(text); }
};

// Completes every text in a temporary file, then writes the outputs in place. The files remain to be
// committed. Throws Error{kOutput}.
std::vector<OutputFile> finish_outputs(const std::vector<OutputText>& outputs);

// finish_outputs() and commit_outputs(). Returns the written files. Throws Error{kOutput}.
std::vector<OutputFile> write_outputs(const std::vector<OutputText>& outputs);

// "wrote run.json (2.5 kB)", with the given verb: a line for each file, and one for all pictures. Outputs
// written in place have none.
std::vector<std::string> written_lines(const std::string& verb, const std::vector<OutputFile*>& files);

// A folder for outputs, created if it does not exist. A created folder is removed again unless it is kept or
// not empty.
class OutputFolder {
 public:
  // Throws Error{kOutput}.
  explicit OutputFolder(std::string path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  void keep() { made_ = false; }
  // Locks the folder against other runs that choose names in it, if the file system supports locks. Waits
  // until a signal asks to stop.
  void lock();
  void unlock();

 private:
  const std::string path_;
  int lock_ = -1;
  bool made_ = false;
};

}  // namespace vq::cli
