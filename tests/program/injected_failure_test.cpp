// Every n-th call of a kind fails in turn: no crash, the right code, no half-written file.
#include <cerrno>
#include <filesystem>

#include "tests/support/injected_failure.h"

namespace vq::cli::test {
namespace {

using ::testing::HasSubstr;

class InjectedFailureAt : public InjectedFailure, public ::testing::WithParamInterface<int> {
 protected:
  Words scoring(const std::string& video) const { return InjectedFailure::scoring(video, GetParam()); }
};

TEST_P(InjectedFailureAt, Writes) {
  EXPECT_EQ(fail_each({"write", ENOSPC}, scoring(y4m_), {5}), 1);
  EXPECT_EQ(fail_each({"fsync", EIO}, scoring(y4m_), {5}), 2);    // the report, and its folder
  EXPECT_EQ(fail_each({"fsync", EINVAL}, scoring(y4m_), {}), 0);  // some file systems have nothing to flush
  EXPECT_EQ(fail_each({"rename", EACCES}, scoring(y4m_), {5}), 1);
  EXPECT_GE(fail_each({"close", EIO}, scoring(y4m_), {5}), 1);
  for (const char* call : {"write", "fsync", "close"})
    EXPECT_EQ(fail_each({call, EINTR}, scoring(y4m_), {}), 0);
}

TEST_P(InjectedFailureAt, WritesOfHeatmaps) {
  Words words = scoring(y4m_);
  std::filesystem::create_directory(in_folder("maps"));
  words.insert(words.end(), {"--heatmaps", in_folder("maps"), "--heatmap-format", "gray", "-q"});
  EXPECT_GE(fail_each({"write", ENOSPC}, words, {5}), 5);
  EXPECT_EQ(fail_each({"fsync", EIO}, words, {5}), 6 + 2);  // six files in two folders
}

TEST_P(InjectedFailureAt, Opens) {
  EXPECT_GE(fail_each({"open", EMFILE}, scoring(y4m_), {8}), 2);
  EXPECT_GE(fail_each({"open", EACCES}, scoring(y4m_), {2, 5}), 2);
}

TEST_P(InjectedFailureAt, Reads) {
  EXPECT_GE(fail_each({"read", EIO}, scoring(y4m_), {2, 6}), 3);
  EXPECT_GE(fail_each({"read", EIO}, scoring(clip("noise_320x240_8b.mkv")), {2, 6}, 4),
            1);  // long tests: all of them
  // Between two frames, wherever that is: other files are read as well.
  size_t kept = 0;
  for (int at = 0; at < 40 && kept == 0; ++at) {
    const Outcome outcome = run_with({"read", EIO}, at, scoring(y4m_));
    if (outcome.result.err.find("a.y4m: frame 1: read error: Input/output error") != std::string::npos) {
      EXPECT_EQ(outcome.result.code, 6);
      kept = outcome.kept;
    }
  }
  EXPECT_EQ(kept, 1U);
  EXPECT_EQ(fail_each({"read", EINTR}, scoring(y4m_), {}, 4), 0);
}

// Uncompressed video needs no FFmpeg.
TEST_P(InjectedFailureAt, Libraries) {
  const Failure all = {"dlopen", 0, true};
  const auto scored_on_cpu = [&](const std::string& video) {
    Words words = scoring(video);
    words.insert(words.end(), {"--backend", "cpu"});
    return run_with(all, 0, words);
  };
  EXPECT_EQ(scored_on_cpu(y4m_).result.code, 0);
  const Outcome outcome = scored_on_cpu(clip("noise_320x240_8b.mkv"));
  EXPECT_EQ(outcome.result.code, 8);
  EXPECT_THAT(outcome.result.err, HasSubstr("FFmpeg cannot be used: libmissing.so: cannot open"));
}

TEST_P(InjectedFailureAt, Threads) {
  for (const bool all : {false, true}) {
    for (const std::string& video : {y4m_, clip("noise_320x240_8b.mkv")}) {
      EXPECT_TRUE(run_with({"thread", EAGAIN, all}, 0, scoring(video)).happened);
      fail_each({"thread", EAGAIN, all}, scoring(video), {8});
    }
  }
  // The first thread would open the reference beside the other video: both are opened in turn.
  Words pair = scoring(y4m_);
  pair.insert(pair.end(), {"-r", y4m_, "--feature", "psnr", "--align", "off", "--backend", "cpu"});
  const Outcome outcome = run_with({"thread", EAGAIN}, 0, pair);
  EXPECT_TRUE(outcome.happened);
  EXPECT_EQ(outcome.result.code, 0) << outcome.result.err;
}

// All of them are in the long tests.
TEST_P(InjectedFailureAt, SomeAllocations) {
  if (kSanitized) GTEST_SKIP() << "sanitizers themselves allocate where a thread starts";
  EXPECT_GE(fail_each({"malloc", ENOMEM}, scoring(y4m_), {8}, 199), 3);
  EXPECT_GE(fail_each({"malloc", ENOMEM, true}, scoring(y4m_), {8}, 409), 3);
  // A decoder does not always say that memory was what it lacked.
  EXPECT_GE(fail_each({"malloc", ENOMEM}, scoring(clip("noise_320x240_8b.mkv")), {2, 6, 8}, 307), 3);
}

// A video that lacks memory beside another, after some frames, and then is scored alone.
TEST_F(InjectedFailure, ASecondTryOfABatchLeavesNothingOfTheFirst) {
  if (kSanitized) GTEST_SKIP() << "sanitizers themselves allocate where a thread starts";
  const std::string other = made("b.y4m", y4m_video({.width = 64, .height = 64, .frames = 60}));
  bool happened = true;
  for (int at = 0; happened; at += 400) {
    SCOPED_TRACE("malloc " + std::to_string(at));
    const TemporaryFolder reports;
    const Outcome outcome = run_with({"malloc", ENOMEM}, at,
                                     {"batch", y4m_, other, "--feature", "fingerprint", "--backend", "cpu",
                                      "--jobs", "2", "--threads", "2", "--reports", reports.path(), "-q"});
    happened = outcome.happened;
    if (outcome.result.code != 0) continue;
    for (const auto& file : std::filesystem::recursive_directory_iterator(reports.path()))
      EXPECT_NE(file.path().extension(), ".partial") << file.path();
  }
}

INSTANTIATE_TEST_SUITE_P(Threads, InjectedFailureAt, ::testing::Values(1, 4),
                         [](const auto& instance) { return std::to_string(instance.param); });

}  // namespace
}  // namespace vq::cli::test
