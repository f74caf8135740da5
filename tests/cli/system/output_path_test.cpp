#include "cli/system/messages.h"
#include "cli/system/output_file.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include "cli/system/process.h"
#include "tests/support/temporary_folder.h"

namespace vq::cli {
namespace {

using OutputPathTest = OutputFolderTest;

TEST_F(OutputPathTest, CheckWritableFindsBadPlaces) {
  fs::create_symlink("loop", in_folder("loop"));
  const std::pair<std::string, const char*> places[] = {
      {"", "empty"},
      {in_folder("no/out.json"), "No such file or directory"},
      {folder_, "is a folder"},
      {in_folder("no") + "/", "Is a directory"},
      {made("file", "x") + "/out.json", "Not a directory"},
      {in_folder("loop"), "Too many levels of symbolic links"},
      {"/proc/out.json", "cannot write: "}};
  for (const auto& [path, words] : places) {
    expect_output_error({path, words}, [&place = path] { check_writable(place); });
  }
}

TEST_F(OutputPathTest, CheckWritableFindsSockets) {
  const int fd = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = in_folder("socket");
  ASSERT_LT(path.size(), sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  ASSERT_EQ(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  expect_output_error({"is a socket"}, [&] { check_writable(path); });
  ::close(fd);
}

TEST_F(OutputPathTest, CheckWritableLeavesGoodPlacesAlone) {
  const std::string old = made("old", "text");
  check_writable(old);
  check_writable(in_folder("new"));
  check_writable("/dev/null");
  check_writable("/dev/full");
  fs::create_symlink("absent", in_folder("dangling"));
  check_writable(in_folder("dangling"));
  EXPECT_EQ(read_text(old), "text");
  EXPECT_THAT(names(), ::testing::ElementsAre("dangling", "old"));
}

// In a child that is not root, for root may write anything.
int exit_code_unprivileged(const std::string& path) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t kNobody = 65534;
    if (::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(99);
    int code = 0;
    try {
      check_writable(path);
    } catch (const Error& error) {
      const bool in_words = std::string(error.what()).find("Permission denied") != std::string::npos;
      code = in_words ? exit_code(error) : 98;
    }
    ::_exit(code);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(OutputPathTest, CheckWritableFindsMissingPermission) {
  const std::string read_only = made("read_only", "x"), writable = made("writable", "x");
  ASSERT_EQ(::chmod(read_only.c_str(), 0444), 0);
  ASSERT_EQ(::chmod(writable.c_str(), 0666), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0777), 0);
  EXPECT_EQ(exit_code_unprivileged(read_only), 5);
  EXPECT_EQ(exit_code_unprivileged(writable), 0);
  ASSERT_EQ(::chmod(folder_.c_str(), 0555), 0);
  EXPECT_EQ(exit_code_unprivileged(in_folder("new")), 5);
  ASSERT_EQ(::chmod(folder_.c_str(), 0755), 0);
}

TEST_F(OutputPathTest, PartialFilesStandBesideTheirs) {
  EXPECT_EQ(partial_path(in_folder("out.json")), in_folder("out.json.partial"));
  EXPECT_EQ(openable_partial_path(in_folder("out.html")), in_folder("out.partial.html"));
  EXPECT_EQ(openable_partial_path("page"), "page.partial");
  EXPECT_EQ(openable_partial_path("a.b/.html"), "a.b/.html.partial");
}

TEST_F(OutputPathTest, APartialFileReplacesFilesAndLinksOnly) {
  check_replaceable(in_folder("new"));
  check_replaceable(made("old", "x"));
  fs::create_symlink("nowhere", in_folder("link"));
  check_replaceable(in_folder("link"));
  ASSERT_EQ(::mkfifo(in_folder("pipe").c_str(), 0600), 0);
  expect_output_error({"is a pipe"}, [&] { check_replaceable(in_folder("pipe")); });
  expect_output_error({"is a folder"}, [&] { check_replaceable(folder_); });
}

TEST_F(OutputPathTest, DescriptorsHaveManyNames) {
  EXPECT_EQ(descriptor_of("-"), 1);
  EXPECT_EQ(descriptor_of("/dev/stdout"), 1);
  EXPECT_EQ(descriptor_of("/dev/stderr"), 2);
  EXPECT_EQ(descriptor_of("/dev/fd/17"), 17);
  EXPECT_EQ(descriptor_of("/proc/self/fd/1"), 1);
  EXPECT_EQ(descriptor_of("/proc/" + std::to_string(::getpid()) + "/fd/3"), 3);
  EXPECT_EQ(descriptor_of("/dev/fd/one"), std::nullopt);
  EXPECT_EQ(descriptor_of("/dev/null"), std::nullopt);
  EXPECT_EQ(descriptor_of(made("1", "")), std::nullopt);
  fs::create_symlink("/dev/stdout", in_folder("link"));
  EXPECT_EQ(descriptor_of(in_folder("link")), 1);
}

TEST_F(OutputPathTest, SameFileSeesThroughNames) {
  const std::string a = made("a", "x"), b = made("b", "x");
  fs::create_symlink("a", in_folder("link"));
  fs::create_hard_link(a, in_folder("hard"));
  fs::create_symlink("not yet", in_folder("dangling"));
  fs::create_directory_symlink(".", in_folder("here"));
  EXPECT_TRUE(same_file(a, a));
  EXPECT_TRUE(same_file(a, in_folder("link")));
  EXPECT_TRUE(same_file(a, in_folder("hard")));
  EXPECT_TRUE(same_file(a, in_folder("here/./a")));
  EXPECT_FALSE(same_file(a, b));
  EXPECT_FALSE(same_file(a, in_folder("not yet")));
  EXPECT_TRUE(same_file(in_folder("not yet"), in_folder("here/not yet")));
  EXPECT_TRUE(same_file(in_folder("not yet"), in_folder("dangling")));
  EXPECT_FALSE(same_file(in_folder("not yet"), in_folder("nor this")));
  EXPECT_TRUE(same_file(in_folder("no/x"), in_folder("no/../no/x")));
}

TEST_F(OutputPathTest, SameFileKnowsStandardOutputAndSparesDevices) {
  EXPECT_FALSE(same_file("/dev/null", "/dev/null"));
  const std::string path = made("stdout", "");
  bool dash_is_file = false, both = false;
  with_stdout(::open(path.c_str(), O_WRONLY), [&] {
    dash_is_file = same_file("-", path);
    both = same_file("-", "/dev/stdout");
  });
  EXPECT_TRUE(dash_is_file);
  EXPECT_TRUE(both);
}

}  // namespace
}  // namespace vq::cli
