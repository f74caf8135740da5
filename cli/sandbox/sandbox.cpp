#include "cli/sandbox/sandbox.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/system/messages.h"
#include "cli/system/process.h"
#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

// Libraries, those that are opened while running with them, and what they read; memory, cores, and this
// process.
constexpr const char* kReadPaths[] = {
    "/usr",           "/lib",           "/lib64",        "/nix/store",    "/gnu/store", "/etc/ld.so.cache",
    "/etc/localtime", "/proc/self",     "/proc/cpuinfo", "/proc/meminfo", "/proc/stat", "/proc/sys/vm",
    "/sys/devices",   "/sys/fs/cgroup", "/dev/random",   "/dev/urandom"};
constexpr const char* kDevices[] = {"/dev/null", "/dev/zero"};

// GPUs and their drivers. Mesa asks for the home folder in nsswitch.conf and passwd, not by HOME.
constexpr const char* kReadForGpus[] = {
    "/etc/drirc",    "/etc/glvnd",    "/etc/nsswitch.conf", "/etc/passwd",       "/etc/nvidia",
    "/etc/vulkan",   "/opt/amdgpu",   "/proc/devices",      "/proc/filesystems", "/proc/driver",
    "/proc/modules", "/proc/version", "/run/opengl-driver", "/sys/bus/pci",      "/sys/class/drm",
    "/sys/dev/char", "/sys/module"};
constexpr const char* kGpus[] = {"/dev/dri", "/dev/kfd", "/dev/udmabuf"};
// CUDA does not start if it cannot name its threads.
constexpr const char* kOwnThreads = "/proc/self/task";
// NVIDIA's devices: /dev/nvidia0 and so on, and others whose names begin so.
constexpr int kMostNvidiaDevices = 32;
constexpr const char* kOtherNvidiaDevices[] = {"-caps", "-modeset", "-uvm", "-uvm-tools", "ctl"};

// Variables that name paths, one or several with colons between them, and the part of each that is meant.
// Drivers and layers of Vulkan, in the order in which its loader looks.
constexpr std::string_view kDrivers =
    "VK_DRIVER_FILES VK_ADD_DRIVER_FILES VK_ICD_FILENAMES VK_LAYER_PATH VK_ADD_LAYER_PATH "
    "VK_IMPLICIT_LAYER_PATH VK_ADD_IMPLICIT_LAYER_PATH XDG_CONFIG_HOME/vulkan XDG_CONFIG_DIRS/vulkan "
    "XDG_DATA_HOME/vulkan XDG_DATA_DIRS/vulkan HOME/.config/vulkan HOME/.local/share/vulkan "
    "HOME/.drirc LIBVA_DRIVERS_PATH";
// Compiled shaders.
constexpr std::string_view kCaches =
    "MESA_SHADER_CACHE_DIR MESA_GLSL_CACHE_DIR XDG_CACHE_HOME/mesa_shader_cache "
    "XDG_CACHE_HOME/mesa_shader_cache_db XDG_CACHE_HOME/nvidia HOME/.cache/mesa_shader_cache "
    "HOME/.cache/mesa_shader_cache_db HOME/.cache/nvidia HOME/.nv CUDA_CACHE_PATH "
    "__GL_SHADER_DISK_CACHE_PATH";

void add_paths(std::span<const char* const> paths, PathAccess access, std::vector<PathRule>& rules) {
  for (const char* const path : paths) rules.push_back({path, access});
}

void add_named(std::string_view all, PathAccess access, const Environment& environment,
               std::vector<PathRule>& rules) {
  for (const std::string_view named : split(all, ' ')) {
    const size_t end = std::min(named.find('/'), named.size());
    const char* const value = environment(std::string(named.substr(0, end)).c_str());
    if (value == nullptr) continue;
    for (const std::string_view path : split(value, ':')) {
      // Others would depend on the folder that the program is called in.
      if (path.starts_with('/')) rules.push_back({words("{}{}", path, named.substr(end)), access});
    }
  }
}

void add_system(bool devices, const Environment& environment, std::vector<PathRule>& rules) {
  add_paths(kReadPaths, PathAccess::kRead, rules);
  add_paths(kDevices, PathAccess::kDevice, rules);
  add_named("LD_LIBRARY_PATH", PathAccess::kRead, environment, rules);
  if (!devices) return;
  add_paths(kReadForGpus, PathAccess::kRead, rules);
  add_paths(kGpus, PathAccess::kDevice, rules);
  rules.push_back({kOwnThreads, PathAccess::kWrite});
  for (int i = 0; i < kMostNvidiaDevices; ++i)
    rules.push_back({words("/dev/nvidia{}", i), PathAccess::kDevice});
  for (const char* const other : kOtherNvidiaDevices)
    rules.push_back({words("/dev/nvidia{}", other), PathAccess::kDevice});
  add_named(kDrivers, PathAccess::kRead, environment, rules);
  add_named(kCaches, PathAccess::kKeep, environment, rules);
}

// If `folder` is the home folder, or one that has it within.
void refuse_home(const std::string& folder, const Environment& environment) {
  const char* const home = environment("HOME");
  if (home == nullptr || home[0] != '/') return;
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(home, error), outer = fs::weakly_canonical(folder, error);
  if (std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first != outer.end()) return;
  throw usage_error(
      "--sandbox: a run can write everything in the folders of its outputs, and {} is the home folder or "
      "above it. Try: a folder for outputs alone, as in -o out/run.json",
      shown_path(folder));
}

PathRule output_rule(const std::string& path, const Environment& environment) {
  if (is_written_in_place(path)) return {path, PathAccess::kWrite};
  const std::string folder = folder_of(follow_links(path));
  refuse_home(folder, environment);
  return {folder, PathAccess::kReplace};
}

// Threads that exist already would not be confined.
void check_single_thread() {
  std::error_code error;
  const auto threads =
      std::distance(fs::directory_iterator("/proc/self/task", error), fs::directory_iterator());
  if (error || threads != 1)
    throw Error(ErrorKind::kInternal, "the sandbox must be entered before threads are started");
}

}  // namespace

std::vector<PathRule> sandbox_rules(const SandboxPaths& paths, const Environment& environment) {
  std::vector<PathRule> rules;
  for (const std::string& path : paths.read) {
    if (!path.empty() && !is_standard_input(path)) rules.push_back({path, PathAccess::kRead});
  }
  for (const std::string& path : paths.written) {
    if (path.empty() || descriptor_of(path)) continue;
    const PathRule rule = output_rule(path, environment);
    if (!contains(rules, rule)) rules.push_back(rule);
  }
  for (const std::string& path : paths.appended) rules.push_back({path, PathAccess::kWrite});
  for (const std::string& folder : paths.folders) {
    if (folder.empty()) continue;
    refuse_home(folder, environment);
    rules.push_back({folder, PathAccess::kKeep});
  }
  add_system(paths.devices, environment, rules);
  return rules;
}

namespace {

// Rights on files, in the order of their bits.
constexpr uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3,
                   kRemoveFolder = 1 << 4, kRemoveFile = 1 << 5, kMakeFolder = 1 << 7, kMakeFile = 1 << 8,
                   kTruncate = 1 << 14, kControlDevice = 1 << 15;
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kControlDevice;
constexpr int kKnownVersion = 7;

constexpr uint64_t kBindAndConnect = 3;             // from version 4 on
constexpr uint64_t kAbstractSocketsAndSignals = 3;  // from version 6 on

// Calls have the same numbers on every architecture.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr unsigned kAskForVersion = 1;
constexpr int kBeneathPath = 1;

struct __attribute__((packed)) PathAttributes {
  uint64_t rights;
  int32_t parent;
};

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kResource, "the sandbox cannot be set up: {}: {}", what, errno_text(errno));
}

class Descriptor {
 public:
  explicit Descriptor(long number) : number_(static_cast<int>(number)) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  void leave_open() { number_ = -1; }

 private:
  int number_;
};

void add_rule(int ruleset, const PathRule& rule, int version) {
  Descriptor parent(::open(rule.path.c_str(), O_PATH | O_CLOEXEC));
  if (parent.get() < 0) return;
  struct stat status = {};
  if (::fstat(parent.get(), &status) != 0) refuse(shown_path(rule.path));
  const PathAttributes attributes = {rights_of(rule.access, S_ISDIR(status.st_mode), version), parent.get()};
  const bool is_added = ::syscall(kAddRule, ruleset, kBeneathPath, &attributes, 0) == 0;
  if (!is_added && errno == EBADFD) return;  // a pipe without a name, which Landlock leaves alone
  if (!is_added) refuse(shown_path(rule.path));
  // A rule is of the kernel's node of a file. That of a file below /proc may be made anew if memory is short,
  // unless something has it open.
  if (rule.path.starts_with("/proc/")) parent.leave_open();
}

}  // namespace

LandlockRights landlock_rights(int version) {
  // The numbers of rights on files that each version has: up to the making of links, moves between folders,
  // truncation, and control of devices.
  constexpr int kNumbers[] = {0, 13, 14, 15, 15, 16};
  if (version < 1) return {};
  return {.files = (uint64_t{1} << kNumbers[version < 5 ? version : 5]) - 1,
          .network = version >= 4 ? kBindAndConnect : 0,
          .scopes = version >= 6 ? kAbstractSocketsAndSignals : 0};
}

uint64_t rights_of(PathAccess access, bool is_folder, int version) {
  constexpr uint64_t kReads = kReadFile | kReadFolder, kWrites = kWriteFile | kTruncate,
                     kReplaces = kWrites | kReadFolder | kMakeFile | kRemoveFile;
  uint64_t rights = kReads;
  if (access == PathAccess::kWrite) rights = kWrites;
  if (access == PathAccess::kReplace) rights = kReplaces;
  if (access == PathAccess::kKeep) rights = kReads | kReplaces | kMakeFolder | kRemoveFolder;
  if (access == PathAccess::kDevice) rights = kReads | kWriteFile | kControlDevice;
  return rights & landlock_rights(version).files & (is_folder ? ~uint64_t{0} : kOfFiles);
}

std::string landlock_layers(int version) {
  std::string layers = "files";
  if (version >= 4) layers += ", TCP";
  if (version >= 5) layers += ", devices";
  if (version >= 6) layers += ", signals";
  return layers;
}

int landlock_version() {
  const long version = ::syscall(kCreateRuleset, nullptr, 0, kAskForVersion);
  return version < 0 ? 0 : static_cast<int>(version);
}

// From now on this thread, and threads that it starts, can do with files only what the rules say, make no TCP
// connections and signal no other process, as far as the version goes. Rules of paths that do not exist are
// left out. Throws Error{kResource}.
static void restrict_paths(std::span<const PathRule> rules, int version) {
  const int known = version < kKnownVersion ? version : kKnownVersion;
  const LandlockRights rights = landlock_rights(known);
  // Only so much is given as the version knows.
  const size_t bytes = sizeof(uint64_t) * (known >= 6 ? 3 : known >= 4 ? 2 : 1);
  const Descriptor ruleset(::syscall(kCreateRuleset, &rights, bytes, 0));
  if (ruleset.get() < 0) refuse("Landlock's rules");
  for (const PathRule& rule : rules) add_rule(ruleset.get(), rule, known);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("new privileges");
  if (::syscall(kRestrictSelf, ruleset.get(), 0) != 0) refuse("Landlock");
}

std::string enter_sandbox(const SandboxPaths& paths) {
  SandboxPaths all = paths;
  // In an archive libraries lie beside the program's folder.
  all.read.push_back((own_program().parent_path().parent_path() / "lib").string());
  if (const auto cache = cache_folder()) all.folders.push_back(cache->string());
  const std::vector<PathRule> rules =
      sandbox_rules(all, [](const char* name) -> const char* { return std::getenv(name); });
  check_filter_is_built();
  const int version = landlock_version();
  if (version < 1) {
    throw Error(ErrorKind::kResource,
                "--sandbox: this system has no Landlock, by which files are kept from a run: {}. See "
                "docs/security.md for other ways to confine a run.",
                errno_text(errno));
  }
  check_single_thread();
  std::error_code ignored;
  if (const auto cache = cache_folder()) fs::create_directories(*cache, ignored);  // else nothing is cached
  restrict_paths(rules, version);
  filter_system_calls(paths.devices);
  return words("Landlock {} ({}), seccomp", version, landlock_layers(version));
}

}  // namespace vq::cli
