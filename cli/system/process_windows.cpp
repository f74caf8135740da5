#include <fcntl.h>
#include <io.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <system_error>
#include <vector>

#include "cli/system/process.h"
#include "cli/system/windows_handle.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {
namespace {

std::atomic<int> caught_signal = 0;
constexpr int kHangUp = 1;  // the number that SIGHUP has elsewhere

// On a thread of its own.
BOOL WINAPI on_control(DWORD event) {
  const bool is_asked = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
  int none = 0;
  const bool is_first = caught_signal.compare_exchange_strong(none, is_asked ? SIGINT : kHangUp);
  if (is_asked && !is_first)
    TerminateProcess(GetCurrentProcess(), static_cast<UINT>(interrupt_exit_code(caught_signal)));
  // A window is closed, or the session ends: some seconds are left, but only until this returns.
  if (!is_asked) Sleep(INFINITE);
  return TRUE;
}

// The word as the C library of the other program reads it: quotes, and backslashes before them, are escaped.
std::wstring quoted(const std::wstring& word) {
  if (!word.empty() && word.find_first_of(L" \t\n\v\"") == word.npos) return word;
  std::wstring text = L"\"";
  size_t slashes = 0;
  for (const wchar_t c : word) {
    if (c == L'"') text.append(slashes + 1, L'\\');
    slashes = c == L'\\' ? slashes + 1 : 0;
    text += c;
  }
  return text.append(slashes, L'\\') + L"\"";
}

std::wstring command_line(const std::vector<std::string>& words) {
  std::wstring line;
  for (const std::string& word : words) line += (line.empty() ? L"" : L" ") + quoted(path_of(word).native());
  return line;
}

// A program that was started, with those that it starts. They end with this object, and so with this process.
class OtherProgram {
 public:
  // `path` is null for a program that the system looks for by the first word. With streams, standard input,
  // standard output and standard error, it gets no other handles, and the console's events do not reach it.
  // Throws std::system_error.
  OtherProgram(const wchar_t* path, const std::vector<std::string>& words, std::vector<HANDLE> streams) {
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
    limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
    SetInformationJobObject(job_.get(), JobObjectExtendedLimitInformation, &limits, sizeof limits);
    STARTUPINFOEXW start = {};
    start.StartupInfo.cb = sizeof start;
    DWORD flags = CREATE_SUSPENDED;
    SIZE_T bytes = 0;
    InitializeProcThreadAttributeList(nullptr, 1, 0, &bytes);
    std::vector<char> attributes(bytes);
    if (!streams.empty()) {
      flags |= CREATE_NEW_PROCESS_GROUP | EXTENDED_STARTUPINFO_PRESENT;
      start.StartupInfo.dwFlags = STARTF_USESTDHANDLES;
      start.StartupInfo.hStdInput = streams[0];
      start.StartupInfo.hStdOutput = streams[1];
      start.StartupInfo.hStdError = streams[2];
      std::sort(streams.begin(), streams.end());
      streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
      start.lpAttributeList = reinterpret_cast<LPPROC_THREAD_ATTRIBUTE_LIST>(attributes.data());
      InitializeProcThreadAttributeList(start.lpAttributeList, 1, 0, &bytes);
      UpdateProcThreadAttribute(start.lpAttributeList, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, streams.data(),
                                streams.size() * sizeof streams[0], nullptr, nullptr);
    }
    std::wstring line = command_line(words);
    PROCESS_INFORMATION started = {};
    if (!CreateProcessW(path, line.data(), nullptr, nullptr, TRUE, flags, nullptr, nullptr,
                        &start.StartupInfo, &started))
      throw std::system_error(errno_of(GetLastError()), std::generic_category());
    process_.reset(started.hProcess);
    const Handle thread(started.hThread);
    AssignProcessToJobObject(job_.get(), process_.get());
    ResumeThread(thread.get());
  }

  // Also of what cannot be waited for, as a program of Linux in Wine.
  bool has_ended(DWORD milliseconds) const {
    return WaitForSingleObject(process_.get(), milliseconds) != WAIT_TIMEOUT;
  }
  void end() const { TerminateJobObject(job_.get(), static_cast<UINT>(interrupt_exit_code(SIGTERM))); }
  // Needs: it has ended.
  int exit_code() const {
    DWORD code = 0;
    GetExitCodeProcess(process_.get(), &code);
    return static_cast<int>(code);
  }

 private:
  Handle job_{CreateJobObjectW(nullptr, nullptr)};
  Handle process_;
};

// The limit of the job that this process is in.
int64_t job_limit() {
  JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {};
  if (!QueryInformationJobObject(nullptr, JobObjectExtendedLimitInformation, &limits, sizeof limits, nullptr))
    return INT64_MAX;
  const DWORD flags = limits.BasicLimitInformation.LimitFlags;
  int64_t least = INT64_MAX;
  if (flags & JOB_OBJECT_LIMIT_PROCESS_MEMORY) least = static_cast<int64_t>(limits.ProcessMemoryLimit);
  if (flags & JOB_OBJECT_LIMIT_JOB_MEMORY)
    least = std::min(least, static_cast<int64_t>(limits.JobMemoryLimit));
  return least;
}

// The console as it was found, for other programs.
UINT code_page_before = 0;

}  // namespace

void prepare_process() {
  // No dialog asks for a disk that is missing.
  SetErrorMode(SEM_FAILCRITICALERRORS);
  // No library, such as Vulkan's loader, comes from the working folder.
  SetDllDirectoryW(L"");
  for (const int stream : {0, 1, 2}) {
    // The same as elsewhere: standard output only for reading, so that writing a report there fails.
    if (_get_osfhandle(stream) < 0) (void)_wopen(L"NUL", stream == 2 ? _O_WRONLY : _O_RDONLY);
    _setmode(stream, _O_BINARY);
    const HANDLE handle = reinterpret_cast<HANDLE>(_get_osfhandle(stream));
    DWORD mode = 0;
    if (stream == 0 || !GetConsoleMode(handle, &mode)) continue;
    SetConsoleMode(handle, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING);
    if (code_page_before != 0) continue;
    code_page_before = GetConsoleOutputCP();
    SetConsoleOutputCP(CP_UTF8);
    std::atexit([] { SetConsoleOutputCP(code_page_before); });
  }
}

void install_signal_handlers() { SetConsoleCtrlHandler(on_control, TRUE); }

// Programs that are started have the console's events from their start on.
void block_stopping_signals() {}

int interrupt_signal() { return caught_signal; }

int64_t default_memory_limit() {
  MEMORYSTATUSEX status = {};
  status.dwLength = sizeof status;
  if (!GlobalMemoryStatusEx(&status)) return job_limit() / 4 * 3;
  const auto free = static_cast<int64_t>(std::min(status.ullAvailPhys, status.ullAvailPageFile));
  return std::min(free, job_limit()) / 4 * 3;
}

void return_freed_memory() { _heapmin(); }

void lower_other_threads() {}
void lower_this_thread() {}

int run_other_program(const std::vector<std::string>& words, const std::string& log, const StopToken& stop) {
  SECURITY_ATTRIBUTES inherited = {};
  inherited.nLength = sizeof inherited;
  inherited.bInheritHandle = TRUE;
  constexpr DWORD kShared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
  const Handle input =
      owned(CreateFileW(L"NUL", GENERIC_READ, kShared, &inherited, OPEN_EXISTING, 0, nullptr));
  const Handle output = owned(CreateFileW(path_of(log).c_str(), FILE_APPEND_DATA, kShared, &inherited,
                                          OPEN_ALWAYS, FILE_ATTRIBUTE_NORMAL, nullptr));
  if (!input || !output)
    throw Error(ErrorKind::kOutput,
                vq::words("{}: cannot write: {}", shown_path(log), errno_text(errno_of(GetLastError()))));
  try {
    const OtherProgram other(nullptr, words, {input.get(), output.get(), output.get()});
    while (!other.has_ended(kWaitMilliseconds)) {
      if (stop.is_requested()) other.end();
    }
    return other.exit_code();
  } catch (const std::system_error& error) {
    throw cannot_start(words[0], error.code().value());
  }
}

std::filesystem::path own_program() {
  std::wstring path(32768, L'\0');  // the longest there is
  path.resize(GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size())));
  return path;
}

void check_can_become(std::string_view program) {
  if (program == "cambi-submit")
    throw Error(ErrorKind::kUsage, "submit needs Linux. Here, run the shards of a plan by cambi shard.");
}

void set_variable(const char* name, const std::string& value) {
  _wputenv_s(path_of(name).c_str(), path_of(value).c_str());
}

int become_program(const std::filesystem::path& folder, const std::string& name,
                   const std::vector<std::string>& words) {
  std::vector<std::string> all = {name};
  all.insert(all.end(), words.begin(), words.end());
  const std::filesystem::path beside = folder / path_of(name + ".exe");
  std::error_code error;
  const bool is_beside = std::filesystem::exists(beside, error);
  try {
    const OtherProgram other(is_beside ? beside.c_str() : nullptr, all, {});
    while (!other.has_ended(INFINITE)) {
    }
    std::exit(other.exit_code());
  } catch (const std::system_error& failure) {
    return failure.code().value();
  }
}

WorkFolder::WorkFolder() {
  std::error_code error;
  const std::filesystem::path temporary = std::filesystem::temp_directory_path(error);
  if (error) throw Error(ErrorKind::kOutput, words("no folder for temporary files: {}", error.message()));
  // The user's own, which others cannot read.
  bool is_made = false;
  while (!is_made && !error) {
    path_ = text_of(temporary / path_of(words("cambi-{}", std::random_device()())));
    is_made = std::filesystem::create_directory(path_of(path_), error);
  }
  if (error)
    throw Error(ErrorKind::kOutput,
                words("{}: cannot make a folder: {}", shown_path(path_), error.message()));
}

}  // namespace vq::cli
