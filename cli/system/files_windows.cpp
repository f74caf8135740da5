#include <fcntl.h>
#include <io.h>
#include <windows.h>

#include <cerrno>
#include <memory>
#include <system_error>

#include "cli/system/files.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr DWORD kStepMilliseconds = 10;  // between looks at a pipe

void set_errno() {
  const std::error_code error(static_cast<int>(GetLastError()), std::system_category());
  const std::error_condition meant = error.default_error_condition();
  errno = meant.category() == std::generic_category() ? meant.value() : EIO;
}

struct HandleCloser {
  void operator()(void* handle) const { CloseHandle(handle); }
};

// FILETIME counts 100 ns from 1601.
timespec time_of(const FILETIME& time) {
  constexpr int64_t kPerSecond = 10'000'000, kSecondsTo1970 = 11'644'473'600;
  const int64_t count = static_cast<int64_t>(time.dwHighDateTime) << 32 | time.dwLowDateTime;
  return {count / kPerSecond - kSecondsTo1970, static_cast<long>(count % kPerSecond * 100)};
}

std::optional<FileStatus> status_of_handle(HANDLE handle) {
  const DWORD type = GetFileType(handle);
  if (type == FILE_TYPE_PIPE) return FileStatus{.kind = FileKind::kPipe};
  if (type == FILE_TYPE_CHAR) return FileStatus{.kind = FileKind::kCharacterDevice};
  BY_HANDLE_FILE_INFORMATION info;
  if (!GetFileInformationByHandle(handle, &info)) {
    set_errno();
    return std::nullopt;
  }
  const auto joined = [](DWORD high, DWORD low) { return static_cast<uint64_t>(high) << 32 | low; };
  const bool is_folder = (info.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
  return FileStatus{is_folder ? FileKind::kFolder : FileKind::kFile,
                    static_cast<int64_t>(joined(info.nFileSizeHigh, info.nFileSizeLow)),
                    {info.dwVolumeSerialNumber, joined(info.nFileIndexHigh, info.nFileIndexLow)},
                    time_of(info.ftLastWriteTime)};
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
  const std::unique_ptr<void, HandleCloser> handle(opened);
  return status_of_handle(opened);
}

std::optional<FileStatus> file_status(int descriptor) {
  const intptr_t handle = _get_osfhandle(descriptor);
  if (handle == -1) return std::nullopt;
  return status_of_handle(reinterpret_cast<HANDLE>(handle));
}

int open_to_read(const std::string& path) {
  return _wopen(path_of(path).c_str(), _O_RDONLY | _O_BINARY | _O_NOINHERIT);
}

int duplicate(int descriptor) {
  HANDLE copy = nullptr;
  const HANDLE own = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor)), self = GetCurrentProcess();
  if (!DuplicateHandle(self, own, self, &copy, 0, FALSE, DUPLICATE_SAME_ACCESS)) {
    set_errno();
    return -1;
  }
  return _open_osfhandle(reinterpret_cast<intptr_t>(copy), _O_BINARY | _O_NOINHERIT);
}

bool wait_until_readable(int descriptor, int milliseconds) {
  const HANDLE handle = reinterpret_cast<HANDLE>(_get_osfhandle(descriptor));
  const ULONGLONG start = GetTickCount64();
  for (;;) {
    DWORD available = 0;
    // What cannot be asked is read, which may wait.
    if (!PeekNamedPipe(handle, nullptr, 0, nullptr, &available, nullptr) || available > 0) return true;
    if (milliseconds >= 0 && GetTickCount64() - start >= static_cast<ULONGLONG>(milliseconds)) return false;
    Sleep(kStepMilliseconds);
  }
}

const char* LibraryName::here() const {
  return on_windows;
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
