// A library that is loaded before all others and makes one call of the program fail: the CAMBI_FAIL_AT-th
// (from 0) of those named by CAMBI_FAIL_CALL, with the errno CAMBI_FAIL_ERRNO; with CAMBI_FAIL_ON every later
// one as well. The file CAMBI_FAIL_MARK is made where that happens. Calls are counted from the first
// sigaction() on, with which the program begins; of write() only those that are no messages.
#include <dlfcn.h>
#include <fcntl.h>
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
#include <new>

namespace {

std::atomic<bool> armed = false;
std::atomic<long> calls = 0;

long number_from(const char* name) {
  const char* const text = getenv(name);
  return text ? strtol(text, nullptr, 10) : 0;
}

// Without open() and close(), which may be what is to fail.
void leave_mark() {
  const char* const path = getenv("CAMBI_FAIL_MARK");
  if (!path) return;
  const long fd = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  if (fd >= 0) syscall(SYS_close, fd);
}

bool fails(const char* call) {
  if (!armed) return false;
  const char* const chosen = getenv("CAMBI_FAIL_CALL");
  if (!chosen || strcmp(chosen, call) != 0) return false;
  const long number = calls++, at = number_from("CAMBI_FAIL_AT");
  if (number != at && (number < at || !getenv("CAMBI_FAIL_ON"))) return false;
  if (number == at) leave_mark();
  errno = static_cast<int>(number_from("CAMBI_FAIL_ERRNO"));
  return true;
}

// The function of that name that would have been called.
template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void* allocate(size_t size) {
  static const auto kNext = next<void* (*)(size_t)>("malloc");
  return fails("malloc") ? nullptr : kNext(size);
}

void* allocate_or_throw(size_t size) {
  void* const memory = allocate(size > 0 ? size : 1);
  if (!memory) throw std::bad_alloc();
  return memory;
}

}  // namespace

void* operator new(size_t size) {
  return allocate_or_throw(size);
}
void* operator new[](size_t size) {
  return allocate_or_throw(size);
}
void* operator new(size_t size, const std::nothrow_t&) noexcept {
  return allocate(size > 0 ? size : 1);
}
void* operator new[](size_t size, const std::nothrow_t&) noexcept {
  return allocate(size > 0 ? size : 1);
}

extern "C" {

void* malloc(size_t size) {
  return allocate(size);
}

void* realloc(void* memory, size_t size) {
  static const auto kNext = next<void* (*)(void*, size_t)>("realloc");
  return fails("malloc") ? nullptr : kNext(memory, size);
}

int posix_memalign(void** memory, size_t alignment, size_t size) {
  static const auto kNext = next<int (*)(void**, size_t, size_t)>("posix_memalign");
  return fails("malloc") ? ENOMEM : kNext(memory, alignment, size);
}

int sigaction(int signal, const struct sigaction* action, struct sigaction* old) {
  static const auto kNext = next<int (*)(int, const struct sigaction*, struct sigaction*)>("sigaction");
  armed = true;
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
  return fails("open") ? -1 : kNext(path, flags, mode);
}

ssize_t read(int fd, void* data, size_t size) {
  static const auto kNext = next<ssize_t (*)(int, void*, size_t)>("read");
  return fails("read") ? -1 : kNext(fd, data, size);
}

ssize_t write(int fd, const void* data, size_t size) {
  static const auto kNext = next<ssize_t (*)(int, const void*, size_t)>("write");
  return fd > STDERR_FILENO && fails("write") ? -1 : kNext(fd, data, size);
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
  return fails("rename") ? -1 : kNext(from, to);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*), void* argument) {
  using Create = int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*);
  static const auto kNext = next<Create>("pthread_create");
  return fails("thread") ? EAGAIN : kNext(thread, attributes, run, argument);
}

}  // extern "C"
