#include "cli/sandbox/landlock.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <utility>

#include "core/error.h"
#include "core/text/message_text.h"

namespace vq::cli {
namespace {

// Rights on files, in the order of their bits.
constexpr uint64_t kExecute = 1 << 0, kWriteFile = 1 << 1, kReadFile = 1 << 2, kReadFolder = 1 << 3,
                   kRemoveFolder = 1 << 4, kRemoveFile = 1 << 5, kMakeFolder = 1 << 7, kMakeFile = 1 << 8,
                   kTruncate = 1 << 14, kControlDevice = 1 << 15;
constexpr uint64_t kOfFiles = kExecute | kWriteFile | kReadFile | kTruncate | kControlDevice;
constexpr int kKnownVersion = 7;

// The numbers of rights on files that each version has: up to the making of links, moves between folders,
// truncation, and control of devices.
constexpr int file_rights(int version) {
  constexpr int kNumbers[] = {0, 13, 14, 15, 15, 16};
  return kNumbers[version < 5 ? version : 5];
}

constexpr uint64_t kBindAndConnect = 3;             // from version 4 on
constexpr uint64_t kAbstractSocketsAndSignals = 3;  // from version 6 on

// Calls have the same numbers on every architecture.
constexpr long kCreateRuleset = 444, kAddRule = 445, kRestrictSelf = 446;
constexpr unsigned kAskForVersion = 1;
constexpr int kBeneathPath = 1;

struct RulesetAttributes {
  uint64_t files, network, scopes;
};

struct __attribute__((packed)) PathAttributes {
  uint64_t rights;
  int32_t parent;
};

// Only so much is given as the version knows.
constexpr size_t attributes_size(int version) {
  return sizeof(uint64_t) * (version >= 6 ? 3 : version >= 4 ? 2 : 1);
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorKind::kResource, "the sandbox cannot be set up: " + what + ": " + errno_text(errno));
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
  // A rule is of the kernel's node of a file. That of a file below /proc may be made anew where memory is
  // short, unless something has it open.
  if (rule.path.starts_with("/proc/")) parent.leave_open();
}

}  // namespace

LandlockRights landlock_rights(int version) {
  if (version < 1) return {};
  return {.files = (uint64_t{1} << file_rights(version)) - 1,
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

void restrict_paths(std::span<const PathRule> rules, int version) {
  const int known = version < kKnownVersion ? version : kKnownVersion;
  const LandlockRights rights = landlock_rights(known);
  const RulesetAttributes attributes = {rights.files, rights.network, rights.scopes};
  const Descriptor ruleset(::syscall(kCreateRuleset, &attributes, attributes_size(known), 0));
  if (ruleset.get() < 0) refuse("Landlock's rules");
  for (const PathRule& rule : rules) add_rule(ruleset.get(), rule, known);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) refuse("new privileges");
  if (::syscall(kRestrictSelf, ruleset.get(), 0) != 0) refuse("Landlock");
}

}  // namespace vq::cli
