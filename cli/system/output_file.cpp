#include "cli/system/output_file.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "cli/system/messages.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr mode_t kNewFileMode = 0666, kNewFolderMode = 0777;  // less what umask takes
constexpr mode_t kPermissionBits = 0777;
constexpr int kMostTries = 100;

bool is_pipe(const std::string& path) {
  struct stat status;
  return ::stat(path.c_str(), &status) == 0 && S_ISFIFO(status.st_mode);
}

// Short and not made from the target's name, which may be as long as a name can be.
std::string temporary_name(const std::string& folder) {
  uint32_t number = 0;
  (void)!::getrandom(&number, sizeof number, 0);
  return words("{}/.cambi-{}.tmp", folder, number);
}

// Returns 0 or errno. Pipes, terminals and some file systems have nothing to flush, and say so.
int flush(int fd) {
  while (::fsync(fd) != 0) {
    if (errno == EINVAL || errno == ENOSYS || errno == ENOTSUP) return 0;
    if (errno != EINTR) return errno;
  }
  return 0;
}

// A folder that may not be read cannot be flushed either.
void flush_folder(const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0 && errno == EACCES) return;
  const int error = fd < 0 ? errno : flush(fd);
  if (fd >= 0) ::close(fd);
  if (error != 0) throw output_error(folder, "cannot flush the folder", error);
}

std::string file_line(const OutputFile& file) {
  return words("{} ({})", shown_path(file.path()), bytes_text(file.bytes()));
}

// The pictures of a run differ in the number of the frame only.
std::string pictures_line(const std::vector<const OutputFile*>& pictures) {
  const auto by_path = [](const OutputFile* a, const OutputFile* b) { return a->path() < b->path(); };
  const auto [first, last] = std::minmax_element(pictures.begin(), pictures.end(), by_path);
  int64_t bytes = 0;
  for (const OutputFile* picture : pictures) bytes += picture->bytes();
  return words("{} pictures, {} to {} ({})", pictures.size(), shown_path((*first)->path()),
               shown_path((*last)->path()), bytes_text(bytes));
}

}  // namespace

OutputFile::OutputFile(std::string path, Place place)
    : path_(std::move(path)), target_(place == Place::kFollowed ? follow_links(path_) : path_) {
  const bool in_place = place == Place::kFollowed && is_written_in_place(path_);
  fd_ = in_place ? open_in_place() : open_temporary();
  if (fd_ < 0) fail(errno, "cannot write");
  if (!in_place && place != Place::kLater) copy_attributes();
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      target_(std::move(other.target_)),
      temporary_(std::move(other.temporary_)),
      fd_(std::exchange(other.fd_, -1)),
      finished_(other.finished_),
      failed_(other.failed_),
      offset_(other.offset_),
      bytes_(other.bytes_) {}

OutputFile::~OutputFile() {
  discard();
}

// -1 and errno if that fails, as the next.
int OutputFile::open_in_place() {
  if (const std::optional<int> descriptor = descriptor_of(path_))
    return ::fcntl(*descriptor, F_DUPFD_CLOEXEC, 3);
  // Opening a pipe waits for its reader, where no signal would be heard; O_NONBLOCK fails instead.
  for (;;) {
    const int fd = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd >= 0 || (errno != EINTR && !(errno == ENXIO && is_pipe(path_)))) return fd;
    if (interrupt_signal() != 0) {
      errno = ECANCELED;
      return -1;
    }
    ::poll(nullptr, 0, kWaitMilliseconds);
  }
}

int OutputFile::open_temporary() {
  for (int i = 0; i < kMostTries; ++i) {
    temporary_.set(temporary_name(folder_of(target_)));
    const int fd =
        ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, kNewFileMode);
    if (fd >= 0) return fd;
    temporary_.clear();
    if (errno != EEXIST) return fd;
  }
  return -1;
}

void OutputFile::copy_attributes() {
  struct stat old;
  if (::stat(target_.c_str(), &old) != 0 || !S_ISREG(old.st_mode)) return;
  // Only root may give files away; whoever else replaces a file becomes its owner.
  if (::fchown(fd_, old.st_uid, old.st_gid) != 0 && errno != EPERM) fail(errno, "cannot write");
  if (::fchmod(fd_, old.st_mode & kPermissionBits) != 0 && errno != EPERM) fail(errno, "cannot write");
}

void OutputFile::write(std::string_view data) {
  if (const int error = write_all(fd_, data)) fail(error, "cannot write");
  offset_ += static_cast<int64_t>(data.size());
  bytes_ = std::max(bytes_, offset_);
}

void OutputFile::seek(int64_t offset) {
  if (::lseek(fd_, offset, SEEK_SET) < 0) fail(errno, "cannot seek");
  offset_ = offset;
}

void OutputFile::close() {
  // Closed even if close() fails; an interrupted one has nothing left to lose.
  if (fd_ >= 0 && ::close(std::exchange(fd_, -1)) != 0 && errno != EINTR) fail(errno, "cannot close");
}

void OutputFile::finish() {
  if (failed_) throw output_error(path_, "cannot write", EIO);
  if (std::exchange(finished_, true)) return;
  if (is_pending()) {
    if (fd_ < 0) fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (const int error = fd_ < 0 ? errno : flush(fd_)) fail(error, "cannot flush");
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

// Throws for what would make put_in_place() fail, as far as that can be known.
void OutputFile::check_place() {
  struct stat status;
  if (::lstat(temporary_.c_str(), &status) != 0) fail(errno, "cannot rename to it");
  if (::lstat(target_.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
    throw output_error(path_, "cannot rename to it", EISDIR);
}

void OutputFile::put_in_place() {
  if (::rename(temporary_.c_str(), target_.c_str()) != 0)
    throw output_error(path_, "cannot rename to it", errno);
  temporary_.clear();
}

void OutputFile::fail(int error, const char* doing) {
  failed_ = true;
  discard();
  if (error == EPIPE && is_standard_output(path_)) throw ClosedPipe();
  throw output_error(path_, doing, error);
}

void OutputFile::discard() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (is_pending()) ::unlink(temporary_.c_str());
  temporary_.clear();
}

void commit_outputs(const std::vector<OutputFile*>& files) {
  std::vector<OutputFile*> pending;
  for (OutputFile* file : files) {
    file->finish();
    if (file->is_pending()) pending.push_back(file);
  }
  for (OutputFile* file : pending) file->check_place();
  std::set<std::string> folders;
  for (OutputFile* file : pending) {
    file->put_in_place();
    folders.insert(folder_of(file->target_));
  }
  for (const std::string& folder : folders) flush_folder(folder);
}

std::vector<OutputFile*> pointers_to(std::vector<OutputFile>& files) {
  std::vector<OutputFile*> all;
  for (OutputFile& file : files) all.push_back(&file);
  return all;
}

std::vector<OutputFile> finish_outputs(const std::vector<OutputText>& outputs) {
  std::vector<OutputFile> files;
  files.reserve(outputs.size());
  for (const bool in_place : {false, true}) {
    for (const OutputText& output : outputs) {
      if (is_written_in_place(output.path) != in_place) continue;
      try {
        files.emplace_back(output.path);
        output.write_to(files.back());
        files.back().finish();
      } catch (const ClosedPipe&) {  // the other results are still wanted
        if (outputs.size() == 1) throw;
        files.pop_back();
      }
    }
  }
  return files;
}

std::vector<OutputFile> write_outputs(const std::vector<OutputText>& outputs) {
  std::vector<OutputFile> files = finish_outputs(outputs);
  commit_outputs(pointers_to(files));
  return files;
}

std::vector<std::string> written_lines(const std::string& verb, const std::vector<OutputFile*>& files) {
  std::vector<std::string> lines;
  std::vector<const OutputFile*> pictures;
  for (const OutputFile* file : files) {
    if (is_written_in_place(file->path())) continue;
    if (file->path().ends_with(".png")) {
      pictures.push_back(file);
    } else {
      lines.push_back(words("{} {}", verb, file_line(*file)));
    }
  }
  if (pictures.size() == 1) lines.push_back(words("{} {}", verb, file_line(*pictures.front())));
  if (pictures.size() > 1) lines.push_back(words("{} {}", verb, pictures_line(pictures)));
  return lines;
}

void tell_written(const std::string& verb, std::vector<OutputFile> files, Messages& messages) {
  for (const std::string& line : written_lines(verb, pointers_to(files))) messages.note(line);
}

OutputFolder::OutputFolder(std::string path) : path_(std::move(path)) {
  made_ = ::mkdir(path_.c_str(), kNewFolderMode) == 0;
  if (made_) return;
  if (errno != EEXIST) throw output_error(path_, "cannot make the folder", errno);
  struct stat status = {};
  if (::stat(path_.c_str(), &status) != 0) throw output_error(path_, "cannot use the folder", errno);
  if (!S_ISDIR(status.st_mode)) throw output_error(path_, "cannot write into it", ENOTDIR);
}

OutputFolder::~OutputFolder() {
  unlock();
  if (made_) ::rmdir(path_.c_str());
}

void OutputFolder::lock() {
  if (lock_ >= 0) return;
  lock_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  while (lock_ >= 0 && ::flock(lock_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK &&
         interrupt_signal() == 0)
    ::poll(nullptr, 0, kWaitMilliseconds);
}

void OutputFolder::unlock() {
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
}

namespace {

void check_descriptor(const std::string& path, int descriptor) {
  const char* const doing = descriptor == STDOUT_FILENO ? "standard output" : "cannot write";
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) throw output_error(path, doing, errno);
  if ((flags & O_ACCMODE) == O_RDONLY) throw output_error(path, doing, EBADF);
}

[[noreturn]] void refuse(const std::string& path, const char* what) {
  throw Error(ErrorKind::kOutput,
              words("{}: cannot write: {}. Try: the name of a file", shown_path(path), what));
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
    names.push_back({output.path, words("the output {}", path)});
    if (partial.empty()) continue;
    names.push_back({output.partial, words("{}, which is left of {} if the run ends early,", partial, path)});
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

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return;
  throw Error(ErrorKind::kOutput,
              words("{}: cannot make the folder: {}", shown_path(folder), error.message()));
}

void check_distinct(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs) {
  const std::vector<Name> names = names_of(outputs);
  for (size_t i = 0; i < names.size(); ++i) {
    for (const std::string& input : inputs) {
      if (!same_file(names[i].path, is_standard_input(input) ? "/dev/stdin" : input)) continue;
      throw Error(ErrorKind::kUsage,
                  words("{} is the same file as the input {}.", names[i].shown, shown_path(input)));
    }
    for (size_t j = 0; j < i; ++j) {
      if (!same_file(names[i].path, names[j].path)) continue;
      throw Error(ErrorKind::kUsage, words("{} and {} are the same file.", names[j].shown, names[i].shown));
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

namespace {

std::mutex all_paths_mutex;
TemporaryPath* all_paths = nullptr;  // with the mutex

}  // namespace

TemporaryPath::TemporaryPath(TemporaryPath&& other) noexcept {
  std::string path;
  other.swap(path);
  swap(path);
}

TemporaryPath::~TemporaryPath() {
  clear();
}

void TemporaryPath::set(std::string path) {
  swap(path);
}

void TemporaryPath::clear() noexcept {
  std::string none;
  swap(none);
}

void TemporaryPath::swap(std::string& path) noexcept {
  const std::lock_guard lock(all_paths_mutex);
  path_.swap(path);
  const bool is_listed = to_this_ != nullptr;
  if (is_listed == !path_.empty()) return;
  if (is_listed) {
    *to_this_ = next_;
    if (next_ != nullptr) next_->to_this_ = to_this_;
    next_ = nullptr;
    to_this_ = nullptr;
  } else {
    next_ = all_paths;
    to_this_ = &all_paths;
    if (next_ != nullptr) next_->to_this_ = &next_;
    all_paths = this;
  }
}

void remove_temporary_files() noexcept {
  all_paths_mutex.lock();
  for (const TemporaryPath* path = all_paths; path != nullptr; path = path->next_) ::unlink(path->c_str());
}

}  // namespace vq::cli
