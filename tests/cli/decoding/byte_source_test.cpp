#include "cli/decoding/uncompressed/byte_source.h"
#include "cli/system/standard_streams.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <numeric>
#include <thread>

#include "tests/support/expect_error.h"
#include "tests/support/source_test.h"
#include "tests/support/temporary_folder.h"

namespace vq::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::vector<uint8_t> pattern(size_t size) {
  std::vector<uint8_t> bytes(size);
  uint32_t state = 1;
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::vector<uint8_t>& bytes) {
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  const std::string& path() const { return path_; }

 private:
  const vq::test::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/file";
};

void expect_unopened(const std::string& path, std::string_view reason) {
  vq::test::expect_error(ErrorKind::kInput, {reason}, [&] { open_byte_source(path); });
}

TEST(ByteSource, SaysWhyAFileCannotBeOpened) {
  expect_unopened("/nonexistent/a.mp4", "/nonexistent/a.mp4 cannot be opened: No such file or directory");
  expect_unopened(vq::test::TemporaryFolder().path(), "Is a directory");
  const TemporaryFile empty({});
  expect_unopened(empty.path(), "is empty");
  const TemporaryFile locked({1});
  ::chmod(locked.path().c_str(), 0);
  if (::geteuid() != 0) expect_unopened(locked.path(), "Permission denied");  // nothing is locked for root
  // Addresses are names of files, and control characters in names are escaped.
  for (const char* path :
       {"http://localhost/a.mp4", "data:text/plain,a", "concat:a|b", "pipe:0", "file:a", "img%03d.png"}) {
    expect_unopened(path, std::string(path) + " cannot be opened: No such file or directory");
  }
  expect_unopened("no\nsuch\x1b[0m", "no\\nsuch\\x1b[0m cannot be opened");
}

TEST(ByteSource, ReadsAndSeeksInARegularFile) {
  const auto bytes = pattern(1000);
  const TemporaryFile file(bytes);
  const auto source = open_byte_source(file.path());
  EXPECT_EQ(source->size(), 1000);
  std::vector<uint8_t> got(2000);
  EXPECT_EQ(source->read(got.data(), got.size()), 1000u);
  EXPECT_EQ(source->read(got.data(), got.size()), 0u);
  source->seek(990);
  EXPECT_EQ(source->read(got.data(), got.size()), 10u);
  EXPECT_TRUE(std::equal(bytes.begin() + 990, bytes.end(), got.begin()));
}

TEST(ByteSource, SeesAFileShrink) {
  const TemporaryFile file(pattern(1000));
  const auto source = open_byte_source(file.path());
  ByteReader reader(open_byte_source(file.path())), skipping(open_byte_source(file.path()));
  ASSERT_EQ(::truncate(file.path().c_str(), 10), 0);
  EXPECT_EQ(source->size(), 10);
  std::vector<uint8_t> got(1000);
  try {
    reader.read(got.data(), got.size());
    ADD_FAILURE() << "the end is taken for the end of the whole file";
  } catch (const ReadError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("became shorter"), HasSubstr("byte 10"), HasSubstr("1000")));
  }
  EXPECT_EQ(skipping.skip(10), 10);
  EXPECT_THROW(skipping.skip(1), ReadError);
  EXPECT_EQ(ByteReader(open_byte_source(file.path())).skip(1000), 10);
}

TEST(ByteSource, KnowsTheNamesOfStandardInput) {
  const vq::test::TemporaryFolder temporary;
  const std::string& folder = temporary.path();
  const auto link = [&](const std::string& target, const char* name) {
    EXPECT_EQ(::symlink(target.c_str(), (folder + "/" + name).c_str()), 0);
    return folder + "/" + name;
  };
  const std::string own = "/proc/" + std::to_string(::getpid()) + "/fd/0";
  const std::string direct = link("/dev/stdin", "direct"), far = link("direct", "far");
  for (const std::string& name :
       {std::string("-"), std::string("/dev/stdin"), std::string("/dev/fd/0"), std::string("/dev/./fd//0"),
        std::string("/proc/self/fd/0"), std::string("/proc/thread-self/fd/0"), own, direct, far}) {
    EXPECT_TRUE(is_standard_input(name)) << name;
  }
  const std::string file = link("/proc/self/status", "file"), loop = link("loop", "loop");
  for (const std::string& name : {std::string(""), std::string("0"), std::string("/dev/null"),
                                  std::string("/dev/fd/1"), std::string("/dev/stdout"), folder, file, loop}) {
    EXPECT_FALSE(is_standard_input(name)) << name;
  }
}

TEST(ByteSource, GivesAllBytesAtOnce) {
  const auto bytes = pattern(200000);
  for (const bool seekable : {false, true}) {
    MemorySource source(bytes, seekable);
    const auto all = read_all_bytes(source, bytes.size());
    ASSERT_TRUE(all);
    EXPECT_TRUE(std::equal(all->begin(), all->end(), bytes.begin(), bytes.end(),
                           [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; }));
    MemorySource longer(bytes, seekable);
    EXPECT_FALSE(read_all_bytes(longer, bytes.size() - 1));
  }
}

TEST(ByteSource, ReadsAPipeThatComesInPieces) {
  const vq::test::TemporaryFolder folder;
  const std::string path = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  const auto bytes = pattern(200000);
  std::thread writer([&] {
    std::ofstream out(path, std::ios::binary);
    for (size_t at = 0; at < bytes.size(); at += 777) {
      out.write(reinterpret_cast<const char*>(bytes.data() + at),
                static_cast<std::streamsize>(std::min<size_t>(777, bytes.size() - at)));
      out.flush();
    }
  });
  ByteReader reader(open_byte_source(path));
  EXPECT_EQ(reader.size(), std::nullopt);
  std::vector<uint8_t> got(bytes.size() + 1);
  EXPECT_EQ(reader.read(got.data(), got.size()), bytes.size());
  got.pop_back();
  EXPECT_TRUE(got == bytes);
  writer.join();
}

TEST(ByteSource, StopsWaitingForAPipeWhenAsked) {
  const vq::test::TemporaryFolder folder;
  const std::string path = folder.path() + "/fifo";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  std::atomic<int> asked{0};
  std::ofstream writer;
  std::thread opener([&] { writer.open(path); });
  const auto source = open_byte_source(path, StopToken([&] { return ++asked > 2; }));
  opener.join();
  uint8_t byte = 0;
  EXPECT_THROW(source->read(&byte, 1), ReadError);
}

class ByteReaderTest : public testing::TestWithParam<bool> {};

TEST_P(ByteReaderTest, MixesAllWaysOfReading) {
  const auto bytes = pattern(300000);
  ByteReader reader(std::make_unique<MemorySource>(bytes, GetParam()));
  EXPECT_EQ(reader.peek(5), std::string_view(reinterpret_cast<const char*>(bytes.data()), 5));
  EXPECT_EQ(reader.offset(), 0);
  EXPECT_EQ(reader.next(), bytes[0]);
  EXPECT_EQ(reader.skip(100), 100);
  EXPECT_EQ(reader.next(), bytes[101]);
  EXPECT_EQ(reader.skip(150000), 150000);
  EXPECT_EQ(reader.offset(), 150102);
  EXPECT_EQ(reader.peek(1).front(), static_cast<char>(bytes[150102]));
  std::vector<uint8_t> got(100000);
  EXPECT_EQ(reader.read(got.data(), got.size()), got.size());
  EXPECT_TRUE(std::equal(got.begin(), got.end(), bytes.begin() + 150102));
  EXPECT_EQ(reader.offset(), 250102);
  EXPECT_EQ(reader.skip(1000000), 49898);
  EXPECT_EQ(reader.next(), std::nullopt);
  EXPECT_TRUE(reader.peek(1).empty());
}

INSTANTIATE_TEST_SUITE_P(Seekable, ByteReaderTest, testing::Bool());

TEST(ByteReader, PassesErrorsOn) {
  ByteReader reader(std::make_unique<FailingSource>(std::make_unique<MemorySource>(pattern(200000)), 1));
  EXPECT_EQ(reader.next(), pattern(1)[0]);
  std::vector<uint8_t> got(200000);
  EXPECT_THROW(reader.read(got.data(), got.size()), ReadError);
}

}  // namespace
}  // namespace vq::cli
