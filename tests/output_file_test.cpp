#include "cli/output_file.h"

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

#include "tests/output_folder.h"

namespace vq::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using OutputFileTest = OutputFolderTest;

// The real calls, one of which fails with a chosen errno.
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
  int unlink(const char* path) override { return fails() ? -1 : FileOps::unlink(path); }

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
        ASSERT_FALSE(ops.failed()) << "call " << n << " failed unnoticed";
        break;
      } catch (const Error& thrown) {
        ++failures;
        EXPECT_EQ(thrown.kind(), ErrorKind::kOutput);
        EXPECT_THAT(thrown.what(), AllOf(HasSubstr(path), HasSubstr(std::generic_category().message(error))));
      }
      ASSERT_EQ(read_text(path), "old") << "call " << n;
      ASSERT_THAT(names(), ::testing::ElementsAre("out.json")) << "call " << n;
    }
    EXPECT_EQ(failures, 1 + 3 + 1 + 1 + 1);  // open, three short writes, fsync, close, rename
    EXPECT_EQ(read_text(path), "new text");
    made("out.json", "old");
  }
}

TEST_F(OutputFileTest, EveryFailingCallLeavesNoNewFile) {
  for (int n = 0; n < 7; ++n) {
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
  // All calls before the first rename: open, write, fsync and close of both.
  for (int n = 0; n < 8 + 1; ++n) {
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

TEST_F(OutputFileTest, ADeviceThatIsFullSparesTheOtherOutputs) {
  const std::string path = made("a.json", "old");
  EXPECT_THAT(output_error_of([&] {
                write_outputs({{"/dev/full", "new"}, {path, "new"}});
              }),
              AllOf(HasSubstr("/dev/full"), HasSubstr("No space left on device")));
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
  const std::string message = output_error_of([&] { write_whole(path, std::string(5000, 'x')); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  EXPECT_THAT(message, HasSubstr("File too large"));
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
  EXPECT_THAT(output_error_of([&] { check_writable(in_folder(std::string(256, 'n'))); }),
              HasSubstr("File name too long"));
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
  EXPECT_EQ(partial_path(path), std::nullopt);
}

TEST_F(OutputFileTest, AReaderThatIsGoneIsAnErrorInWords) {
  const std::string path = in_folder("pipe");
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  OutputFile file(path);
  ::close(reader);
  EXPECT_THAT(output_error_of([&] { file.write("x"); }), HasSubstr("Broken pipe"));
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
    EXPECT_EQ(partial_path(name), std::nullopt);
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
