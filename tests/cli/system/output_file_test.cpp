#include <fcntl.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "cli/system/messages.h"
#include "cli/system/process.h"
#include "tests/support/temporary_folder.h"

namespace vq::cli {
namespace {

class OutputFolderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
  }

  std::string in_folder(const std::string& name) const { return folder_ + "/" + name; }
  std::string made(const std::string& name, const std::string& text) const {
    std::ofstream(in_folder(name), std::ios::binary) << text;
    return in_folder(name);
  }
  std::vector<std::string> names() const {
    std::vector<std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_)) out.push_back(entry.path().filename());
    std::ranges::sort(out);
    return out;
  }
  mode_t mode_of(const std::string& path) const {
    struct stat status;
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    return status.st_mode & 07777;
  }
  // That `act` throws an Error{kOutput} with these parts.
  static void expect_output_error(std::initializer_list<std::string_view> parts,
                                  const std::function<void()>& act) {
    vq::test::expect_error(ErrorKind::kOutput, parts, act);
  }

  const vq::test::TemporaryFolder temporary_;
  const std::string& folder_ = temporary_.path();
};

void write_whole(const std::string& path, const std::string& text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

// Runs `act` with standard output replaced by `fd`, which is closed, and says what it threw.
template <typename Act>
std::optional<std::string> with_stdout(int fd, Act act) {
  std::fflush(stdout);
  const int saved = ::dup(STDOUT_FILENO);
  if (fd >= 0) {
    ::dup2(fd, STDOUT_FILENO);
    ::close(fd);
  } else {
    ::close(STDOUT_FILENO);
  }
  std::optional<std::string> message;
  try {
    act();
  } catch (const Error& error) {
    message = error.what();
  }
  ::dup2(saved, STDOUT_FILENO);
  ::close(saved);
  return message;
}

using OutputFileTest = OutputFolderTest;

TEST_F(OutputFileTest, TheTargetAppearsWithTheCommit) {
  const std::string path = made("out.json", "old");
  {
    OutputFile file(path);
    file.write("new ");
    file.write("text");
    EXPECT_EQ(read_text(path), "old");
    file.finish();
    EXPECT_EQ(read_text(path), "old");
    file.commit();
    EXPECT_EQ(read_text(path), "new text");
  }
  EXPECT_EQ(read_text(path), "new text");
  EXPECT_THAT(names(), ElementsAre("out.json"));
}

TEST_F(OutputFileTest, WithoutACommitNothingChanges) {
  const std::string path = made("out.json", "old");
  { OutputFile(path).write("new"); }
  { OutputFile(in_folder("other.json")).write("new"); }
  EXPECT_EQ(read_text(path), "old");
  EXPECT_THAT(names(), ElementsAre("out.json"));
}

TEST_F(OutputFileTest, AMovedFileIsCommittedOnce) {
  const std::string path = in_folder("out.json");
  OutputFile first(path);
  first.write("a");
  OutputFile second(std::move(first));
  second.write("b");
  second.commit();
  EXPECT_EQ(read_text(path), "ab");
}

TEST_F(OutputFileTest, TemporaryFilesGoWithAProcessThatEndsAtOnce) {
  const auto end_at_once = [&] {
    std::vector<OutputFile> files;
    for (const char* name : {"a", "b", "c", "d"}) files.emplace_back(in_folder(name));  // moved as these grow
    const OutputFile moved(std::move(files[1]));
    files[2].commit();
    remove_temporary_files();
    ::_exit(0);
  };
  EXPECT_EXIT(end_at_once(), ::testing::ExitedWithCode(0), "");
  EXPECT_THAT(names(), ElementsAre("c"));
}

TEST_F(OutputFileTest, AFileThatFindsNoPlaceCanGetAnother) {
  const std::string first = made("a.json", "old a"), second = in_folder("b.json"),
                    third = made("c.json", "old c");
  OutputFile a(first), b(second), c(third);
  for (OutputFile* file : {&a, &b, &c}) file->write("new");
  fs::create_directory(second);
  expect_output_error({second, "Is a directory"}, [&] { commit_outputs({&a, &b, &c}); });
  EXPECT_EQ(read_text(first), "old a");
  EXPECT_EQ(read_text(third), "old c");
  a.commit();
  EXPECT_EQ(read_text(first), "new");
  EXPECT_FALSE(a.is_pending());
  for (OutputFile* file : {&b, &c}) {
    EXPECT_TRUE(file->is_pending());
    file->move_to(partial_path(file->path()));
  }
  commit_outputs({&a, &b, &c});
  EXPECT_TRUE(fs::is_directory(second));
  EXPECT_THAT(names(), ElementsAre("a.json", "b.json", "b.json.partial", "c.json", "c.json.partial"));
  EXPECT_EQ(read_text(partial_path(third)), "new");
}

TEST_F(OutputFileTest, AFolderThatIsGoneHoldsBackTheOthers) {
  const std::string first = made("a.json", "old a");
  fs::create_directory(in_folder("sub"));
  OutputFile a(first), b(in_folder("sub/b.json"));
  fs::remove_all(in_folder("sub"));
  expect_output_error({"b.json", "cannot rename"}, [&] { commit_outputs({&a, &b}); });
  EXPECT_FALSE(b.is_pending());
  EXPECT_EQ(read_text(first), "old a");
}

TEST_F(OutputFileTest, OneThatCannotBeCompletedHoldsBackTheOthers) {
  const std::string first = made("a.json", "old a");
  fs::create_directory(in_folder("sub"));
  OutputFile a(first), b(in_folder("sub/b.json"));
  b.close();
  fs::remove_all(in_folder("sub"));
  expect_output_error({"b.json", "cannot flush"}, [&] { commit_outputs({&a, &b}); });
  EXPECT_FALSE(b.is_pending());
  expect_output_error({"b.json"}, [&] { b.commit(); });
  EXPECT_EQ(read_text(first), "old a");
}

TEST_F(OutputFileTest, AReplacementSparesWhatALinkNames) {
  const std::string other = made("other", "other's"), link = in_folder("link"), pipe = in_folder("pipe");
  fs::create_symlink("other", link);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {link, pipe}) {
    OutputFile file(path, OutputFile::Place::kReplaced);
    file.write("new");
    file.commit();
    EXPECT_EQ(read_text(path), "new");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path)));
  }
  EXPECT_EQ(read_text(other), "other's");
}

TEST_F(OutputFileTest, FilesWhosePlaceComesLaterCanBeMany) {
  constexpr int kMany = 2000;
  const std::string path = made("1", "old");
  ASSERT_EQ(::chmod(path.c_str(), 0604), 0);
  {
    std::vector<OutputFile> files;
    for (int i = 0; i < kMany; ++i) {
      files.emplace_back(path, OutputFile::Place::kLater).write("new");
      files.back().close();
    }
    EXPECT_EQ(names().size(), 1U + kMany);
    files[1].move_to(path);
    files[2].move_to(in_folder("2"));
    commit_outputs({&files[1], &files[2]});
  }
  EXPECT_EQ(read_text(path), "new");
  EXPECT_EQ(mode_of(path), mode_of(in_folder("2")));
  EXPECT_THAT(names(), ElementsAre("1", "2"));
}

TEST_F(OutputFileTest, AFolderThatWasMadeStaysWhereItIsKept) {
  const std::string path = in_folder("maps");
  { OutputFolder folder(path); }
  EXPECT_FALSE(fs::exists(path));
  {
    OutputFolder folder(path);
    folder.keep();
  }
  EXPECT_TRUE(fs::is_directory(path));
  { OutputFolder folder(path); }
  EXPECT_TRUE(fs::is_directory(path));
}

TEST_F(OutputFileTest, ADescriptorIsWrittenWhereItStands) {
  const std::string path = made("log", "begun\n");
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND);
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"})
    write_whole(folder + std::to_string(fd), "more\n");
  const std::string link = in_folder("link");
  fs::create_symlink("/dev/fd/" + std::to_string(fd), link);
  write_whole(link, "last\n");
  ::close(fd);
  EXPECT_EQ(read_text(path), "begun\nmore\nmore\nlast\n");
  expect_output_error({"Bad file descriptor"}, [] { check_writable("/dev/fd/999"); });
}

TEST_F(OutputFileTest, NewFilesHonourUmaskAndOldOnesKeepTheirMode) {
  const mode_t before = ::umask(027);
  write_whole(in_folder("new"), "x");
  ::umask(before);
  EXPECT_EQ(mode_of(in_folder("new")), 0640u);
  ASSERT_EQ(::chmod(made("old", "x").c_str(), 0604), 0);
  write_whole(in_folder("old"), "y");
  EXPECT_EQ(mode_of(in_folder("old")), 0604u);
}

TEST_F(OutputFileTest, LinksAreFollowed) {
  fs::create_directory(in_folder("sub"));
  const std::string real = made("sub/real", "old");
  fs::create_symlink("sub/real", in_folder("link"));
  fs::create_symlink("link", in_folder("link2"));
  fs::create_symlink("sub/new", in_folder("dangling"));
  write_whole(in_folder("link2"), "new");
  write_whole(in_folder("dangling"), "newer");
  EXPECT_EQ(read_text(real), "new");
  EXPECT_TRUE(fs::is_symlink(in_folder("link2")));
  EXPECT_EQ(read_text(in_folder("sub/new")), "newer");
  EXPECT_THAT(names(), ElementsAre("dangling", "link", "link2", "sub"));
}

TEST_F(OutputFileTest, TheLongestNameIsFine) {
  const std::string path = in_folder(std::string(255, 'n'));
  check_writable(path);
  write_whole(path, "x");
  EXPECT_EQ(read_text(path), "x");
  expect_output_error({"File name too long"}, [&] { check_writable(in_folder(std::string(256, 'n'))); });
}

TEST_F(OutputFileTest, ANamedPipeIsWrittenInPlace) {
  const std::string path = in_folder("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  check_writable(path);
  std::string got;
  std::thread reader([&] { got = read_text(path); });
  write_whole(path, "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(path));
  EXPECT_TRUE(is_written_in_place(path));
}

TEST_F(OutputFileTest, StandardOutputHasTwoNames) {
  for (const std::string name : {"-", "/dev/stdout"}) {
    const std::string path = made("stdout", "");
    const auto error = with_stdout(::open(path.c_str(), O_WRONLY | O_TRUNC), [&] {
      check_writable(name);
      write_whole(name, "text");
    });
    EXPECT_EQ(error, std::nullopt);
    EXPECT_EQ(read_text(path), "text");
    EXPECT_TRUE(is_written_in_place(name));
  }
}

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
  for (const auto& [path, words] : places)
    expect_output_error({path, words}, [&place = path] { check_writable(place); });
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
  EXPECT_THAT(names(), ElementsAre("dangling", "old"));
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
