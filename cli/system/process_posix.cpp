#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/system/process.h"
#include "core/platform.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// A signal handler can reach nothing but what is global.
std::atomic<int> caught_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

constexpr int kStopping[] = {SIGINT, SIGTERM, SIGHUP};

// The groups of other programs that run; 0: none.
constexpr size_t kMostPrograms = 1024;
std::array<std::atomic<pid_t>, kMostPrograms> groups = {};

void on_signal(int signal) {
  int none = 0;
  if (caught_signal.compare_exchange_strong(none, signal)) return;
  for (const std::atomic<pid_t>& group : groups) {
    if (group > 0) kill(-group, SIGKILL);
  }
  _exit(interrupt_exit_code(signal));
}

sigset_t stopping_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int signal : kStopping) sigaddset(&signals, signal);
  return signals;
}

}  // namespace

void install_signal_handlers() {
  std::signal(SIGCHLD, SIG_DFL);  // otherwise the ends of other programs may be unknown
  for (const int signal : kStopping) {
    struct sigaction action = {};
    if (sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) continue;
    action = {};
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigaction(signal, &action, nullptr);
  }
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  const sigset_t stopping = stopping_signals();
  pthread_sigmask(SIG_UNBLOCK, &stopping, nullptr);
}

void block_stopping_signals() {
  const sigset_t stopping = stopping_signals();
  pthread_sigmask(SIG_BLOCK, &stopping, nullptr);
}

int interrupt_signal() { return caught_signal; }

namespace {

// The number in a file; INT64_MAX if there is none ("max" in control groups).
int64_t number_in_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  int64_t value = 0;
  return file >> value ? value : INT64_MAX;
}

int64_t available_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  int64_t kibibytes = 0;
  while (file >> key) {
    if (key == "MemAvailable:" && file >> kibibytes) return kibibytes * 1024;
  }
  return INT64_MAX;
}

int64_t process_memory() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return INT64_MAX;
  return static_cast<int64_t>(std::min<rlim_t>(limit.rlim_cur, INT64_MAX));
}

// Where control groups of one kind are: version 2 has one hierarchy, version 1 one for memory.
struct Hierarchy {
  bool is_version_2;
  std::string root;         // the group that is seen at the mount point
  std::string mount_point;  // below the root of the file system
};

bool contains_word(const std::string& list, std::string_view word) {
  return ("," + list + ",").find("," + std::string(word) + ",") != std::string::npos;
}

// From the table of mounts: ID PARENT DEVICE ROOT MOUNT-POINT OPTIONS [TAG...] - TYPE SOURCE OPTIONS.
std::vector<Hierarchy> memory_hierarchies(const std::string& root) {
  std::vector<Hierarchy> hierarchies;
  std::ifstream file(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    std::string word, group, mount_point, type, source, options;
    fields >> word >> word >> word >> group >> mount_point;
    while (fields >> word && word != "-") {
    }
    fields >> type >> source >> options;
    const bool is_version_2 = type == "cgroup2";
    if (!is_version_2 && !(type == "cgroup" && contains_word(options, "memory"))) continue;
    hierarchies.push_back({is_version_2, group, mount_point});
  }
  return hierarchies;
}

// The group of this process in a hierarchy, from lines ID:CONTROLLERS:GROUP; version 2 has no controllers.
std::string own_group(const std::string& root, bool is_version_2) {
  std::ifstream file(root + "/proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (is_version_2 ? controllers.empty() : contains_word(controllers, "memory")) {
      return line.substr(second + 1);
    }
  }
  return "/";
}

// The least of the limits of a group and of all that it lies in, as far as they are mounted.
int64_t least_limit(const std::string& root, const Hierarchy& hierarchy) {
  const char* const name = hierarchy.is_version_2 ? "memory.max" : "memory.limit_in_bytes";
  const std::filesystem::path mount = root + hierarchy.mount_point;
  const std::filesystem::path group =
      std::filesystem::path(own_group(root, hierarchy.is_version_2)).lexically_relative(hierarchy.root);
  int64_t least = number_in_file(mount / name);
  std::filesystem::path folder = mount;
  for (const std::filesystem::path& part : group) {
    if (part == "..") break;  // the group lies beyond what is mounted
    folder /= part;
    least = std::min(least, number_in_file(folder / name));
  }
  return least;
}

}  // namespace

int64_t control_group_limit(const std::string& root) {
  int64_t least = INT64_MAX;
  for (const Hierarchy& hierarchy : memory_hierarchies(root)) {
    least = std::min(least, least_limit(root, hierarchy));
  }
  return least;
}

#ifdef __linux__

constexpr int kLowered = 10;

static void lower(pid_t thread) {
  setpriority(PRIO_PROCESS, static_cast<id_t>(thread), kLowered);  // a system that refuses has its reasons
}

void lower_other_threads() {
  constexpr int kPasses = 2;  // the second for threads that others started during the first
  const pid_t main = getpid(), own = gettid();
  for (int pass = 0; pass < kPasses; ++pass) {
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task", error)) {
      const auto thread = static_cast<pid_t>(std::atol(entry.path().filename().c_str()));
      if (thread > 0 && thread != main && thread != own) lower(thread);
    }
  }
}

void lower_this_thread() { lower(gettid()); }
#else
void lower_other_threads() {}
void lower_this_thread() {}
#endif

void return_freed_memory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
}

int64_t default_memory_limit() {
  const int64_t least = std::min({available_memory(), control_group_limit(), process_memory()});
  return least / 4 * 3;
}

namespace {

// How a program begins: with the usual effect of all signals, and in a group of its own, so that what it
// starts can be ended with it.
class Start {
 public:
  explicit Start(const std::string& log) {
    posix_spawn_file_actions_init(&files_);
    posix_spawnattr_init(&attributes_);
    posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files_, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                     0600);
    posix_spawn_file_actions_adddup2(&files_, STDOUT_FILENO, STDERR_FILENO);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&files_, STDERR_FILENO + 1);
#endif
    sigset_t none, usual;
    sigemptyset(&none);
    sigfillset(&usual);
    posix_spawnattr_setsigmask(&attributes_, &none);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(&attributes_,
                             POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  }
  ~Start() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  Start(const Start&) = delete;
  Start& operator=(const Start&) = delete;

  pid_t run(const std::vector<std::string>& words) const {
    auto all = mapped(words, [](const std::string& word) { return const_cast<char*>(word.c_str()); });
    all.push_back(nullptr);
    pid_t id = 0;
    const int error = posix_spawnp(&id, all[0], &files_, &attributes_, all.data(), environ);
    if (error != 0) throw cannot_start(words[0], error);
    return id;
  }

 private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

}  // namespace

int run_other_program(const std::vector<std::string>& words, const std::string& log, const StopToken& stop) {
  constexpr auto kLook = std::chrono::milliseconds(5), kGrace = std::chrono::milliseconds(2000);
  const pid_t id = Start(log).run(words);
  std::atomic<pid_t>* place = nullptr;
  for (std::atomic<pid_t>& group : groups) {
    pid_t none = 0;
    if (!group.compare_exchange_strong(none, id)) continue;
    place = &group;
    break;
  }
  std::chrono::milliseconds waited{0};  // since it was asked to end
  siginfo_t ended = {};
  while (waitid(P_PID, static_cast<id_t>(id), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0) {
    if (stop.is_requested()) {
      if (waited.count() == 0) kill(-id, SIGTERM);
      if (waited >= kGrace) kill(-id, SIGKILL);
      waited += kLook;
    }
    std::this_thread::sleep_for(kLook);
  }
  kill(-id, SIGKILL);  // what it left behind; the number is not free yet
  if (place != nullptr) *place = 0;
  int status = 0;
  if (waitpid(id, &status, 0) != id) {
    throw Error(ErrorKind::kResource,
                vq::words("{}: its end is not known: {}", shown_path(words[0]), errno_text(errno)));
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : interrupt_exit_code(WTERMSIG(status));
}

WorkFolder::WorkFolder() {
  std::error_code error;
  path_ = text_of(std::filesystem::temp_directory_path(error) / "cambi-XXXXXX");
  if (error) throw Error(ErrorKind::kOutput, vq::words("no folder for temporary files: {}", error.message()));
  if (mkdtemp(path_.data()) == nullptr)
    throw Error(ErrorKind::kOutput,
                vq::words("{}: cannot make a folder: {}", shown_path(path_), errno_text(errno)));
}

// A closed standard descriptor would be handed to the next file opened, and messages would end up in it.
static void reopen_closed_descriptors() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // Standard output only for reading: writing a report there must fail.
    if (fcntl(fd, F_GETFD) == -1) (void)open("/dev/null", fd == STDERR_FILENO ? O_WRONLY : O_RDONLY);
  }
}

// Threads have stacks of the limit for that of the main thread, which may be less than they need.
static void give_threads_stacks() {
  constexpr size_t kLeast = size_t{1} << 20;
  pthread_attr_t attributes;
  size_t size = 0;
  if (pthread_getattr_default_np(&attributes) != 0) return;
  if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < kLeast &&
      pthread_attr_setstacksize(&attributes, kLeast) == 0)
    pthread_setattr_default_np(&attributes);
  pthread_attr_destroy(&attributes);
}

void prepare_process() {
  reopen_closed_descriptors();
  give_threads_stacks();
}

std::filesystem::path own_program() {
  std::error_code error;
  std::filesystem::path path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) throw Error(ErrorKind::kInternal, "cannot find this program: {}", error.message());
  return path;
}

void check_can_become(std::string_view) {}

void set_variable(const char* name, const std::string& value) { setenv(name, value.c_str(), 1); }

int become_program(const std::filesystem::path& folder, const std::string& name,
                   const std::vector<std::string>& words) {
  std::vector<char*> all = {const_cast<char*>(name.c_str())};
  for (const std::string& word : words) all.push_back(const_cast<char*>(word.c_str()));
  all.push_back(nullptr);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_DFL);
  execv((folder / name).c_str(), all.data());
  if (errno == ENOENT) execvp(name.c_str(), all.data());
  return errno;
}

}  // namespace vq::cli
