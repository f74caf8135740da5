// A library that is loaded before all others and makes one call of the program fail: the CAMBI_FAIL_AT-th
// (from 0) of those named by CAMBI_FAIL_CALL, with the errno CAMBI_FAIL_ERRNO; with CAMBI_FAIL_ON every later
// one as well. A "short write" or "short read" does half of it. With CAMBI_FAIL_SIGNAL no call fails, but the
// process gets that signal before it. The file CAMBI_FAIL_MARK is made where that happens. Calls are counted
// from the first sigaction() on, with which the program begins; of write() only those that are no messages,
// and with CAMBI_FAIL_OWN of allocations only those that the program's own code asks for, itself or by the
// C++ library. With CAMBI_FAIL_AFTER and CAMBI_FAIL_UNTIL those count that come after a file whose path ends
// with the first text was opened or got that name, and before one that ends with the second was or did. The
// file CAMBI_FAIL_TRACE gets the functions that led to the call, and those that led to a
// signal that ends the process.
#undef _FORTIFY_SOURCE  // with it headers define some of these calls themselves
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <new>

// Whether calls count now; failing_vulkan.cpp asks as well.
extern "C" bool failing_calls_count();

namespace {

std::atomic<bool> armed = false;
std::atomic<long> calls = 0;
std::atomic<bool> has_begun = false, is_over = false;  // what CAMBI_FAIL_AFTER and CAMBI_FAIL_UNTIL say
thread_local bool is_looking = false;                  // what walks the stack allocates as well

long number_from(const char* name) {
  const char* const text = getenv(name);
  return text ? strtol(text, nullptr, 10) : 0;
}

// Without open() and close(), which may be what is to fail. Returns a descriptor or -1.
long open_named_by(const char* variable) {
  const char* const path = getenv(variable);
  if (!path) return -1;
  return syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

void leave_mark() {
  const long fd = open_named_by("CAMBI_FAIL_MARK");
  if (fd >= 0) syscall(SYS_close, fd);
}

constexpr int kMostFunctions = 64;

void leave_trace() {
  const long fd = open_named_by("CAMBI_FAIL_TRACE");
  if (fd < 0) return;
  is_looking = true;
  void* functions[kMostFunctions];
  backtrace_symbols_fd(functions, backtrace(functions, kMostFunctions), static_cast<int>(fd));
  syscall(SYS_write, fd, "\n", 1);
  syscall(SYS_close, fd);
  is_looking = false;
}

void trace_and_die(int signal) {
  leave_trace();
  ::signal(signal, SIG_DFL);
  raise(signal);
}

// Who calls a function of this library. kLanguage: a C or C++ library, or this one.
enum class Caller { kProgram, kLibrary, kLanguage };

Caller owner_of(void* function) {
  dl_find_object object;
  if (_dl_find_object(function, &object) != 0) return Caller::kLibrary;  // compiled at run time
  const char* const name = object.dlfo_link_map->l_name;
  if (*name == 0) return Caller::kProgram;
  for (const char* language : {"failing_calls", "/libstdc++.so", "/libc.so"}) {
    if (strstr(name, language)) return Caller::kLanguage;
  }
  return Caller::kLibrary;
}

// Whether the innermost function that is not of a C or C++ library is the program's. Walking the stack takes
// long.
bool program_asks(void* caller) {
  if (const Caller owner = owner_of(caller); owner != Caller::kLanguage) return owner == Caller::kProgram;
  is_looking = true;
  void* functions[kMostFunctions];
  const int count = backtrace(functions, kMostFunctions);
  is_looking = false;
  for (int i = 0; i < count; ++i) {
    if (const Caller owner = owner_of(functions[i]); owner != Caller::kLanguage)
      return owner == Caller::kProgram;
  }
  return false;
}

void arm() {
  static std::atomic<bool> has_been = false;
  if (has_been.exchange(true)) return;
  void* function = nullptr;
  backtrace(&function, 1);  // loads what it needs before anything is counted
  if (getenv("CAMBI_FAIL_TRACE")) {
    for (const int signal : {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL}) ::signal(signal, trace_and_die);
  }
  armed = true;
}

bool is_named_by(const char* variable, const char* path) {
  const char* const end = getenv(variable);
  const size_t length = strlen(path), size = end ? strlen(end) : 0;
  return end && length >= size && strcmp(path + length - size, end) == 0;
}

void pass(const char* path) {
  if (is_named_by("CAMBI_FAIL_AFTER", path)) has_begun = true;
  if (is_named_by("CAMBI_FAIL_UNTIL", path) && failing_calls_count()) is_over = true;
}

bool fails(const char* call, void* caller = nullptr) {
  if (!armed || is_looking || !failing_calls_count()) return false;
  const char* const chosen = getenv("CAMBI_FAIL_CALL");
  if (!chosen || strcmp(chosen, call) != 0) return false;
  if (getenv("CAMBI_FAIL_OWN") && !program_asks(caller)) return false;
  const long number = calls++, at = number_from("CAMBI_FAIL_AT");
  if (number != at && (number < at || !getenv("CAMBI_FAIL_ON"))) return false;
  if (number == at) {
    leave_mark();
    leave_trace();
  }
  if (const long signal = number_from("CAMBI_FAIL_SIGNAL")) {
    kill(getpid(), static_cast<int>(signal));
    return false;
  }
  errno = static_cast<int>(number_from("CAMBI_FAIL_ERRNO"));
  return true;
}

// The function of that name that would have been called.
template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void* allocate(size_t size, void* caller) {
  static const auto kNext = next<void* (*)(size_t)>("malloc");
  return fails("malloc", caller) ? nullptr : kNext(size);
}

void* allocate_or_throw(size_t size, void* caller) {
  void* const memory = allocate(size > 0 ? size : 1, caller);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) { return allocate_or_throw(size, __builtin_return_address(0)); }
void* operator new[](size_t size) { return allocate_or_throw(size, __builtin_return_address(0)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return allocate(size > 0 ? size : 1, __builtin_return_address(0));
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return allocate(size > 0 ? size : 1, __builtin_return_address(0));
}

extern "C" {

bool failing_calls_count() { return !is_over && (has_begun || !getenv("CAMBI_FAIL_AFTER")); }

void* malloc(size_t size) { return allocate(size, __builtin_return_address(0)); }

void* realloc(void* memory, size_t size) {
  static const auto kNext = next<void* (*)(void*, size_t)>("realloc");
  return fails("malloc", __builtin_return_address(0)) ? nullptr : kNext(memory, size);
}

void* calloc(size_t count, size_t size) {
  static const auto kNext = next<void* (*)(size_t, size_t)>("calloc");
  return fails("malloc", __builtin_return_address(0)) ? nullptr : kNext(count, size);
}

void* aligned_alloc(size_t alignment, size_t size) {
  static const auto kNext = next<void* (*)(size_t, size_t)>("aligned_alloc");
  return fails("malloc", __builtin_return_address(0)) ? nullptr : kNext(alignment, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  static const auto kNext = next<int (*)(void**, size_t, size_t)>("posix_memalign");
  return fails("malloc", __builtin_return_address(0)) ? ENOMEM : kNext(memory, alignment, size);
}

int sigaction(int signal, const struct sigaction* action, struct sigaction* old) {
  static const auto kNext = next<int (*)(int, const struct sigaction*, struct sigaction*)>("sigaction");
  arm();
  return kNext(signal, action, old);
}

// What libraries do when they are loaded is not counted: some end the process where memory lacks.
void* dlopen(const char* name, int flags) {
  static const auto kNext = next<void* (*)(const char*, int)>("dlopen");
  if (fails("dlopen")) return kNext("libmissing.so", flags);
  const bool was_armed = armed.exchange(false);
  void* const library = kNext(name, flags);
  armed = was_armed;
  return library;
}

int open64(const char* path, int flags, ...) {
  static const auto kNext = next<int (*)(const char*, int, ...)>("open64");
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = (flags & O_CREAT) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  pass(path);
  return fails("open") ? -1 : kNext(path, flags, mode);
}

ssize_t read(int fd, void* data, size_t size) {
  static const auto kNext = next<ssize_t (*)(int, void*, size_t)>("read");
  if (fails("read")) return -1;
  return kNext(fd, data, size > 1 && fails("short read") ? size / 2 : size);
}

ssize_t write(int fd, const void* data, size_t size) {
  static const auto kNext = next<ssize_t (*)(int, const void*, size_t)>("write");
  if (fd > STDERR_FILENO && fails("write")) return -1;
  return kNext(fd, data, fd > STDERR_FILENO && size > 1 && fails("short write") ? size / 2 : size);
}

int fsync(int fd) {
  static const auto kNext = next<int (*)(int)>("fsync");
  return fails("fsync") ? -1 : kNext(fd);
}

// Closes all the same, as the system does.
int close(int fd) {
  static const auto kNext = next<int (*)(int)>("close");
  const int result = kNext(fd);
  return fails("close") ? -1 : result;
}

int rename(const char* from, const char* to) {
  static const auto kNext = next<int (*)(const char*, const char*)>("rename");
  const int result = fails("rename") ? -1 : kNext(from, to);
  if (result == 0) pass(to);
  return result;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto kNext = next<Create>("pthread_create");
  return fails("thread") ? EAGAIN : kNext(thread, attributes, run, argument);
}

}  // extern "C"
