#include "cli/system/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <set>
#include <utility>

#include "cli/system/interrupt.h"
#include "cli/system/output_folders.h"
#include "cli/system/output_path.h"
#include "cli/system/standard_streams.h"

namespace vq::cli {
namespace {

constexpr mode_t kNewFileMode = 0666;  // less what umask takes
constexpr mode_t kPermissionBits = 0777;
constexpr int kMakeNew = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;

bool is_pipe(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// Pipes, terminals and some file systems have nothing to flush, and say so.
bool has_nothing_to_flush(int error) {
  return error == EINVAL || error == ENOSYS || error == ENOTSUP;
}

}  // namespace

OutputFile::OutputFile(std::string path, FileOps& ops) : path_(std::move(path)), ops_(&ops) {
  if (is_written_in_place(path_)) {
    fd_ = open_in_place();
  } else {
    target_ = follow_links(path_);
    open_temporary();
  }
  if (fd_ < 0) fail(errno, "cannot write");
  if (!is_in_place()) copy_attributes();
}

OutputFile::OutputFile(std::string path, Replace, FileOps& ops)
    : path_(std::move(path)), target_(path_), ops_(&ops) {
  open_temporary();
  if (fd_ < 0) fail(errno, "cannot write");
  copy_attributes();
}

OutputFile::OutputFile(std::string path, HiddenFolder& folder, FileOps& ops)
    : path_(std::move(path)), target_(path_), ops_(&ops) {
  std::string name = folder.next_file();
  fd_ = ops_->open(name.c_str(), kMakeNew, kNewFileMode);
  if (fd_ < 0) fail(errno, "cannot write");
  temporary_ = std::move(name);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      cleanup_(std::move(other.cleanup_)),
      ops_(other.ops_),
      fd_(std::exchange(other.fd_, -1)),
      finished_(other.finished_),
      failed_(other.failed_),
      placed_(std::exchange(other.placed_, Placed::kNo)),
      offset_(other.offset_),
      bytes_(other.bytes_) {}

OutputFile::~OutputFile() {
  discard();
}

// -1 and errno where that fails.
int OutputFile::open_in_place() {
  if (const std::optional<int> descriptor = descriptor_of(path_)) return ops_->duplicate(*descriptor);
  // Opening a pipe waits for its reader, where no signal would be heard; O_NONBLOCK fails instead.
  for (;;) {
    const int fd = ops_->open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0);
    if (fd >= 0 || (errno != EINTR && !(errno == ENXIO && is_pipe(path_)))) return fd;
    if (interrupt_signal() != 0) {
      errno = ECANCELED;
      return -1;
    }
    ::poll(nullptr, 0, kWaitMilliseconds);
  }
}

void OutputFile::open_temporary() {
  for (int i = 0; i < kMaxTemporaries; ++i) {
    std::string name = temporary_name(folder_of(target_), i) + ".tmp";
    const UninterruptedSection section;
    fd_ = ops_->open(name.c_str(), kMakeNew, kNewFileMode);
    if (fd_ < 0 && errno == EEXIST) continue;
    if (fd_ < 0) return;
    temporary_ = std::move(name);
    return note_temporary();
  }
}

void OutputFile::note_temporary() {
  try {
    cleanup_ = SignalCleanup(temporary_);
  } catch (...) {
    discard();
    throw;
  }
}

void OutputFile::copy_attributes() {
  struct stat old;
  if (::stat(target_.c_str(), &old) != 0 || !S_ISREG(old.st_mode)) return;
  // Only root may give files away; whoever else replaces a file becomes its owner.
  if (::fchown(fd_, old.st_uid, old.st_gid) != 0 && errno != EPERM) fail(errno, "cannot write");
  if (::fchmod(fd_, old.st_mode & kPermissionBits) != 0 && errno != EPERM) fail(errno, "cannot write");
}

void OutputFile::write(std::string_view data) {
  if (const int error = write_all(fd_, data, *ops_)) fail(error, "cannot write");
  offset_ += static_cast<int64_t>(data.size());
  bytes_ = std::max(bytes_, offset_);
}

void OutputFile::seek(int64_t offset) {
  if (ops_->seek(fd_, offset) < 0) fail(errno, "cannot seek");
  offset_ = offset;
}

void OutputFile::close() {
  // Closed even where close() fails; an interrupted one has nothing left to lose.
  if (fd_ >= 0 && ops_->close(std::exchange(fd_, -1)) != 0 && errno != EINTR) fail(errno, "cannot close");
}

void OutputFile::finish() {
  if (failed_) throw output_error(path_, "cannot write", EIO);
  if (std::exchange(finished_, true)) return;
  if (is_in_place()) return close();
  if (fd_ < 0) fd_ = ops_->open(temporary_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0);
  if (fd_ < 0) fail(errno, "cannot flush");
  while (ops_->fsync(fd_) != 0) {
    if (has_nothing_to_flush(errno)) break;
    if (errno != EINTR) fail(errno, "cannot flush");
  }
  close();
}

void OutputFile::move_to(const std::string& path) {
  path_ = path;
  target_ = path;
}

void OutputFile::commit() {
  commit_outputs({this});
}

// Where the names can be exchanged, the temporary one then keeps what was replaced.
void OutputFile::put_in_place() {
  struct stat old;
  const bool is_new = ::lstat(target_.c_str(), &old) != 0 && errno == ENOENT;
  if (!is_new && ops_->exchange(temporary_.c_str(), target_.c_str()) == 0) {
    placed_ = Placed::kExchanged;
    // Unlike a rename, an exchange takes folders as well.
    if (::lstat(temporary_.c_str(), &old) != 0 || !S_ISDIR(old.st_mode)) return;
    throw output_error(path_, "cannot rename to it", EISDIR);
  }
  if (ops_->rename(temporary_.c_str(), target_.c_str()) != 0)
    throw output_error(path_, "cannot rename to it", errno);
  placed_ = is_new ? Placed::kNew : Placed::kReplaced;
}

void OutputFile::take_back() noexcept {
  if (placed_ == Placed::kExchanged) ops_->exchange(temporary_.c_str(), target_.c_str());
  if (placed_ == Placed::kNew) ops_->rename(target_.c_str(), temporary_.c_str());
  if (placed_ != Placed::kReplaced) placed_ = Placed::kNo;
}

// A folder that may not be read cannot be flushed either.
void OutputFile::sync_folder() {
  const std::string folder = folder_of(target_);
  const int fd = ops_->open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (fd < 0 && errno == EACCES) return;
  if (fd < 0) throw output_error(folder, "cannot flush the folder", errno);
  int error = 0;
  while (ops_->fsync(fd) != 0) {
    error = has_nothing_to_flush(errno) ? 0 : errno;
    if (error != EINTR) break;
  }
  ops_->close(fd);
  if (error != 0 && error != EINTR) throw output_error(folder, "cannot flush the folder", error);
}

void OutputFile::fail(int error, const char* doing) {
  failed_ = true;
  discard();
  throw output_error(path_, doing, error);
}

void OutputFile::discard() noexcept {
  if (fd_ >= 0) ops_->close(std::exchange(fd_, -1));
  if (!temporary_.empty() && (placed_ == Placed::kNo || placed_ == Placed::kExchanged))
    ops_->unlink(temporary_.c_str());
  temporary_.clear();
  cleanup_ = {};
}

void commit_outputs(const std::vector<OutputFile*>& files) {
  std::vector<OutputFile*> to_place;
  for (OutputFile* file : files) {
    file->finish();
    if (!file->is_in_place()) to_place.push_back(file);
  }
  {
    const UninterruptedSection section;
    try {
      std::set<std::string> flushed;
      for (OutputFile* file : to_place) file->put_in_place();
      for (OutputFile* file : to_place) {
        if (flushed.insert(folder_of(file->target_)).second) file->sync_folder();
      }
    } catch (...) {
      for (OutputFile* file : to_place) file->take_back();
      throw;
    }
  }
  for (OutputFile* file : to_place) file->discard();
}

std::vector<OutputFile*> pointers_to(std::vector<OutputFile>& files) {
  std::vector<OutputFile*> all;
  for (OutputFile& file : files) all.push_back(&file);
  return all;
}

std::vector<OutputFile> finish_outputs(const std::vector<OutputText>& outputs, FileOps& ops) {
  std::vector<OutputFile> files;
  files.reserve(outputs.size());
  for (const bool in_place : {false, true}) {
    for (const OutputText& output : outputs) {
      if (is_written_in_place(output.path) != in_place) continue;
      files.emplace_back(output.path, ops);
      files.back().write(output.text);
      files.back().finish();
    }
  }
  return files;
}

std::vector<OutputFile> write_outputs(const std::vector<OutputText>& outputs, FileOps& ops) {
  std::vector<OutputFile> files = finish_outputs(outputs, ops);
  commit_outputs(pointers_to(files));
  return files;
}

}  // namespace vq::cli
