#include "cli/decoding/uncompressed/file_mapping.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/decoding/open_video.h"
#include "tests/support/run_program.h"
#include "tests/support/source_test.h"

namespace vq::cli {
namespace {

using test::ProgramResult;
using test::read_file;
using test::RunningProgram;

class FileMappingTest : public testing::Test {
 protected:
  // A file of `size` bytes, of which each is its offset modulo 251.
  int open_file(size_t size) {
    std::string bytes(size, '\0');
    for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i % 251);
    std::ofstream(path_, std::ios::binary) << bytes;
    return file_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC);
  }
  ~FileMappingTest() override {
    if (file_ >= 0) ::close(file_);
  }

  test::TemporaryFolder folder_;
  const std::string path_ = folder_.path() + "/numbers";
  int file_ = -1;
};

TEST_F(FileMappingTest, ShowsThePartThatIsAskedFor) {
  const int file = open_file(100'000);
  for (const int64_t offset : {0, 1, 4095, 4096, 70'001}) {
    const auto mapping = FileMapping::of(file, offset, 20'000);
    ASSERT_NE(mapping, nullptr) << offset;
    for (int64_t i = 0; i < 20'000; ++i)
      ASSERT_EQ(mapping->data()[i], (offset + i) % 251) << offset << " " << i;
    EXPECT_FALSE(mapping->loss()->happened);
  }
}

// Libraries load whole vectors at the end of rows.
TEST_F(FileMappingTest, APageBehindCanBeRead) {
  const int file = open_file(8192);
  std::vector<std::shared_ptr<const FileMapping>> mappings;
  for (const int64_t offset : {0, 1, 4095, 4096}) {
    mappings.push_back(FileMapping::of(file, offset, static_cast<size_t>(8192 - offset)));
    ASSERT_NE(mappings.back(), nullptr);
    for (int i = 0; i < 4096; ++i)
      EXPECT_EQ(mappings.back()->data()[8192 - offset + i], 0) << offset << " " << i;
  }
}

TEST_F(FileMappingTest, IsForWhatTheFileHas) {
  const int file = open_file(5000);
  EXPECT_NE(FileMapping::of(file, 4000, 1000), nullptr);
  EXPECT_EQ(FileMapping::of(file, 4000, 1001), nullptr);
  EXPECT_EQ(FileMapping::of(file, 6000, 1), nullptr);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  EXPECT_EQ(FileMapping::of(ends[0], 0, 1), nullptr);
  for (const int end : ends) ::close(end);
}

TEST_F(FileMappingTest, ReadsAsZeroWhereTheFileBecameShorter) {
  const int file = open_file(40'000);
  const auto cut = FileMapping::of(file, 20'000, 20'000), whole = FileMapping::of(file, 0, 4096);
  ASSERT_EQ(::truncate(path_.c_str(), 10'000), 0);
  for (int i = 0; i < 20'000; ++i) ASSERT_EQ(cut->data()[i], 0);
  EXPECT_TRUE(cut->loss()->happened);
  EXPECT_EQ(whole->data()[100], 100);
  EXPECT_FALSE(whole->loss()->happened);
}

// There is no signal for the page that the file still reaches into.
TEST_F(FileMappingTest, NoticesACutWithinAPage) {
  const int file = open_file(20'000);
  const auto cut = FileMapping::of(file, 10'000, 10'000), whole = FileMapping::of(file, 0, 10'000);
  ASSERT_EQ(::truncate(path_.c_str(), 19'900), 0);
  EXPECT_EQ(cut->data()[9'999], 0);
  EXPECT_TRUE(cut->loss()->has_happened());
  EXPECT_FALSE(whole->loss()->has_happened());
}

// The handler is for mappings alone.
TEST_F(FileMappingTest, OtherMemoryThatIsLostEndsTheProcess) {
  const int file = open_file(10'000);
  const auto mapping = FileMapping::of(file, 0, 100);
  const void* const other = mmap(nullptr, 10'000, PROT_READ, MAP_SHARED, file, 0);
  ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
  EXPECT_EXIT(_exit(*static_cast<const volatile uint8_t*>(other)), testing::KilledBySignal(SIGBUS), "");
  munmap(const_cast<void*>(other), 10'000);
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

// Words at an odd place are copied: they cannot be read there.
TEST_F(FileMappingTest, PicturesOfFilesAreThoseOfPipes) {
  for (const int depth : {8, 10}) {
    for (const size_t header : {64, 65}) {
      const std::string text = video(header, depth);
      std::ofstream(path_, std::ios::binary) << text;
      const auto source = open_video(options_for(path_, 0, 3));
      const auto piped = open_bytes(text_bytes(text), options_for("", 0, 3), false);
      for (int i = 0; i < 2; ++i) {
        const auto frame = source->read(), same = piped->read();
        ASSERT_TRUE(frame && same);
        EXPECT_EQ(planes_crc(*frame), planes_crc(*same));
        EXPECT_EQ(frame->loss != nullptr, depth == 8 || header % 2 == 0) << depth << " " << header;
      }
      EXPECT_FALSE(source->read());
    }
  }
}

TEST_F(FileMappingTest, AFrameSaysThatItsSamplesWereLost) {
  const std::string text = video(64, 8);
  std::ofstream(path_, std::ios::binary) << text;
  const auto source = open_video(options_for(path_));
  const auto first = source->read(), second = source->read();
  ASSERT_TRUE(first && second);
  ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
  EXPECT_EQ(second->luma().u8.row(63)[0], 0);
  EXPECT_TRUE(second->loss->happened);
  EXPECT_EQ(second->loss->reason, path_ + ": frame 1: the file became shorter while it was read");
}

// The file is cut while the program waits for the reference, with pictures of the file in hand.
TEST_F(FileMappingTest, ARunEndsAtTheFrameWhoseSamplesWereLost) {
  const std::string text = video(64, 8, 40), report = folder_.path() + "/report.json";
  for (const bool is_sandboxed : {false, true}) {
    if (is_sandboxed && test::kSanitized) continue;  // sanitizers have threads and start processes themselves
    std::ofstream(path_, std::ios::binary) << text;
    std::vector<std::string> words = {"-r",   "-",          "-d",   path_, "--feature",
                                      "psnr", "--progress", "json", "-o",  report};
    if (is_sandboxed) words.push_back("--sandbox");
    RunningProgram program(words);
    program.write_input(text.substr(0, text.size() / 4));
    ASSERT_TRUE(program.wait_for_error("{\"frames\": 1,"));
    ASSERT_EQ(::truncate(path_.c_str(), 0), 0);
    program.write_input(text.substr(text.size() / 4, 3 * text.size() / 40));  // the pictures in hand
    program.close_input();
    const ProgramResult result = program.wait();
    EXPECT_EQ(result.code, 6);
    EXPECT_NE(result.err.find(": the file became shorter while it was read"), std::string::npos)
        << result.err;
    const auto frames = nlohmann::json::parse(read_file(report + ".partial")).at("frames");
    EXPECT_GT(frames.size(), 0U);
    EXPECT_LT(frames.size(), 13U);
    for (const auto& frame : frames) EXPECT_EQ(frame.at("metrics").at("psnr_y"), 60) << frame;
  }
}

}  // namespace
}  // namespace vq::cli
