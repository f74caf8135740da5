// Outputs that appear whole or not at all: written to a temporary file beside their place and renamed.
// Standard output and other descriptors, pipes and character devices such as /dev/null are written in place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace vq::cli {

class Messages;

// One output. Until it is committed its place keeps what it held; without a commit the temporary file is
// removed. The new file takes the mode (and where allowed the owner) of the one it replaces, or else the mode
// that umask leaves. In place, what is written is written at once and cannot be taken back. Errors are
// Error{kOutput} with the path and errno in words; after one in writing the output is of no further use. The
// process must ignore SIGPIPE and SIGXFSZ, or these end it before an error can be told.
class OutputFile {
 public:
  enum class Place {
    kFollowed,  // replaces the file to which links lead; pipes and the like are written in place
    kReplaced,  // replaces what has that name, also where that is a link or a pipe
    kLater,     // of the path only the folder counts; move_to() says the rest
  };

  // "-" and "/dev/stdout" are standard output. Opens the temporary file; a pipe that nobody reads yet is
  // waited for, until a signal asks to stop.
  explicit OutputFile(std::string path, Place place = Place::kFollowed);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  OutputFile& operator=(OutputFile&&) = delete;

  const std::string& path() const { return path_; }
  int64_t bytes() const { return bytes_; }  // the highest offset written to
  // Whether it waits beside its place: not written in place, not committed, and nothing failed in writing.
  bool is_pending() const { return !temporary_.empty(); }

  void write(std::string_view data);
  // The next byte goes to this offset. Fails for what is written in place.
  void seek(int64_t offset);
  // Gives the descriptor back before finish(), so that any number of files can be at work.
  void close();
  // Everything but the rename: flushed to the device and closed.
  void finish();
  // Changes the place to one on the same file system, as with Place::kReplaced. Not in place.
  void move_to(const std::string& path);
  // commit_outputs() for this one.
  void commit();

 private:
  friend void commit_outputs(const std::vector<OutputFile*>& files);

  int open_in_place();
  int open_temporary();
  void copy_attributes();
  void check_place();
  void put_in_place();
  [[noreturn]] void fail(int error, const char* doing);
  void discard() noexcept;

  std::string path_;       // as given, for messages
  std::string target_;     // where links lead
  std::string temporary_;  // empty in place, and after the commit
  int fd_ = -1;
  bool finished_ = false, failed_ = false;
  int64_t offset_ = 0, bytes_ = 0;
};

// Finishes all of the files, looks whether each can have its place, and only then renames the first. A rename
// that still fails leaves the files before it in their places and the others pending. Throws Error{kOutput}.
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
std::vector<OutputFile> finish_outputs(const std::vector<OutputText>& outputs);

// finish_outputs() and commit_outputs(). Returns what was written. Throws Error{kOutput}.
std::vector<OutputFile> write_outputs(const std::vector<OutputText>& outputs);

// "wrote run.json (2.5 kB)", with the verb that is given: a line for each file, and one for all pictures.
// What is written in place, such as a pipe, has none.
std::vector<std::string> written_lines(const std::string& verb, const std::vector<OutputFile*>& files);

// Notes these lines.
void tell_written(const std::string& verb, std::vector<OutputFile> files, Messages& messages);

// A folder for outputs, made where it is missing. One that was made is removed again unless it is kept or has
// something in it.
class OutputFolder {
 public:
  // Throws Error{kOutput}.
  explicit OutputFolder(std::string path);
  ~OutputFolder();
  OutputFolder(const OutputFolder&) = delete;
  OutputFolder& operator=(const OutputFolder&) = delete;

  void keep() { made_ = false; }
  // Keeps other runs waiting that would choose names in it at the same time, as far as the file system can.
  // Waits for them until a signal asks to stop.
  void lock();
  void unlock();

 private:
  const std::string path_;
  int lock_ = -1;
  bool made_ = false;
};

}  // namespace vq::cli
