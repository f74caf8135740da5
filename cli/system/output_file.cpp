#include "cli/system/output_file.h"

#include <unistd.h>

#include <random>

#include "cli/system/messages.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/number_text.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {

constexpr int kMostTries = 100;

static std::string file_line(const OutputFile& file) {
  return words("{} ({})", shown_path(file.path()), bytes_text(file.bytes()));
}

// The pictures of a run differ in the number of the frame only.
static std::string pictures_line(const std::vector<const OutputFile*>& pictures) {
  const auto by_path = [](const OutputFile* a, const OutputFile* b) { return a->path() < b->path(); };
  const auto [first, last] = std::minmax_element(pictures.begin(), pictures.end(), by_path);
  int64_t bytes = 0;
  for (const OutputFile* picture : pictures) bytes += picture->bytes();
  return words("{} pictures, {} to {} ({})", pictures.size(), shown_path((*first)->path()),
               shown_path((*last)->path()), bytes_text(bytes));
}

static std::mutex paths_mutex;
// With the mutex, and for as long as a thread runs.
static auto& temporary_paths = *new std::set<const std::string*>();

// Known before there is a file.
static TemporaryPath known_path(std::string path) {
  auto own = std::make_unique<const std::string>(std::move(path));
  const std::lock_guard lock(paths_mutex);
  temporary_paths.insert(own.get());
  return TemporaryPath(own.release());
}

void ForgetPath::operator()(const std::string* path) const noexcept {
  const std::lock_guard lock(paths_mutex);
  temporary_paths.erase(path);
  delete path;
}

OutputFile::OutputFile(std::string path, Place place)
    : path_(std::move(path)), target_(place == Place::kFollowed ? follow_links(path_) : path_) {
  const bool in_place = place == Place::kFollowed && is_written_in_place(path_);
  const std::optional<int> descriptor = in_place ? descriptor_of(path_) : std::nullopt;
  fd_ = descriptor ? duplicate(*descriptor) : in_place ? open_in_place(path_) : open_temporary();
  if (fd_ < 0) fail(errno, "cannot write");
  if (in_place || place == Place::kLater) return;
  if (const int error = copy_attributes(fd_, target_)) fail(error, "cannot write");
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

OutputFile::~OutputFile() { discard(); }

// -1 and errno if that fails.
int OutputFile::open_temporary() {
  for (int i = 0; i < kMostTries; ++i) {
    // Short and not made from the target's name, which may be as long as a name can be.
    temporary_ = known_path(words("{}/.cambi-{}.tmp", folder_of(target_), std::random_device()()));
    const int fd = open_new(*temporary_);
    if (fd >= 0) return fd;
    temporary_.reset();
    if (errno != EEXIST) return fd;
  }
  return -1;
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
    if (fd_ < 0) fd_ = open_again(*temporary_);
    if (const int error = fd_ < 0 ? errno : flush(fd_)) fail(error, "cannot flush");
  }
  close();
}

void OutputFile::move_to(const std::string& path) { path_ = target_ = path; }

void OutputFile::commit() { commit_outputs({this}); }

void OutputFile::fail(int error, const char* doing) {
  failed_ = true;
  discard();
  if (error == EPIPE && is_standard_output(path_)) throw ClosedPipe();
  throw output_error(path_, doing, error);
}

void OutputFile::discard() noexcept {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  if (is_pending()) remove_file(temporary_->c_str());
  temporary_.reset();
}

void commit_outputs(const std::vector<OutputFile*>& files) {
  std::vector<OutputFile*> pending;
  for (OutputFile* file : files) {
    file->finish();
    if (file->is_pending()) pending.push_back(file);
  }
  constexpr const char* kRenaming = "cannot rename to it";
  for (OutputFile* file : pending) {
    if (!file_status(*file->temporary_, Links::kThemselves)) file->fail(errno, kRenaming);
    const auto status = file_status(file->target_, Links::kThemselves);
    if (status && status->kind == FileKind::kFolder) throw output_error(file->path_, kRenaming, EISDIR);
  }
  std::set<std::string> folders;
  for (OutputFile* file : pending) {
    if (const int error = replace_file(*file->temporary_, file->target_))
      throw output_error(file->path_, kRenaming, error);
    file->temporary_.reset();
    folders.insert(folder_of(file->target_));
  }
  for (const std::string& folder : folders) {
    if (const int error = flush_folder(folder)) throw output_error(folder, "cannot flush the folder", error);
  }
}

std::vector<OutputFile*> pointers_to(std::vector<OutputFile>& files) {
  return mapped(files, [](OutputFile& file) { return &file; });
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

OutputFolder::OutputFolder(std::string path) : path_(std::move(path)) {
  std::error_code error;
  made_ = std::filesystem::create_directory(path_of(path_), error);
  if (error == std::errc::file_exists) throw output_error(path_, "cannot write into it", ENOTDIR);
  if (error) throw output_error(path_, "cannot make the folder", error.value());
}

OutputFolder::~OutputFolder() {
  unlock();
  std::error_code ignored;
  if (made_) std::filesystem::remove(path_of(path_), ignored);
}

void OutputFolder::lock() {
  while (lock_ < 0 && (lock_ = lock_folder(path_)) < 0 && errno == EWOULDBLOCK && interrupt_signal() == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(kWaitMilliseconds));
}

void OutputFolder::unlock() {
  if (lock_ >= 0) ::close(std::exchange(lock_, -1));
}

namespace {

[[noreturn]] void refuse(const std::string& path, const char* what) {
  throw Error(ErrorKind::kOutput, "{}: cannot write: {}. Try: the name of a file", shown_path(path), what);
}

void check_kind(const std::string& path, FileKind kind) {
  if (kind == FileKind::kFolder) refuse(path, "is a folder");
  if (kind == FileKind::kSocket) refuse(path, "is a socket");
  if (kind == FileKind::kBlockDevice) refuse(path, "is a block device");
  if (!may_write(path)) throw output_error(path, "cannot write", errno);
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
  if (const std::optional<int> descriptor = descriptor_of(path)) {
    if (is_open_for_writing(*descriptor)) return;
    throw output_error(path, *descriptor == STDOUT_FILENO ? "standard output" : "cannot write", errno);
  }
  const auto status = status_of(path);
  if (status) check_kind(path, status->kind);
  // A name that ends in a slash can only be a folder's.
  if (!status && errno == ENOENT && !path_of(path).has_filename())
    throw output_error(path, "cannot write", EISDIR);
  if (!status && errno != ENOENT) throw output_error(path, "cannot write", errno);
  // Only making a file tells whether one can be made.
  if (!is_written_in_place(path)) OutputFile probe(path);
}

void check_replaceable(const std::string& path) {
  const auto status = file_status(path, Links::kThemselves);
  if (!status || status->kind == FileKind::kFile || status->kind == FileKind::kLink) return;
  refuse(path, status->kind == FileKind::kFolder ? "is a folder"
               : status->kind == FileKind::kPipe ? "is a pipe"
                                                 : "is no file");
}

void make_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(path_of(folder), error);
  if (!error) return;
  throw Error(ErrorKind::kOutput, "{}: cannot make the folder: {}", shown_path(folder), error.message());
}

void check_distinct(const std::vector<OutputPlace>& outputs, const std::vector<std::string>& inputs) {
  const std::vector<Name> names = names_of(outputs);
  for (size_t i = 0; i < names.size(); ++i) {
    for (const std::string& input : inputs) {
      if (!same_file(names[i].path, is_standard_input(input) ? "/dev/stdin" : input)) continue;
      throw usage_error("{} is the same file as the input {}.", names[i].shown, shown_path(input));
    }
    for (size_t j = 0; j < i; ++j) {
      if (!same_file(names[i].path, names[j].path)) continue;
      throw usage_error("{} and {} are the same file.", names[j].shown, names[i].shown);
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
  check_outputs(mapped(outputs, [](const std::string& path) { return OutputPlace{path}; }), inputs);
}

void remove_temporary_files() noexcept {
  paths_mutex.lock();
  for (const std::string* path : temporary_paths) remove_file(path->c_str());
}

}  // namespace vq::cli
