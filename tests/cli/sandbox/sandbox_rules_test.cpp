// The rules of the sandbox, as a table: what each version of Landlock is asked for, and which paths are open.
#include "cli/sandbox/sandbox.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using Access = PathAccess;

constexpr Access kAccesses[] = {Access::kRead, Access::kWrite, Access::kReplace, Access::kKeep,
                                Access::kDevice};
// Bits of the kernel's interface.
constexpr uint64_t kExecute = 0x1, kWriteFile = 0x2, kReadFile = 0x4, kReadFolder = 0x8, kRemoveFolder = 0x10,
                   kRemoveFile = 0x20, kMakeFolder = 0x80, kMakeFile = 0x100, kTruncate = 0x4000,
                   kControl = 0x8000;
constexpr uint64_t kMakeOthers = 0x40 | 0x200 | 0x400 | 0x800 | 0x1000, kRefer = 0x2000;

TEST(LandlockVersions, EachTakesAwayWhatItKnows) {
  EXPECT_EQ(landlock_rights(0), LandlockRights());
  EXPECT_EQ(landlock_rights(1), (LandlockRights{0x1fff, 0, 0}));
  EXPECT_EQ(landlock_rights(2), (LandlockRights{0x3fff, 0, 0}));
  EXPECT_EQ(landlock_rights(3), (LandlockRights{0x7fff, 0, 0}));
  EXPECT_EQ(landlock_rights(4), (LandlockRights{0x7fff, 3, 0}));
  EXPECT_EQ(landlock_rights(5), (LandlockRights{0xffff, 3, 0}));
  for (const int version : {6, 7, 12}) EXPECT_EQ(landlock_rights(version), (LandlockRights{0xffff, 3, 3}));
}

TEST(LandlockVersions, SayWhatHolds) {
  EXPECT_EQ(landlock_layers(1), "files");
  EXPECT_EQ(landlock_layers(4), "files, TCP");
  EXPECT_EQ(landlock_layers(5), "files, TCP, devices");
  EXPECT_EQ(landlock_layers(7), "files, TCP, devices, signals");
}

TEST(LandlockRightsOfPaths, AreWhatTheAccessSays) {
  EXPECT_EQ(rights_of(Access::kRead, true, 7), kReadFile | kReadFolder);
  EXPECT_EQ(rights_of(Access::kReplace, true, 7),
            kWriteFile | kTruncate | kReadFolder | kMakeFile | kRemoveFile);
  EXPECT_EQ(rights_of(Access::kKeep, true, 7), kReadFile | kWriteFile | kTruncate | kReadFolder | kMakeFile |
                                                   kRemoveFile | kMakeFolder | kRemoveFolder);
  EXPECT_EQ(rights_of(Access::kDevice, true, 7), kReadFile | kReadFolder | kWriteFile | kControl);
}

TEST(LandlockRightsOfPaths, OfFilesAreThoseThatFilesHave) {
  EXPECT_EQ(rights_of(Access::kRead, false, 7), kReadFile);
  EXPECT_EQ(rights_of(Access::kWrite, false, 7), kWriteFile | kTruncate);
  EXPECT_EQ(rights_of(Access::kDevice, false, 7), kReadFile | kWriteFile | kControl);
  for (const Access access : kAccesses)
    EXPECT_EQ(rights_of(access, false, 7) & ~(kReadFile | kWriteFile | kTruncate | kControl), 0U);
}

TEST(LandlockRightsOfPaths, NeverStartProgramsNorMakeLinksAndDevices) {
  for (const Access access : kAccesses) {
    for (int version = 1; version <= 7; ++version) {
      const uint64_t rights = rights_of(access, true, version);
      EXPECT_EQ(rights & (kExecute | kMakeOthers | kRefer), 0U);
      EXPECT_EQ(rights & ~landlock_rights(version).files, 0U) << "unknown to version " << version;
    }
  }
}

class SandboxRules : public test::FolderTest {
 protected:
  std::vector<PathRule> rules(const SandboxPaths& paths) const {
    return sandbox_rules(paths, [this](const char* name) -> const char* {
      const auto found = variables_.find(name);
      return found == variables_.end() ? nullptr : found->second.c_str();
    });
  }
  std::map<std::string, std::string> variables_;
};

TEST_F(SandboxRules, InputsAreReadAndFoldersOfOutputsWritten) {
  const std::vector<PathRule> all = rules({.read = {"a.mkv", "-", "/dev/stdin"},
                                           .written = {in_folder("run.json"), in_folder("run.html"), "-"},
                                           .appended = {"summary"},
                                           .folders = {"maps"}});
  EXPECT_THAT(all, Contains(PathRule{"a.mkv", Access::kRead}));
  EXPECT_THAT(all, Contains(PathRule{in_folder("."), Access::kReplace}).Times(0));
  const std::string folder = std::filesystem::path(in_folder("run.json")).parent_path();
  EXPECT_THAT(all, Contains(PathRule{folder, Access::kReplace}).Times(1));
  EXPECT_THAT(all, Contains(PathRule{"summary", Access::kWrite}));
  EXPECT_THAT(all, Contains(PathRule{"maps", Access::kKeep}));
  for (const PathRule& rule : all) {
    EXPECT_NE(rule.path, "-");
    EXPECT_NE(rule.path, "/dev/stdin");
    EXPECT_NE(rule.path, ".");
  }
}

// A folder of devices must not be open for the sake of /dev/null.
TEST_F(SandboxRules, WhatIsWrittenInPlaceOpensNoFolder) {
  const std::vector<PathRule> all = rules({.written = {"/dev/null"}});
  EXPECT_THAT(all, Contains(PathRule{"/dev/null", Access::kWrite}));
  EXPECT_THAT(all, Not(Contains(::testing::Field(&PathRule::path, "/dev"))));
}

// A link is replaced where it points to, so that folder is the one.
TEST_F(SandboxRules, LinksOfOutputsAreFollowed) {
  std::filesystem::create_directory(in_folder("real"));
  std::filesystem::create_symlink(in_folder("real/run.json"), in_folder("link.json"));
  EXPECT_THAT(rules({.written = {in_folder("link.json")}}),
              Contains(PathRule{in_folder("real"), Access::kReplace}));
}

TEST_F(SandboxRules, DevicesAreOpenOnlyForGpus) {
  variables_ = {{"HOME", "/home/me"}, {"VK_DRIVER_FILES", "/a/x.json:/b/y.json:c.json:"}};
  const std::vector<PathRule> with = rules({.devices = true}), without = rules({.devices = false});
  for (const PathRule& rule : {PathRule{"/dev/dri", Access::kDevice},
                               {"/dev/nvidia0", Access::kDevice},
                               {"/dev/nvidiactl", Access::kDevice},
                               {"/a/x.json", Access::kRead},
                               {"/b/y.json", Access::kRead},
                               {"/home/me/.nv", Access::kKeep},
                               {"/home/me/.cache/mesa_shader_cache", Access::kKeep}}) {
    EXPECT_THAT(with, Contains(rule)) << rule.path;
    EXPECT_THAT(without, Not(Contains(rule))) << rule.path;
  }
  EXPECT_THAT(with, Not(Contains(::testing::Field(&PathRule::path, "c.json"))));
  EXPECT_THAT(without, Contains(PathRule{"/usr", Access::kRead}));
}

TEST_F(SandboxRules, NeverOpenMoreThanTheyNeed) {
  variables_ = {{"HOME", "/home/me"}, {"XDG_CACHE_HOME", "/home/me/.cache"}};
  for (const PathRule& rule : rules({})) {
    for (const char* path : {"/", "/etc", "/dev", "/proc", "/sys", "/home", "/home/me", "/home/me/.cache",
                             "/home/me/.config", "/tmp", "/var", "/root", "/run"})
      EXPECT_NE(rule.path, path);
    if (rule.access != Access::kRead) {
      const bool is_of_threads = rule.path == "/proc/self/task";  // of this process, for their names
      EXPECT_TRUE(is_of_threads || rule.path.starts_with("/dev/") || rule.path.starts_with("/home/me/."))
          << rule.path;
    }
  }
}

TEST_F(SandboxRules, OutputsInTheHomeFolderAreRefused) {
  variables_["HOME"] = in_folder("home");
  std::filesystem::create_directories(in_folder("home/out"));
  for (const char* name : {"home/run.json", "home/../home/run.json", "run.json", "home/out/../run.json"})
    vq::test::expect_error(ErrorKind::kUsage, {"--sandbox"}, [&] { rules({.written = {in_folder(name)}}); });
  for (const char* name : {"home", ".", "home/out/.."})
    vq::test::expect_error(ErrorKind::kUsage, {"--sandbox"}, [&] { rules({.folders = {in_folder(name)}}); });
  EXPECT_THAT(rules({.written = {in_folder("home/out/run.json")}}),
              Contains(PathRule{in_folder("home/out"), Access::kReplace}));
}

}  // namespace
}  // namespace vq::cli
