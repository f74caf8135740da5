#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/system/files.h"
#include "cli/system/windows_handle.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr DWORD kStepMilliseconds = 10;  // between looks at a pipe

HANDLE handle_of(int descriptor) { return reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)); }

void set_errno(DWORD error = GetLastError()) { errno = errno_of(error); }

// From a count of 100 ns since 1601.
timespec time_of(int64_t count) {
  constexpr int64_t kPerSecond = 10'000'000, kSecondsTo1970 = 11'644'473'600;
  return {count / kPerSecond - kSecondsTo1970, static_cast<long>(count % kPerSecond * 100)};
}

// File systems that lack the long form, such as FAT, have the short one.
std::optional<FileIdentity> identity_of(HANDLE handle) {
  FILE_ID_INFO id;
  if (GetFileInformationByHandleEx(handle, FileIdInfo, &id, sizeof id)) {
    FileIdentity identity = {id.VolumeSerialNumber};
    static_assert(sizeof id.FileId == 2 * sizeof identity[1]);
    std::memcpy(&identity[1], &id.FileId, sizeof id.FileId);
    return identity;
  }
  BY_HANDLE_FILE_INFORMATION info;
  if (!GetFileInformationByHandle(handle, &info)) return std::nullopt;
  return FileIdentity{info.dwVolumeSerialNumber, info.nFileIndexLow, info.nFileIndexHigh};
}

std::optional<FileStatus> status_of_handle(HANDLE handle) {
  const DWORD type = GetFileType(handle);
  if (type == FILE_TYPE_PIPE) return FileStatus{.kind = FileKind::kPipe};
  if (type == FILE_TYPE_CHAR) return FileStatus{.kind = FileKind::kCharacterDevice};
  FILE_STANDARD_INFO size;
  FILE_BASIC_INFO times;
  const auto identity = identity_of(handle);
  if (!identity || !GetFileInformationByHandleEx(handle, FileStandardInfo, &size, sizeof size) ||
      !GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof times)) {
    set_errno();
    return std::nullopt;
  }
  return FileStatus{size.Directory ? FileKind::kFolder : FileKind::kFile, size.EndOfFile.QuadPart, *identity,
                    time_of(times.LastWriteTime.QuadPart)};
}

int descriptor_of(HANDLE handle) {
  return _open_osfhandle(reinterpret_cast<intptr_t>(handle), _O_BINARY | _O_NOINHERIT);
}

// It may be deleted while it is open.
int open_output(const std::string& path, DWORD access, DWORD disposition) {
  const HANDLE opened = CreateFileW(path_of(path).c_str(), access, FILE_SHARE_READ | FILE_SHARE_DELETE,
                                    nullptr, disposition, FILE_ATTRIBUTE_NORMAL, nullptr);
  if (opened != INVALID_HANDLE_VALUE) return descriptor_of(opened);
  set_errno();
  return -1;
}

}  // namespace

std::optional<FileStatus> file_status(const std::string& path, Links links) {
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  // Opening a pipe would take the place of its reader.
  if (path.starts_with(R"(\\.\pipe\)") || path.starts_with("//./pipe/"))
    return FileStatus{.kind = FileKind::kPipe};
  const DWORD itself = links == Links::kThemselves ? FILE_FLAG_OPEN_REPARSE_POINT : 0;
  const HANDLE opened = CreateFileW(path_of(path).c_str(), FILE_READ_ATTRIBUTES, kShared, nullptr,
                                    OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS | itself, nullptr);
  if (opened == INVALID_HANDLE_VALUE) {
    set_errno();
    return std::nullopt;
  }
  const Handle handle(opened);
  return status_of_handle(opened);
}

std::optional<FileStatus> file_status(int descriptor) { return status_of_handle(handle_of(descriptor)); }

std::vector<std::string> matching_paths(const std::string& pattern) {
  const std::filesystem::path folder = path_of(pattern).parent_path();
  const std::string wanted = text_of(path_of(pattern).filename());
  std::vector<std::string> paths;
  std::error_code error;
  for (std::filesystem::directory_iterator entry(folder.empty() ? "." : folder, error), end;
       !error && entry != end; entry.increment(error)) {
    const std::filesystem::path name = entry->path().filename();
    if (matches_pattern(text_of(name), wanted)) paths.push_back(text_of(folder / name));
  }
  return error ? std::vector<std::string>() : paths;
}

int open_to_read(const std::string& path) {
  const int descriptor = _wopen(path_of(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
  // Windows calls a folder one that may not be read.
  if (descriptor < 0 && errno == EACCES) {
    const auto status = file_status(path);
    errno = status && status->kind == FileKind::kFolder ? EISDIR : EACCES;
  }
  return descriptor;
}

int duplicate(int descriptor) {
  HANDLE copy = nullptr;
  const HANDLE own = handle_of(descriptor), self = GetCurrentProcess();
  if (!DuplicateHandle(self, own, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
    set_errno();
    return -1;
  }
  return descriptor_of(copy);
}

bool wait_until_readable(int descriptor, int milliseconds) {
  const HANDLE handle = handle_of(descriptor);
  const ULONGLONG start = GetTickCount64();
  for (;;) {
    DWORD available = 0;
    // If it cannot be asked it is read, which may wait.
    if (!PeekNamedPipe(handle, nullptr, 0, nullptr, &available, nullptr) || available > 0) return true;
    if (milliseconds >= 0 && GetTickCount64() - start >= static_cast<ULONGLONG>(milliseconds)) return false;
    Sleep(kStepMilliseconds);
  }
}

const char* LibraryName::here() const { return on_windows; }

// Standard streams have names of their own, and no folder has those of descriptors.
bool is_own_descriptor_folder(const std::filesystem::path&) { return false; }

bool is_open_for_writing(int descriptor) {
  DWORD none = 0;
  if (WriteFile(handle_of(descriptor), "", 0, &none, nullptr)) return true;
  const DWORD error = GetLastError();
  errno = EBADF;
  return error != ERROR_ACCESS_DENIED && error != ERROR_INVALID_HANDLE;
}

bool may_write(const std::string& path) {
  const DWORD attributes = GetFileAttributesW(path_of(path).c_str());
  const bool is_known = attributes != INVALID_FILE_ATTRIBUTES;
  if (is_known && (attributes & FILE_ATTRIBUTE_READONLY) == 0) return true;
  errno = EACCES;
  if (!is_known) set_errno();
  // Devices have no attributes.
  const auto status = is_known ? std::nullopt : file_status(path);
  return status && status->kind != FileKind::kFile;
}

int open_new(const std::string& path) { return open_output(path, GENERIC_WRITE, CREATE_NEW); }

int open_again(const std::string& path) { return open_output(path, GENERIC_WRITE, OPEN_EXISTING); }

int open_to_append(const std::string& path) { return open_output(path, FILE_APPEND_DATA, OPEN_ALWAYS); }

int open_in_place(const std::string& path) { return open_output(path, GENERIC_WRITE, OPEN_EXISTING); }

// Waits for the reader of a pipe whatever is asked: a second Ctrl-C ends the process.
int write_all(int descriptor, std::string_view data) {
  constexpr size_t kMostAtOnce = size_t{1} << 20;
  while (!data.empty()) {
    const int written =
        _write(descriptor, data.data(), static_cast<unsigned>(std::min(data.size(), kMostAtOnce)));
    if (written < 0) return GetLastError() == ERROR_NO_DATA ? EPIPE : errno;
    data.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

int flush(int descriptor) { return _commit(descriptor) == 0 ? 0 : errno; }

// Renames are in the file system's journal.
int flush_folder(const std::string&) { return 0; }

// A new file has the rights that its folder gives.
int copy_attributes(int, const std::string&) { return 0; }

int replace_file(const std::string& from, const std::string& to) {
  // Scanners and viewers hold a file for a moment.
  constexpr int kTries = 10;
  constexpr DWORD kPause = 200;
  const std::filesystem::path source = path_of(from), target = path_of(to);
  for (int i = 1;; ++i) {
    if (MoveFileExW(source.c_str(), target.c_str(), MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH))
      return 0;
    const DWORD error = GetLastError();
    const bool is_held = error == ERROR_ACCESS_DENIED || error == ERROR_SHARING_VIOLATION;
    set_errno(error);
    if (!is_held || i == kTries) return errno;
    Sleep(kPause);
  }
}

void remove_file(const char* path) noexcept {
  try {
    DeleteFileW(path_of(path).c_str());
  } catch (const std::exception&) {  // there is no memory for the name
    DeleteFileA(path);
  }
}

// Whoever makes files in a folder need not open it for that, so nobody but a holder of the lock does.
int lock_folder(const std::string& folder) {
  const HANDLE opened =
      CreateFileW(path_of(folder).c_str(), FILE_ADD_FILE, FILE_SHARE_READ | FILE_SHARE_DELETE, nullptr,
                  OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, nullptr);
  if (opened != INVALID_HANDLE_VALUE) return descriptor_of(opened);
  const DWORD error = GetLastError();
  set_errno(error);
  if (error == ERROR_SHARING_VIOLATION) errno = EWOULDBLOCK;
  return -1;
}

// Unlike a terminal, NUL has no mode.
bool is_terminal(int descriptor) {
  DWORD mode = 0;
  return GetConsoleMode(handle_of(descriptor), &mode) != 0;
}

int terminal_columns(int descriptor) {
  CONSOLE_SCREEN_BUFFER_INFO info;
  if (!GetConsoleScreenBufferInfo(handle_of(descriptor), &info)) return 0;
  return info.srWindow.Right - info.srWindow.Left + 1;
}

// From the program's own folder or the system's, never from the working folder.
void* library_function(const LibraryName& library, const char* name, std::string& reason) {
  const HMODULE opened = LoadLibraryExW(path_of(library.here()).c_str(), nullptr,
                                        LOAD_LIBRARY_SEARCH_APPLICATION_DIR | LOAD_LIBRARY_SEARCH_SYSTEM32);
  const auto function = opened != nullptr ? GetProcAddress(opened, name) : nullptr;
  if (function == nullptr)
    reason =
        words("{}: {}", library.here(), std::system_category().message(static_cast<int>(GetLastError())));
  return reinterpret_cast<void*>(function);
}

}  // namespace vq::cli
