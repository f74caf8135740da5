#include <unistd.h>

#include "cli/decoding/open_video.h"
#include "cli/system/messages.h"
#include "tests/support/run_program.h"
#include "tests/support/source_test.h"

namespace vq::cli::test {
namespace {

std::vector<uint8_t> pattern(size_t size) {
  std::vector<uint8_t> bytes(size);
  uint32_t state = 1;
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>((state = state * 1664525 + 1013904223) >> 24);
  return bytes;
}

TEST(ByteSource, EscapesControlCharactersInNames) {
  vq::test::expect_error(ErrorKind::kInput, {"no\\nsuch\\x1b[0m cannot be opened"},
                         [&] { open_byte_source("no\nsuch\x1b[0m"); });
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

TEST(ByteReader, MixesAllWaysOfReading) {
  const auto bytes = pattern(300000);
  for (const bool seekable : {false, true}) {
    ByteReader reader(std::make_unique<MemorySource>(bytes, seekable));
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
}

TEST(ByteReader, PassesErrorsOn) {
  ByteReader reader(std::make_unique<FailingSource>(std::make_unique<MemorySource>(pattern(200000)), 1));
  EXPECT_EQ(reader.next(), pattern(1)[0]);
  std::vector<uint8_t> got(200000);
  EXPECT_THROW(reader.read(got.data(), got.size()), ReadError);
}

class FileSourceTest : public FolderTest {
 protected:
  const std::string path_ = in_folder("numbers");
};

TEST_F(FileSourceTest, ReadersSeeTheFileShrink) {
  std::ofstream(path_) << std::string(1000, 'x');
  const auto source = open_byte_source(path_);
  ByteReader reader(open_byte_source(path_)), skipping(open_byte_source(path_));
  ASSERT_EQ(::truncate(path_.c_str(), 10), 0);
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
  EXPECT_EQ(ByteReader(open_byte_source(path_)).skip(1000), 10);
}

// Pictures of 64x64 behind a header of `header_bytes`.
std::string video(size_t header_bytes, int depth, int pictures = 2) {
  std::string text = "YUV4MPEG2 W64 H64 F25:1 " + std::string(depth > 8 ? "C420p10 X" : "C420jpeg X");
  text += std::string(header_bytes - text.size() - 1, 'x') + "\n";
  for (int picture = 0; picture < pictures; ++picture) {
    text += "FRAME\n";
    for (int i = 0; i < 64 * 64 * 3 / 2 * (depth > 8 ? 2 : 1); ++i)
      text += static_cast<char>(depth > 8 && i % 2 == 1 ? i % 3 : (i + picture) % 256);
  }
  return text;
}

// Words at even and at odd places of the file.
TEST_F(FileSourceTest, PicturesOfFilesAreThoseOfPipes) {
  for (const int depth : {8, 10}) {
    for (const size_t header : {64, 65}) {
      const std::string text = video(header, depth);
      std::ofstream(path_, std::ios::binary) << text;
      const auto source = open_video(options_for(path_, 0, 3));
      const auto piped = open_bytes(text_bytes(text), options_for("", 0, 3), false);
      for (int i = 0; i < 2; ++i) {
        const auto frame = source->read(), same = piped->read();
        ASSERT_TRUE(frame && same);
        EXPECT_EQ(planes_crc(*frame), planes_crc(*same)) << depth << " " << header;
      }
      EXPECT_FALSE(source->read());
    }
  }
}

// The file is cut while the program waits for the reference, with pictures of the file in hand.
TEST_F(FileSourceTest, ARunEndsAtTheFirstMissingFrame) {
  const std::string text = video(64, 8, 200), report = in_folder("report.json");
  for (const bool is_sandboxed : {false, true}) {
    if (is_sandboxed && kSanitized) continue;  // sanitizers have threads and start processes themselves
    std::ofstream(path_, std::ios::binary) << text;
    std::vector<std::string> words = {"-r",   "-",          "-d",   path_, "--feature",
                                      "psnr", "--progress", "json", "-o",  report};
    if (is_sandboxed) words.push_back("--sandbox");
    RunningProgram program(words);
    program.write_input(text.substr(0, text.size() / 20));
    ASSERT_TRUE(program.wait_for_error("{\"frames\": 1,"));
    ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    EXPECT_THROW(program.write_input(text.substr(text.size() / 20)),
                 std::runtime_error);  // the end of reading
    program.close_input();
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.code, 6);
    EXPECT_NE(result.err.find(": the file became shorter while it was read"), std::string::npos)
        << result.err;
    const auto frames = read_json(report + ".partial").at("frames");
    EXPECT_GT(frames.size(), 0U);
    EXPECT_LT(frames.size(), 100U);
    for (const auto& frame : frames) EXPECT_EQ(frame.at("metrics").at("psnr_y"), 60) << frame;
  }
}

}  // namespace
}  // namespace vq::cli::test
