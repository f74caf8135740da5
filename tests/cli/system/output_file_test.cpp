#include "cli/system/output_check.h"
#include "cli/system/output_file.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cerrno>
#include <system_error>
#include <thread>

#include "cli/system/output_folders.h"
#include "cli/system/output_path.h"
#include "tests/support/output_folder.h"

namespace vq::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using OutputFileTest = OutputFolderTest;

// The real calls, one of which fails with a chosen errno. Exchanging names is not counted: a rename steps in.
class FailingOps : public FileOps {
 public:
  FailingOps(int failing_call, int error) : failing_call_(failing_call), error_(error) {}
  int calls() const { return calls_; }
  bool failed() const { return calls_ > failing_call_; }

  int open(const char* path, int flags, mode_t mode) override {
    return fails() ? -1 : FileOps::open(path, flags, mode);
  }
  int duplicate(int fd) override { return fails() ? -1 : FileOps::duplicate(fd); }
  ssize_t write(int fd, const void* data, size_t size) override {
    // One byte at a time at most, so that short writes are met as well.
    return fails() ? -1 : FileOps::write(fd, data, std::min<size_t>(size, 3));
  }
  int fsync(int fd) override { return fails() ? -1 : FileOps::fsync(fd); }
  int close(int fd) override {
    const int result = FileOps::close(fd);
    return fails() ? -1 : result;
  }
  int rename(const char* from, const char* to) override { return fails() ? -1 : FileOps::rename(from, to); }

 private:
  bool fails() {
    if (calls_++ != failing_call_) return false;
    errno = error_;
    return true;
  }
  const int failing_call_;
  const int error_;
  int calls_ = 0;
};

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
  EXPECT_THAT(names(), ::testing::ElementsAre("out.json"));
}

TEST_F(OutputFileTest, WithoutACommitNothingChanges) {
  const std::string path = made("out.json", "old");
  { OutputFile(path).write("new"); }
  { OutputFile(in_folder("other.json")).write("new"); }
  EXPECT_EQ(read_text(path), "old");
  EXPECT_THAT(names(), ::testing::ElementsAre("out.json"));
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

// Every call fails in turn: the old content stays and no temporary file does.
TEST_F(OutputFileTest, EveryFailingCallLeavesTheOldFile) {
  const std::string path = made("out.json", "old");
  for (const int error : {ENOSPC, EFBIG, EIO, EDQUOT, EROFS}) {
    int failures = 0;
    for (int n = 0;; ++n) {
      FailingOps ops(n, error);
      try {
        write_whole(path, "new text", ops);
        if (!ops.failed()) break;
        // Closing the folder after it was flushed.
        EXPECT_EQ(read_text(path), "new text") << "call " << n;
        made("out.json", "old");
      } catch (const Error& thrown) {
        ++failures;
        EXPECT_EQ(thrown.kind(), ErrorKind::kOutput);
        EXPECT_THAT(thrown.what(),
                    AllOf(HasSubstr(folder_), HasSubstr(std::generic_category().message(error))));
      }
      ASSERT_EQ(read_text(path), "old") << "call " << n;
      ASSERT_THAT(names(), ::testing::ElementsAre("out.json")) << "call " << n;
    }
    EXPECT_EQ(failures, 1 + 3 + 1 + 1 + 2);  // open, three short writes, fsync, close; open and fsync of the folder
    EXPECT_EQ(read_text(path), "new text");
    made("out.json", "old");
  }
}

TEST_F(OutputFileTest, EveryFailingCallLeavesNoNewFile) {
  constexpr int kCalls = 1 + 3 + 1 + 1 + 1 + 2;  // with the rename, which is none for a file that is replaced
  for (int n = 0; n < kCalls; ++n) {
    FailingOps ops(n, EIO);
    EXPECT_THROW(write_whole(in_folder("out.json"), "new text", ops), Error);
    EXPECT_TRUE(ops.failed());
    EXPECT_THAT(names(), ::testing::IsEmpty()) << "call " << n;
  }
}

TEST_F(OutputFileTest, InterruptedCallsAreRepeated) {
  for (int n = 1; n < 6; ++n) {
    FailingOps ops(n, EINTR);
    write_whole(in_folder("out.json"), "new text", ops);
    EXPECT_TRUE(ops.failed());
    EXPECT_EQ(read_text(in_folder("out.json")), "new text");
  }
}

TEST_F(OutputFileTest, AFileSystemThatCannotFlushIsNoError) {
  FailingOps ops(4, EINVAL);  // fsync
  write_whole(in_folder("out.json"), "new text", ops);
  EXPECT_TRUE(ops.failed());
  EXPECT_EQ(read_text(in_folder("out.json")), "new text");
}

TEST_F(OutputFileTest, SeveralOutputsAppearTogetherOrNotAtAll) {
  const std::string first = made("a.json", "old a"), second = made("b.xml", "old b");
  // open, write, fsync and close of both, and open and fsync of the folder.
  for (int n = 0; n < 8 + 2; ++n) {
    FailingOps ops(n, ENOSPC);
    EXPECT_THROW(write_outputs({{first, "new"}, {second, "new"}}, ops), Error);
    EXPECT_EQ(read_text(first), "old a") << n;
    EXPECT_EQ(read_text(second), "old b") << n;
    EXPECT_THAT(names(), ::testing::ElementsAre("a.json", "b.xml")) << n;
  }
  write_outputs({{first, "new a"}, {second, "new b"}, {"/dev/null", "x"}});
  EXPECT_EQ(read_text(first), "new a");
  EXPECT_EQ(read_text(second), "new b");
}

// Nothing can take the place of one of the files.
class RefusedPlace : public FileOps {
 public:
  explicit RefusedPlace(std::string path, bool can_exchange = true)
      : path_(std::move(path)), can_exchange_(can_exchange) {}
  int rename(const char* from, const char* to) override {
    return to == path_ ? refuse(EACCES) : FileOps::rename(from, to);
  }
  int exchange(const char* one, const char* other) override {
    if (!can_exchange_) return refuse(EINVAL);
    return other == path_ ? refuse(EACCES) : FileOps::exchange(one, other);
  }

 private:
  static int refuse(int error) {
    errno = error;
    return -1;
  }
  const std::string path_;
  const bool can_exchange_;
};

TEST_F(OutputFileTest, ARenameThatFailsTakesBackTheOthers) {
  const std::string first = made("a.json", "old a"), second = in_folder("b.json"), third = made("c.json", "old c");
  RefusedPlace ops(third);
  expect_output_error({third, "Permission denied"}, [&] { write_outputs({{first, "new"}, {second, "new"}, {third, "new"}}, ops); });
  EXPECT_EQ(read_text(first), "old a");
  EXPECT_EQ(read_text(third), "old c");
  EXPECT_THAT(names(), ::testing::ElementsAre("a.json", "c.json"));
}

TEST_F(OutputFileTest, WithoutAnExchangeOfNamesNewFilesAreTakenBackAlone) {
  const std::string first = made("a.json", "old a"), second = in_folder("b.json"), third = made("c.json", "old c");
  RefusedPlace none("", false), ops(third, false);
  EXPECT_THROW(write_outputs({{first, "new"}, {second, "new"}, {third, "new"}}, ops), Error);
  EXPECT_EQ(read_text(first), "new");
  EXPECT_THAT(names(), ::testing::ElementsAre("a.json", "c.json"));
  write_outputs({{first, "newer"}, {second, "newer"}}, none);
  EXPECT_EQ(read_text(first), "newer");
  EXPECT_EQ(read_text(second), "newer");
  EXPECT_THAT(names(), ::testing::ElementsAre("a.json", "b.json", "c.json"));
}

TEST_F(OutputFileTest, FilesThatFoundNoPlaceCanGetAnother) {
  const std::string first = in_folder("a.json"), second = made("b.json", "old b");
  RefusedPlace ops(second);
  OutputFile a(first, ops), b(second, ops);
  a.write("new a");
  b.write("new b");
  EXPECT_THROW(commit_outputs({&a, &b}), Error);
  EXPECT_THAT(names(), ::testing::Contains("b.json"));
  EXPECT_FALSE(fs::exists(first));
  a.move_to(partial_path(first));
  b.move_to(partial_path(second));
  commit_outputs({&a, &b});
  EXPECT_THAT(names(), ::testing::ElementsAre("a.json.partial", "b.json", "b.json.partial"));
  EXPECT_EQ(read_text(second), "old b");
  EXPECT_EQ(read_text(partial_path(second)), "new b");
}

// A folder that takes the place in the last moment.
class LateFolder : public FileOps {
 public:
  int exchange(const char* one, const char* other) override {
    if (!std::exchange(done_, true)) {
      fs::remove(other);
      fs::create_directory(other);
    }
    return FileOps::exchange(one, other);
  }

 private:
  bool done_ = false;
};

TEST_F(OutputFileTest, AFolderIsNeverReplaced) {
  const std::string path = made("a.json", "old");
  LateFolder ops;
  expect_output_error({"Is a directory"}, [&] { write_whole(path, "new", ops); });
  EXPECT_TRUE(fs::is_directory(path));
  EXPECT_THAT(names(), ::testing::ElementsAre("a.json"));
}

// Counts what is flushed.
class CountedFlushes : public FileOps {
 public:
  int open(const char* path, int flags, mode_t mode) override {
    const int fd = FileOps::open(path, flags, mode);
    if ((flags & O_DIRECTORY) != 0) folder_ = fd;
    return fd;
  }
  int fsync(int fd) override {
    ++(fd == folder_ ? folders : files);
    return FileOps::fsync(fd);
  }
  int folders = 0, files = 0;

 private:
  int folder_ = -1;
};

TEST_F(OutputFileTest, AFolderIsFlushedOnceForAllOfItsFiles) {
  fs::create_directory(in_folder("sub"));
  CountedFlushes ops;
  write_outputs({{in_folder("a"), "a"}, {in_folder("b"), "b"}, {in_folder("sub/c"), "c"}}, ops);
  EXPECT_EQ(ops.files, 3);
  EXPECT_EQ(ops.folders, 2);
}

TEST_F(OutputFileTest, AReplacementSparesWhatALinkNames) {
  const std::string other = made("other", "other's"), link = in_folder("link"), pipe = in_folder("pipe");
  fs::create_symlink("other", link);
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const std::string& path : {link, pipe}) {
    OutputFile file(path, OutputFile::Replace());
    file.write("new");
    file.commit();
    EXPECT_EQ(read_text(path), "new");
    EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(path)));
  }
  EXPECT_EQ(read_text(other), "other's");
}

TEST_F(OutputFileTest, FilesOfAHiddenFolderCanBeMany) {
  const std::string path = made("1", "old");
  {
    HiddenFolder hidden(folder_);
    std::vector<OutputFile> files;
    for (int i = 0; i < 2000; ++i) {
      files.emplace_back(in_folder(std::to_string(i)), hidden);
      files.back().write("new");
      files.back().close();
    }
    EXPECT_EQ(names().size(), 2U);
    std::vector<OutputFile*> some = {&files[1], &files[1999]};
    commit_outputs(some);
  }
  EXPECT_EQ(read_text(path), "new");
  EXPECT_THAT(names(), ::testing::ElementsAre("1", "1999"));
}

TEST_F(OutputFileTest, ADescriptorIsWrittenWhereItStands) {
  const std::string path = made("log", "begun\n");
  const int fd = ::open(path.c_str(), O_WRONLY | O_APPEND);
  for (const std::string folder : {"/dev/fd/", "/proc/self/fd/"}) write_whole(folder + std::to_string(fd), "more\n");
  const std::string link = in_folder("link");
  fs::create_symlink("/dev/fd/" + std::to_string(fd), link);
  write_whole(link, "last\n");
  ::close(fd);
  EXPECT_EQ(read_text(path), "begun\nmore\nmore\nlast\n");
  expect_output_error({"Bad file descriptor"}, [] { check_writable("/dev/fd/999"); });
}

TEST_F(OutputFileTest, ADeviceThatIsFullSparesTheOtherOutputs) {
  const std::string path = made("a.json", "old");
  expect_output_error({"/dev/full", "No space left on device"}, [&] { write_outputs({{"/dev/full", "new"}, {path, "new"}}); });
  EXPECT_EQ(read_text(path), "old");
  EXPECT_THAT(names(), ::testing::ElementsAre("a.json"));
  struct stat status;
  ASSERT_EQ(::stat("/dev/full", &status), 0);
  EXPECT_TRUE(S_ISCHR(status.st_mode));
}

TEST_F(OutputFileTest, AFileSizeLimitIsAnErrorInWords) {
  const std::string path = made("out.json", "old");
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small{1024, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  expect_output_error({"File too large"}, [&] { write_whole(path, std::string(5000, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_EQ(read_text(path), "old");
  EXPECT_THAT(names(), ::testing::ElementsAre("out.json"));
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
  EXPECT_THAT(names(), ::testing::ElementsAre("dangling", "link", "link2", "sub"));
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

TEST_F(OutputFileTest, AReaderThatIsGoneIsAnErrorInWords) {
  const std::string path = in_folder("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  OutputFile file(path);
  ::close(reader);
  expect_output_error({"Broken pipe"}, [&] { file.write("x"); });
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

TEST_F(OutputFileTest, StandardOutputThatIsClosedOrReadOnlyIsFoundEarly) {
  const auto check = [] { check_writable("-"); };
  const auto write = [] { write_whole("-", "text"); };
  EXPECT_EQ(with_stdout(-1, check), "-: standard output: Bad file descriptor");
  EXPECT_EQ(with_stdout(-1, write), "-: cannot write: Bad file descriptor");
  EXPECT_EQ(with_stdout(::open("/dev/null", O_RDONLY), check), "-: standard output: Bad file descriptor");
  EXPECT_EQ(with_stdout(::open("/dev/full", O_WRONLY), write), "-: cannot write: No space left on device");
}

TEST_F(OutputFileTest, ABusyPipeIsWaitedFor) {
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK), 0);
  std::string got;
  std::thread reader([&] {
    ::fcntl(ends[0], F_SETFL, 0);
    char buffer[4096];
    for (ssize_t size; (size = ::read(ends[0], buffer, sizeof buffer)) > 0;) got.append(buffer, size);
  });
  const std::string text(1 << 20, 'x');  // many times what a pipe holds
  const auto error = with_stdout(ends[1], [&] { write_whole("-", text); });
  reader.join();
  ::close(ends[0]);
  EXPECT_EQ(error, std::nullopt);
  EXPECT_EQ(got, text);
}

}  // namespace
}  // namespace vq::cli
