// The sandbox of a run: from then on a decoder that a video has taken over can read and write only what the
// run itself was told to, and start or reach nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace vq::cli {

// Landlock, by which a process gives up access to files, devices, ports and other processes for good. Written
// against the kernel's documented interface, versions (ABI) 1 to 7, so that no header of the system has to
// know them.

// Access to a path, and to everything below it if it is a folder.
enum class PathAccess {
  kRead,     // files and folders are read
  kWrite,    // the file is written in place
  kReplace,  // files are made, written and removed; none is read
  kKeep,     // kRead, kReplace, and folders are made and removed
  kDevice,   // read, written and controlled
};

struct PathRule {
  std::string path;
  PathAccess access = PathAccess::kRead;
  bool operator==(const PathRule&) const = default;
};

// Rights that a version can take away, as the bits and in the order of its interface: the kernel is given
// this struct.
struct LandlockRights {
  uint64_t files = 0, network = 0, scopes = 0;
  bool operator==(const LandlockRights&) const = default;
};
LandlockRights landlock_rights(int version);

// The rights that a rule gives, of those that the version knows; for a path that is no folder those of files.
uint64_t rights_of(PathAccess access, bool is_folder, int version);

// "files", or with later versions "files, TCP, devices, signals": what the version keeps a process from.
std::string landlock_layers(int version);

// The version of this kernel; 0 and errno if it has none: ENOSYS, or EOPNOTSUPP if it was not enabled.
int landlock_version();

// The files of a command. Paths that name nothing need no permission, nor do standard input and outputs that
// are descriptors.
struct SandboxPaths {
  std::vector<std::string> read = {};      // files, and folders with everything below them
  std::vector<std::string> written = {};   // outputs: made in their folders and renamed, or written in place
  std::vector<std::string> appended = {};  // files that exist
  std::vector<std::string> folders = {};   // read and written, with everything below them
  bool devices = true;                     // GPUs
};

// The value of a variable; null if it is not set.
using Environment = std::function<const char*(const char* name)>;

// Paths that the command may open: its files, libraries, facts about the machine and about this process,
// caches, and with devices GPUs, their drivers and the folders where these cache shaders. Throws
// Error{kUsage} if the folder of an output is the home folder or above it, where other programs have their
// settings: the sandbox could not keep those.
std::vector<PathRule> sandbox_rules(const SandboxPaths& paths, const Environment& environment);

// Confines this process for good and returns what holds: "Landlock 7 (files, TCP, devices, signals),
// seccomp". Needs: the process has one thread. Throws as sandbox_rules(), and Error if a part is missing, in
// which case nothing may be read any more: kUsage for a build without seccomp, kResource for a kernel without
// Landlock or seccomp.
std::string enter_sandbox(const SandboxPaths& paths);

// By seccomp: from now on all threads of this process are refused what no scoring needs: to start programs
// and processes, to look into others, to open sockets and connect, to change mounts, namespaces, keys,
// modules, clocks and the rights of files, and to do any of that by a detour. These calls fail with EPERM.
// `uses_devices`: drivers of GPUs may make sockets, which still cannot be connected. Throws Error: kUsage in
// a build without libseccomp, kResource if the kernel refuses.
void filter_system_calls(bool uses_devices);

// Throws that Error{kUsage}, in such a build.
void check_filter_is_built();

}  // namespace vq::cli
