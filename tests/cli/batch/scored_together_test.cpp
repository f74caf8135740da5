// Videos that are compared with one reference at the same time have the scores of lone runs.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/system/exit_code.h"
#include "tests/support/bad_input.h"
#include "tests/support/run_program.h"
#include "tests/support/test_video.h"

namespace vq::cli::test {
namespace {

const VideoShape kShape = {.width = 130, .height = 97, .frames = 11};

class ScoredTogether : public testing::TestWithParam<const char*> {
 protected:
  std::string written(const std::string& name, int phase, size_t bytes = std::string::npos) const {
    VideoShape shape = kShape;
    shape.phase = phase;
    const std::string path = folder_.path() + "/" + name;
    write_file(path, y4m_video(shape).substr(0, bytes));
    return path;
  }
  std::vector<std::string> scoring(std::vector<std::string> words) const {
    words.insert(words.end(), {"-r", reference_, "--feature", GetParam(), "--feature", "psnr", "--backend",
                               "cpu", "--precision", "max", "-q"});
    return words;
  }
  // By the names of the runs, without folder and extension.
  std::map<std::string, nlohmann::json> statistics_in(const std::string& ranking) const {
    std::map<std::string, nlohmann::json> all;
    const nlohmann::json parsed = nlohmann::json::parse(read_file(ranking));
    for (const nlohmann::json& run : parsed.at("runs")) all[run.at("name")] = run.at("statistics");
    return all;
  }
  std::map<std::string, nlohmann::json> alone(const std::vector<std::string>& videos) const {
    std::vector<std::string> words = {"compare", "--precision", "max",
                                      "-q",      "-o",          folder_.path() + "/alone.json"};
    for (const std::string& video : videos) {
      const std::string report = video.substr(0, video.rfind('.')) + ".json";
      const ProgramResult run = run_program(scoring({video, "-o", report}));
      EXPECT_EQ(run.code, 0) << run.err;
      words.push_back(report);
    }
    const ProgramResult run = run_program(words);
    EXPECT_EQ(run.code, 0) << run.err;
    return statistics_in(folder_.path() + "/alone.json");
  }

  const TemporaryFolder folder_;
  const std::string reference_ = written("reference.y4m", 0);
  const std::vector<std::string> videos_ = {written("a.y4m", 1), written("b.y4m", 3), written("c.y4m", 7)};
};

TEST_P(ScoredTogether, HasTheScoresOfLoneRuns) {
  const std::map<std::string, nlohmann::json> expected = alone(videos_);
  ASSERT_EQ(expected.size(), videos_.size());
  for (const char* const threads : {"1", "5"}) {
    const std::string out = folder_.path() + "/all.json";
    std::vector<std::string> words = {"compare", "--threads", threads, "-o", out};
    words.insert(words.end(), videos_.begin(), videos_.end());
    const ProgramResult run = run_program(scoring(words));
    ASSERT_EQ(run.code, 0) << run.err;
    EXPECT_EQ(statistics_in(out), expected) << threads;
  }
}

TEST_P(ScoredTogether, AVideoThatFailsEndsNoOther) {
  const size_t half = y4m_video(kShape).size() / 2;
  const std::string out = folder_.path() + "/all.json";
  const ProgramResult run =
      run_program(scoring({"compare", videos_[0], written("b.y4m", 3, half), videos_[2], "-o", out}));
  EXPECT_EQ(run.code, exit_code(ErrorKind::kIncomplete)) << run.err;
  const std::map<std::string, nlohmann::json> expected = alone({videos_[0], videos_[2]});
  EXPECT_EQ(statistics_in(out + ".partial"), expected);
}

INSTANTIATE_TEST_SUITE_P(Features, ScoredTogether, testing::Values("ssimulacra2", "butteraugli"),
                         [](const testing::TestParamInfo<const char*>& one) {
                           return std::string(one.param);
                         });

}  // namespace
}  // namespace vq::cli::test
