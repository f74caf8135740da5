#include "cli/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

#include "cli/output_path.h"

namespace vq::cli {
namespace {

constexpr int kMaxTemporaries = 1000;
constexpr mode_t kNewFileMode = 0666;  // less what umask takes
constexpr mode_t kPermissionBits = 0777;

// Short and not made from the target's name, which may be as long as a name can be.
std::string temporary_name(const std::string& folder, int number) {
  return folder + "/.cambi-" + std::to_string(::getpid()) + "-" + std::to_string(number) + ".tmp";
}

void wait_until_writable(int fd) {
  pollfd waiting{fd, POLLOUT, 0};
  ::poll(&waiting, 1, -1);
}

}  // namespace

int FileOps::open(const char* path, int flags, mode_t mode) {
  return ::open(path, flags, mode);
}
int FileOps::duplicate(int fd) {
  return ::fcntl(fd, F_DUPFD_CLOEXEC, 3);
}
ssize_t FileOps::write(int fd, const void* data, size_t size) {
  return ::write(fd, data, size);
}
off_t FileOps::seek(int fd, off_t offset) {
  return ::lseek(fd, offset, SEEK_SET);
}
int FileOps::fsync(int fd) {
  return ::fsync(fd);
}
int FileOps::close(int fd) {
  return ::close(fd);
}
int FileOps::rename(const char* from, const char* to) {
  return ::rename(from, to);
}
int FileOps::unlink(const char* path) {
  return ::unlink(path);
}

FileOps& FileOps::system() {
  static FileOps ops;
  return ops;
}

OutputFile::OutputFile(std::string path, FileOps& ops) : path_(std::move(path)), ops_(&ops) {
  if (is_standard_output(path_)) {
    fd_ = ops_->duplicate(STDOUT_FILENO);
  } else if (is_written_in_place(path_)) {
    fd_ = ops_->open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY, 0);
  } else {
    target_ = follow_links(path_);
    open_temporary();
  }
  if (fd_ < 0) fail(errno, "cannot write");
  if (!temporary_.empty()) copy_attributes();
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::exchange(other.temporary_, {})),
      ops_(other.ops_),
      fd_(std::exchange(other.fd_, -1)) {}

OutputFile::~OutputFile() {
  discard();
}

void OutputFile::open_temporary() {
  const std::string folder = folder_of(target_);
  for (int i = 0; i < kMaxTemporaries; ++i) {
    std::string name = temporary_name(folder, i);
    fd_ = ops_->open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kNewFileMode);
    if (fd_ >= 0) temporary_ = std::move(name);
    if (fd_ >= 0 || errno != EEXIST) return;
  }
}

void OutputFile::copy_attributes() {
  struct stat old;
  if (::stat(target_.c_str(), &old) != 0) return;
  // Only root may give files away; whoever else replaces a file becomes its owner.
  if (::fchown(fd_, old.st_uid, old.st_gid) != 0 && errno != EPERM) fail(errno, "cannot write");
  if (::fchmod(fd_, old.st_mode & kPermissionBits) != 0 && errno != EPERM) fail(errno, "cannot write");
}

void OutputFile::write(std::string_view data) {
  while (!data.empty()) {
    const ssize_t written = ops_->write(fd_, data.data(), data.size());
    if (written > 0) {
      data.remove_prefix(std::min(data.size(), static_cast<size_t>(written)));
    } else if (written == 0) {
      fail(EIO, "cannot write");
    } else if (errno == EAGAIN) {
      wait_until_writable(fd_);
    } else if (errno != EINTR) {
      fail(errno, "cannot write");
    }
  }
}

void OutputFile::seek(int64_t offset) {
  if (ops_->seek(fd_, offset) < 0) fail(errno, "cannot seek");
}

void OutputFile::finish() {
  if (fd_ < 0) return;
  // Pipes, terminals and some file systems have nothing to flush, and say so.
  while (!temporary_.empty() && ops_->fsync(fd_) != 0) {
    if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) break;
    if (errno != EINTR) fail(errno, "cannot flush");
  }
  // Closed even where close() fails; an interrupted one has nothing left to lose after the flush.
  if (ops_->close(std::exchange(fd_, -1)) != 0 && errno != EINTR) fail(errno, "cannot close");
}

void OutputFile::commit_partial() {
  path_ += kPartialSuffix;
  target_ = path_;
  commit();
}

void OutputFile::commit() {
  finish();
  if (temporary_.empty()) return;
  if (ops_->rename(temporary_.c_str(), target_.c_str()) != 0) fail(errno, "cannot rename to it");
  temporary_.clear();
}

void OutputFile::fail(int error, const char* doing) {
  discard();
  throw output_error(path_, doing, error);
}

void OutputFile::discard() noexcept {
  if (fd_ >= 0) ops_->close(std::exchange(fd_, -1));
  if (!temporary_.empty()) ops_->unlink(temporary_.c_str());
  temporary_.clear();
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

void write_outputs(const std::vector<OutputText>& outputs, FileOps& ops) {
  std::vector<OutputFile> files = finish_outputs(outputs, ops);
  for (OutputFile& file : files) file.commit();
}

}  // namespace vq::cli
