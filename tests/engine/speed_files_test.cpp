// What is remembered of speeds lies in files that may be damaged, or not be writable.
#include "engine/faster_backend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "cli/inputs/remarks.h"
#include "cli/run/open_run.h"
#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

namespace fs = std::filesystem;

const Speeds kSpeeds = {.cpu = {0.1, 100},
                        .gpu = {1, 1400},
                        .software = {0.2, 0.3},
                        .beside_gpu = {0.4, 0.5},
                        .seen = {0.6, 0.7, 0.8}};

class SpeedFilesTest : public ::testing::Test {
 protected:
  std::vector<fs::path> paths() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(folder_.path() + "/deeper")) all.push_back(entry.path());
    return all;
  }
  bool knows(const std::string& key) const { return files_.recall(key).has_value(); }

  TemporaryFolder folder_;
  SpeedFiles files_{folder_.path() + "/deeper"};
};

TEST_F(SpeedFilesTest, KeepWhatTheyAreGiven) {
  EXPECT_FALSE(knows("a"));
  files_.keep("a", kSpeeds);
  const Speeds known = SpeedFiles(folder_.path() + "/deeper").recall("a").value();
  EXPECT_EQ(known.cpu.start, 0.1);
  EXPECT_EQ(known.cpu.rate, 100);
  EXPECT_EQ(known.gpu.start, 1);
  EXPECT_EQ(known.gpu.rate, 1400);
  EXPECT_EQ(known.software.each, 0.3);
  EXPECT_EQ(known.beside_gpu.each, 0.5);
  EXPECT_EQ(known.seen, kSpeeds.seen);
  EXPECT_FALSE(knows("b"));
}

TEST_F(SpeedFilesTest, ADamagedAnswerIsNone) {
  files_.keep("a", kSpeeds);
  ASSERT_EQ(paths().size(), 1U);
  const fs::path file = paths().front();
  const auto size = fs::file_size(file);
  for (uintmax_t at = 0; at < size; ++at) {
    {
      std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
      damaged.seekg(static_cast<std::streamoff>(at));
      const char byte = static_cast<char>(damaged.get() ^ 0x10);
      damaged.seekp(static_cast<std::streamoff>(at));
      damaged.put(byte);
    }
    EXPECT_FALSE(knows("a")) << "byte " << at;
    files_.keep("a", kSpeeds);
    EXPECT_TRUE(knows("a"));
  }
  fs::resize_file(file, size / 2);
  EXPECT_FALSE(knows("a"));
  std::ofstream(file, std::ios::trunc) << "something else";
  EXPECT_FALSE(knows("a"));
}

TEST_F(SpeedFilesTest, NonsenseIsNoAnswer) {
  Speeds stopped = kSpeeds;
  stopped.gpu.rate = 0;
  files_.keep("a", stopped);
  EXPECT_FALSE(knows("a"));
}

TEST_F(SpeedFilesTest, WhereNothingCanBeWrittenNothingIsKnown) {
  std::ofstream(folder_.path() + "/file") << "a file";
  SpeedFiles lost(folder_.path() + "/file/x");
  lost.keep("a", kSpeeds);
  EXPECT_FALSE(lost.recall("a"));
}

TEST(RunDevices, DecodingIsTried) {
  SourceOptions options;
  options.path = testdata("clips/sky_640x360_8b.mp4");
  EXPECT_GT(measure_decoding(options).each, 0);
  for (const char* path : {"-", "not there"}) {
    options.path = path;
    EXPECT_EQ(measure_decoding(options).each, 0) << path;
  }
}

TEST(Wording, NamesTheFlagOfAnotherBackend) {
  EXPECT_EQ(in_words({.text = "using A GPU", .advice = Advice::kOtherBackend, .subjects = {"cpu"}}),
            "using A GPU (--backend cpu uses the CPU)");
  EXPECT_EQ(in_words({.text = "using the CPU", .advice = Advice::kOtherBackend, .subjects = {"vulkan"}}),
            "using the CPU (--backend vulkan uses that)");
  EXPECT_EQ(in_words({.text = "A GPU is a software device", .advice = Advice::kUseCpu}),
            "A GPU is a software device; --backend cpu is faster.");
}

}  // namespace
}  // namespace vq::cli::test
