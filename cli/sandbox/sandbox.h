// The sandbox of a run: from then on a decoder that a video has taken over can read and write only what the
// run itself was told to, and start or reach nothing.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/sandbox/landlock.h"

namespace vq::cli {

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

// What the command may open: its files, libraries, facts about the machine and about this process, caches,
// and with devices GPUs, their drivers and the folders where these cache shaders. Throws Error{kUsage} if the
// folder of an output is the home folder or above it, where other programs have their settings: the sandbox
// could not keep those.
std::vector<PathRule> sandbox_rules(const SandboxPaths& paths, const Environment& environment);

// Confines this process for good and returns what holds: "Landlock 7 (files, TCP, devices, signals),
// seccomp". Needs: the process has one thread. Throws as sandbox_rules(), and Error if a part is missing, in
// which case nothing may be read any more: kUsage for a build without seccomp, kResource for a kernel without
// Landlock or seccomp.
std::string enter_sandbox(const SandboxPaths& paths);

}  // namespace vq::cli
