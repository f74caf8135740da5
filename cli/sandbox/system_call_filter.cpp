#include "cli/sandbox/sandbox.h"

#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <memory>
#include <new>

#include "core/error.h"
#include "core/text.h"

namespace vq::cli {
namespace {

// Refused whatever the arguments are.

// The network; socket() see below.
constexpr std::string_view kNetwork = "connect accept accept4 sendmsg sendmmsg socketcall";
// By which calls are made that this filter does not see.
constexpr std::string_view kUnseen = "io_uring_setup io_uring_enter io_uring_register";
// Programs and processes, what others do, and the system; clone() of a thread is needed, see below.
constexpr std::string_view kSystem =
    "execve execveat fork vfork ptrace process_vm_readv process_vm_writev pidfd_getfd perf_event_open "
    "fanotify_init syslog acct lookup_dcookie mount umount umount2 pivot_root chroot move_mount "
    "open_tree open_tree_attr fsopen fsconfig fsmount fspick mount_setattr setns unshare swapon swapoff "
    "reboot kexec_load kexec_file_load init_module finit_module delete_module quotactl quotactl_fd "
    "sethostname setdomainname settimeofday stime clock_settime clock_adjtime adjtimex vhangup "
    "nfsservctl";
// Doors into the kernel.
constexpr std::string_view kDoors =
    "bpf userfaultfd keyctl add_key request_key iopl ioperm modify_ldt vm86 vm86old personality";
// Files by other ways than open(), which Landlock does not see, or not in all versions.
constexpr std::string_view kFiles =
    "open_by_handle_at truncate truncate64 chmod fchmodat fchmodat2 chown chown32 lchown lchown32 "
    "fchownat setxattr lsetxattr setxattrat removexattr lremovexattr removexattrat";

// Calls that may be newer than the library; their numbers are the same on every architecture.
constexpr std::pair<std::string_view, int> kNewer[] = {
    {"open_tree_attr", 467}, {"fchmodat2", 452}, {"setxattrat", 463}, {"removexattrat", 466}};

using Filter = std::unique_ptr<void, decltype(&seccomp_release)>;

[[noreturn]] void refuse(const std::string& what, int code) {
  throw Error(ErrorKind::kResource, "the sandbox cannot be set up: seccomp: {}: {}", what, errno_text(-code));
}

// Calls that this architecture does not have are passed over.
void refuse_call(const Filter& filter, const std::string& name, int error = EPERM,
                 const scmp_arg_cmp* condition = nullptr) {
  int number = seccomp_syscall_resolve_name(name.c_str());
  for (const auto& [newer, its] : kNewer) {
    if (number == __NR_SCMP_ERROR && newer == name) number = its;
  }
  if (number < 0) return;
  const int code = seccomp_rule_add_array(filter.get(), SCMP_ACT_ERRNO(static_cast<uint32_t>(error)), number,
                                          condition != nullptr ? 1 : 0, condition);
  if (code != 0) refuse(name, code);
}

}  // namespace

void check_filter_is_built() {}

void filter_system_calls(bool uses_devices) {
  const Filter filter(seccomp_init(SCMP_ACT_ALLOW), &seccomp_release);
  if (!filter) throw std::bad_alloc();
  // No code of others runs in this process, against which a slower processor would help.
  (void)seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_SSB, 1);
  for (const std::string_view calls : {kSystem, kNetwork, kUnseen, kDoors, kFiles}) {
    for (const std::string_view call : split(calls, ' ')) refuse_call(filter, std::string(call));
  }
  // Threads are made, processes are not. The arguments of clone3() are in memory, where the filter does not
  // see them; the C library then uses clone().
  const scmp_arg_cmp is_process = {0, SCMP_CMP_MASKED_EQ, CLONE_THREAD, 0};
  refuse_call(filter, "clone", EPERM, &is_process);
  refuse_call(filter, "clone3", ENOSYS);
  const scmp_arg_cmp is_no_local = {0, SCMP_CMP_NE, AF_UNIX, 0};
  refuse_call(filter, "socket", EPERM, uses_devices ? &is_no_local : nullptr);
  const scmp_arg_cmp has_address = {4, SCMP_CMP_NE, 0, 0};
  refuse_call(filter, "sendto", EPERM, &has_address);
  // Characters that are put into a terminal would be read by the shell there.
  constexpr uint64_t kRequest = 0xffffffff;  // the kernel takes no more of it
  for (const uint64_t request : {uint64_t{TIOCSTI}, uint64_t{TIOCLINUX}}) {
    const scmp_arg_cmp is_it = {1, SCMP_CMP_MASKED_EQ, kRequest, request};
    refuse_call(filter, "ioctl", EPERM, &is_it);
  }
  if (const int code = seccomp_load(filter.get()); code != 0) refuse("loading", code);
}

}  // namespace vq::cli
