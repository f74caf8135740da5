// Landlock, by which a process gives up access to files, devices, ports and other processes for good. Written
// against the kernel's documented interface, versions (ABI) 1 to 7, so that no header of the system has to
// know them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace vq::cli {

// What may be done with a path, and with everything below it if it is a folder.
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

// What a version can take away, as the bits of its interface.
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

// From now on this thread, and threads that it starts, can do with files only what the rules say, make no TCP
// connections and signal no other process, as far as the version goes. Rules of paths that do not exist are
// left out. Throws Error{kResource}.
void restrict_paths(std::span<const PathRule> rules, int version);

}  // namespace vq::cli
