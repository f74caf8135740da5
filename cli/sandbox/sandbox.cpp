#include "cli/sandbox/sandbox.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>

#include "cli/sandbox/system_call_filter.h"
#include "cli/system/cache_folder.h"
#include "cli/system/output_path.h"
#include "cli/system/standard_streams.h"
#include "core/error.h"
#include "core/text/message_text.h"

namespace vq::cli {
namespace {

namespace fs = std::filesystem;

struct SystemPath {
  const char* path;
  PathAccess access = PathAccess::kRead;
  bool of_devices = false;  // needed only for GPUs
};

constexpr SystemPath kSystemPaths[] = {
    // libraries, those that are opened while running with them, and what they read
    {"/usr"},
    {"/lib"},
    {"/lib64"},
    {"/nix/store"},
    {"/gnu/store"},
    {"/etc/ld.so.cache"},
    {"/etc/localtime"},
    // memory, cores, and this process
    {"/proc/self"},
    {"/proc/cpuinfo"},
    {"/proc/meminfo"},
    {"/proc/stat"},
    {"/proc/sys/vm"},
    {"/sys/devices"},
    {"/sys/fs/cgroup"},
    {"/dev/null", PathAccess::kDevice},
    {"/dev/zero", PathAccess::kDevice},
    {"/dev/random"},
    {"/dev/urandom"},
    // GPUs and their drivers
    {"/dev/dri", PathAccess::kDevice, true},
    {"/dev/kfd", PathAccess::kDevice, true},
    {"/dev/udmabuf", PathAccess::kDevice, true},
    {"/dev/nvidia-caps", PathAccess::kDevice, true},
    {"/dev/nvidia-modeset", PathAccess::kDevice, true},
    {"/dev/nvidia-uvm", PathAccess::kDevice, true},
    {"/dev/nvidia-uvm-tools", PathAccess::kDevice, true},
    {"/dev/nvidiactl", PathAccess::kDevice, true},
    {"/etc/drirc", PathAccess::kRead, true},
    {"/etc/glvnd", PathAccess::kRead, true},
    {"/etc/nsswitch.conf", PathAccess::kRead, true},  // Mesa asks for the home folder there, not by HOME
    {"/etc/passwd", PathAccess::kRead, true},
    {"/etc/nvidia", PathAccess::kRead, true},
    {"/etc/vulkan", PathAccess::kRead, true},
    {"/opt/amdgpu", PathAccess::kRead, true},
    {"/proc/devices", PathAccess::kRead, true},
    {"/proc/filesystems", PathAccess::kRead, true},
    {"/proc/self/task", PathAccess::kWrite, true},  // CUDA does not start where it cannot name its threads
    {"/proc/driver", PathAccess::kRead, true},
    {"/proc/modules", PathAccess::kRead, true},
    {"/proc/version", PathAccess::kRead, true},
    {"/run/opengl-driver", PathAccess::kRead, true},
    {"/sys/bus/pci", PathAccess::kRead, true},
    {"/sys/class/drm", PathAccess::kRead, true},
    {"/sys/dev/char", PathAccess::kRead, true},
    {"/sys/module", PathAccess::kRead, true},
};
// Of GPUs: /dev/nvidia0 and so on.
constexpr int kMostNvidiaDevices = 32;

// Paths that a variable names: one, or several with colons between them.
struct NamedPath {
  const char* variable;
  const char* below = "";  // the part of each that is meant
  PathAccess access = PathAccess::kRead;
};

constexpr NamedPath kLibraryPaths[] = {{"LD_LIBRARY_PATH"}};
constexpr NamedPath kDevicePaths[] = {
    // drivers and layers of Vulkan, in the order in which its loader looks
    {"VK_DRIVER_FILES"},
    {"VK_ADD_DRIVER_FILES"},
    {"VK_ICD_FILENAMES"},
    {"VK_LAYER_PATH"},
    {"VK_ADD_LAYER_PATH"},
    {"VK_IMPLICIT_LAYER_PATH"},
    {"VK_ADD_IMPLICIT_LAYER_PATH"},
    {"XDG_CONFIG_HOME", "/vulkan"},
    {"XDG_CONFIG_DIRS", "/vulkan"},
    {"XDG_DATA_HOME", "/vulkan"},
    {"XDG_DATA_DIRS", "/vulkan"},
    {"HOME", "/.config/vulkan"},
    {"HOME", "/.local/share/vulkan"},
    {"HOME", "/.drirc"},
    {"LIBVA_DRIVERS_PATH"},
    // compiled shaders
    {"MESA_SHADER_CACHE_DIR", "", PathAccess::kKeep},
    {"MESA_GLSL_CACHE_DIR", "", PathAccess::kKeep},
    {"XDG_CACHE_HOME", "/mesa_shader_cache", PathAccess::kKeep},
    {"XDG_CACHE_HOME", "/mesa_shader_cache_db", PathAccess::kKeep},
    {"XDG_CACHE_HOME", "/nvidia", PathAccess::kKeep},
    {"HOME", "/.cache/mesa_shader_cache", PathAccess::kKeep},
    {"HOME", "/.cache/mesa_shader_cache_db", PathAccess::kKeep},
    {"HOME", "/.cache/nvidia", PathAccess::kKeep},
    {"HOME", "/.nv", PathAccess::kKeep},
    {"CUDA_CACHE_PATH", "", PathAccess::kKeep},
    {"__GL_SHADER_DISK_CACHE_PATH", "", PathAccess::kKeep},
};

void add_named(const NamedPath& named, const Environment& environment, std::vector<PathRule>& rules) {
  const char* const value = environment(named.variable);
  if (value == nullptr) return;
  const std::string_view text = value;
  for (size_t start = 0; start <= text.size();) {
    const size_t colon = std::min(text.find(':', start), text.size());
    // Others would depend on the folder that the program is called in.
    if (const std::string_view path = text.substr(start, colon - start); path.starts_with('/'))
      rules.push_back({std::string(path) + named.below, named.access});
    start = colon + 1;
  }
}

void add_system(bool devices, const Environment& environment, std::vector<PathRule>& rules) {
  for (const SystemPath& row : kSystemPaths) {
    if (devices || !row.of_devices) rules.push_back({row.path, row.access});
  }
  for (const NamedPath& named : kLibraryPaths) add_named(named, environment, rules);
  if (!devices) return;
  for (int i = 0; i < kMostNvidiaDevices; ++i)
    rules.push_back({"/dev/nvidia" + std::to_string(i), PathAccess::kDevice});
  for (const NamedPath& named : kDevicePaths) add_named(named, environment, rules);
}

// Whether `folder` is the home folder, or it lies in there.
bool has_home(const std::string& folder, const Environment& environment) {
  const char* const home = environment("HOME");
  if (home == nullptr || home[0] != '/') return false;
  std::error_code error;
  const fs::path inner = fs::weakly_canonical(home, error), outer = fs::weakly_canonical(folder, error);
  return std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end()).first == outer.end();
}

void refuse_home(const std::string& folder, const Environment& environment) {
  if (!has_home(folder, environment)) return;
  throw Error(ErrorKind::kUsage,
              "--sandbox: a run can write everything in the folders of its outputs, and " +
                  shown_path(folder) +
                  " is the home folder or above it. Try: a folder for outputs alone, as in -o out/run.json");
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
    if (std::find(rules.begin(), rules.end(), rule) == rules.end()) rules.push_back(rule);
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

std::string enter_sandbox(const SandboxPaths& paths) {
  SandboxPaths all = paths;
  if (const auto cache = cache_folder()) all.folders.push_back(cache->string());
  const std::vector<PathRule> rules =
      sandbox_rules(all, [](const char* name) -> const char* { return std::getenv(name); });
  check_filter_is_built();
  const int version = landlock_version();
  if (version < 1) {
    throw Error(ErrorKind::kResource,
                "--sandbox: this system has no Landlock, by which files are kept from a run: " +
                    errno_text(errno) + ". See docs/security.md for other ways to confine a run.");
  }
  check_single_thread();
  std::error_code ignored;
  if (const auto cache = cache_folder()) fs::create_directories(*cache, ignored);  // else nothing is cached
  restrict_paths(rules, version);
  filter_system_calls(paths.devices);
  return "Landlock " + std::to_string(version) + " (" + landlock_layers(version) + "), seccomp";
}

}  // namespace vq::cli
