// Seccomp, by which the kernel refuses system calls to a process.
#pragma once

namespace vq::cli {

// From now on all threads of this process are refused what no scoring needs: to start programs and processes,
// to look into others, to open sockets and connect, to change mounts, namespaces, keys, modules, clocks and
// the rights of files, and to do any of that by a detour. These calls fail with EPERM. `uses_devices`:
// drivers of GPUs may make sockets, which still cannot be connected. Throws Error: kUsage in a build without
// libseccomp, kResource if the kernel refuses.
void filter_system_calls(bool uses_devices);

// Throws that Error{kUsage}, in such a build.
void check_filter_is_built();

}  // namespace vq::cli
