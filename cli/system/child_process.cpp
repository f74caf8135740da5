#include "cli/system/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "cli/system/interrupt.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

constexpr int kNotStarted = 127;  // as shells say it

Error system_error(const std::string& doing) {
  return Error(ErrorKind::kResource, doing + ": " + std::strerror(errno));
}

// Closed with its owner.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : fd_(other.fd_) { other.fd_ = -1; }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  Descriptor& operator=(Descriptor&&) = delete;
  int get() const { return fd_; }
  void reset() {
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
  }

 private:
  int fd_;
};

// In the new process: only calls that are allowed between fork and exec of a process with threads.
[[noreturn]] void become(char* const* words, pid_t parent, int out, int err) {
  // It ends when this program does, also when that is killed.
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) _exit(kNotStarted);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (dup2(nothing, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(err, STDERR_FILENO) < 0)
    _exit(kNotStarted);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  execvp(words[0], words);
  const char* const reason = std::strerror(errno);
  (void)!write(STDERR_FILENO, words[0], std::strlen(words[0]));
  (void)!write(STDERR_FILENO, ": ", 2);
  (void)!write(STDERR_FILENO, reason, std::strlen(reason));
  (void)!write(STDERR_FILENO, "\n", 1);
  _exit(kNotStarted);
}

pid_t start(const std::vector<std::string>& words, int out, int err) {
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  const pid_t parent = getpid();
  const pid_t id = fork();
  if (id < 0) throw system_error("cannot start " + printable(words[0]));
  if (id == 0) become(pointers.data(), parent, out, err);
  return id;
}

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::array<Descriptor, 2> make_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw system_error("cannot make a pipe");
  return {Descriptor(ends[0]), Descriptor(ends[1])};
}

// Both at once, so that neither fills up while the other is waited for.
void read_both(const Descriptor& out, const Descriptor& err, ChildOutput& output) {
  pollfd ports[] = {{out.get(), POLLIN, 0}, {err.get(), POLLIN, 0}};
  std::string* const texts[] = {&output.out, &output.err};
  char bytes[4096];
  while (ports[0].fd >= 0 || ports[1].fd >= 0) {
    if (poll(ports, 2, -1) < 0 && errno != EINTR) return;
    for (size_t i = 0; i < 2; ++i) {
      if (ports[i].fd < 0 || ports[i].revents == 0) continue;
      const ssize_t got = read(ports[i].fd, bytes, sizeof bytes);
      if (got > 0) texts[i]->append(bytes, static_cast<size_t>(got));
      if (got == 0 || (got < 0 && errno != EINTR)) ports[i].fd = -1;
    }
  }
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& words, const std::string& log) {
  if (log.empty()) {
    id_ = start(words, STDOUT_FILENO, STDERR_FILENO);
    return;
  }
  const Descriptor file(::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  if (file.get() < 0)
    throw Error(ErrorKind::kOutput, shown_path(log) + ": cannot write: " + std::strerror(errno));
  id_ = start(words, file.get(), file.get());
}

ChildProcess::~ChildProcess() {
  if (id_ < 0) return;
  kill(id_, SIGKILL);
  waitpid(id_, nullptr, 0);
}

int ChildProcess::wait() {
  int status = 0;
  bool is_asked = false;
  while (true) {
    const pid_t ended = waitpid(id_, &status, WNOHANG);
    if (ended == id_) break;
    if (ended < 0 && errno != EINTR) return kNotStarted;
    if (interrupt_signal() != 0 && !is_asked) {
      kill(id_, SIGTERM);
      is_asked = true;
    }
    poll(nullptr, 0, kWaitMilliseconds);
  }
  id_ = -1;
  return code_of(status);
}

ChildOutput run_child(const std::vector<std::string>& words) {
  auto [out, out_end] = make_pipe();
  auto [err, err_end] = make_pipe();
  const pid_t id = start(words, out_end.get(), err_end.get());
  out_end.reset();
  err_end.reset();
  ChildOutput output;
  read_both(out, err, output);
  int status = 0;
  while (waitpid(id, &status, 0) < 0 && errno == EINTR) {
  }
  output.code = code_of(status);
  return output;
}

}  // namespace vq::cli
