// Verdicts and the files that tell them, whoever leaves and whatever fails; names that a runner must not take
// for commands.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "cli/system/github.h"
#include "core/error.h"
#include "engine/report/report_writer.h"
#include "tests/support/paths.h"
#include "tests/support/report_test.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using test::ProgramResult;
using test::run_program;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kVideo = testdata("clips/static_640x360_8b.mp4");

class KeptVerdict : public testing::Test {
 protected:
  std::string path(const std::string& name) const { return folder_.path() + "/" + name; }
  std::string saved(const std::string& name, const std::vector<double>& values) const {
    test::write_file(path(name), write_report(run_of("a", values).report, {.format = ReportFormat::kJson}));
    return path(name);
  }
  // What standard output is, in place of a file.
  static ProgramResult run_into(const std::function<int()>& opened, const std::vector<std::string>& words) {
    test::ProgramOptions options;
    options.prepare = [opened] {
      const int descriptor = opened();
      dup2(descriptor, STDOUT_FILENO);
      close(descriptor);
    };
    return run_program(words, options);
  }
  static int left_pipe() {
    int ends[2] = {-1, -1};
    if (pipe(ends) != 0) return -1;
    close(ends[0]);
    return ends[1];
  }
  static int full_device() { return open("/dev/full", O_WRONLY | O_CLOEXEC); }

  const test::TemporaryFolder folder_;
};

TEST_F(KeptVerdict, AReaderThatLeavesChangesNothing) {
  const std::string a = saved("a.json", {1, 2}), b = saved("b.json", {1, 3});
  EXPECT_EQ(run_into(left_pipe, {"diff", a, b, "--junit", path("j.xml")}).code, 7);
  EXPECT_THAT(test::read_file(path("j.xml")), HasSubstr("<failure"));
  EXPECT_EQ(run_into(left_pipe, {"diff", a, a}).code, 0);
  const std::vector<std::string> batch = {"batch", kVideo, "--reports", path("reports"), "--frame_cnt", "2"};
  EXPECT_EQ(run_into(left_pipe, batch).code, 0);
  std::vector<std::string> judged = batch;
  judged.insert(judged.end(), {"--fail-above", "mean>-1"});
  EXPECT_EQ(run_into(left_pipe, judged).code, 7);
  EXPECT_EQ(run_into(left_pipe, {"compare", a, b, "--fail-above", "cambi:mean>-1"}).code, 7);
  EXPECT_EQ(run_into(left_pipe, {"compare", a, b}).code, 141);  // there was no other result
}

TEST_F(KeptVerdict, AFullDeviceCostsNoFile) {
  const std::string a = saved("a.json", {1, 2}), b = saved("b.json", {1, 3});
  EXPECT_EQ(run_into(full_device, {"diff", a, b, "--junit", path("j.xml")}).code, 5);
  EXPECT_THAT(test::read_file(path("j.xml")), HasSubstr("<failure"));
}

TEST_F(KeptVerdict, EveryFailureHasItsJunitFile) {
  const std::string junit = path("j.xml"), nothing = path("nothing.mp4");
  const auto fails = [&](int code, std::vector<std::string> words) {
    std::filesystem::remove(junit);
    words.insert(words.end(), {"--junit", junit});
    const ProgramResult result = run_program(words);
    EXPECT_EQ(result.code, code) << result.err;
    ASSERT_TRUE(std::filesystem::exists(junit)) << words[0] << " " << words[1];
    EXPECT_THAT(test::read_file(junit), HasSubstr("<error"));
  };
  fails(5, {kVideo, "-o", path("none/x.json"), "--extended"});
  fails(2, {"compare", kVideo, nothing});
  fails(2, {"batch", nothing, kVideo, "--reports", path("reports")});
  fails(1, {"batch", kVideo, "--reports", path("reports"), "--fail-above", "xyz:mean>3"});
  fails(1, {"compare", kVideo, kVideo, "--fail-above", "xyz:mean>3"});
  fails(5, {"gate", kVideo, "--backends", "cpu,scalar", "-o", path("none/x.json")});
  fails(2, {"merge", nothing, "-o", path("m.json")});
}

TEST_F(KeptVerdict, AnInputIsNeverWrittenOver) {
  const std::string copy = path("copy.mp4");
  std::filesystem::copy_file(kVideo, copy);
  const auto size = std::filesystem::file_size(copy);
  EXPECT_NE(run_program({copy, "--junit", copy}).code, 0);
  EXPECT_NE(run_program({"compare", copy, kVideo, "--junit", copy}).code, 0);
  EXPECT_NE(run_program({"batch", copy, kVideo, "--reports", path("reports"), "--junit", copy}).code, 0);
  EXPECT_EQ(std::filesystem::file_size(copy), size);
}

TEST_F(KeptVerdict, NamesAreNoCommandsToARunner) {
  const std::string name = "::error file=x::hi.mp4";
  std::filesystem::copy_file(kVideo, path(name));
  test::ProgramOptions in_step{.environment = {{"GITHUB_ACTIONS", "true"}}};
  const std::string folder = folder_.path();
  in_step.prepare = [folder] { (void)!chdir(folder.c_str()); };
  const auto begins_a_command = [](const std::string& text) {
    for (size_t at = 0; at < text.size();
         at = text.find('\n', at) == text.npos ? text.size() : text.find('\n', at) + 1) {
      const size_t word = text.find_first_not_of(" \t", at);
      if (word != text.npos && text.compare(word, 2, "::") == 0) return true;
    }
    return false;
  };
  for (const std::vector<std::string>& words : {std::vector<std::string>{name, "--frame_cnt", "2"},
                                                {"batch", name, "--reports", "r", "--frame_cnt", "2"}}) {
    const ProgramResult result = run_program(words, in_step);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_THAT(result.out, HasSubstr("./::error")) << words[0];
    EXPECT_FALSE(begins_a_command(result.out)) << result.out;
    EXPECT_FALSE(begins_a_command(result.err)) << result.err;
  }
  in_step.environment.clear();
  in_step.environment["GITHUB_ACTIONS"] = "";
  EXPECT_THAT(run_program({name, "--frame_cnt", "2"}, in_step).out, StartsWith(name));
}

TEST_F(KeptVerdict, OldCommandsOfARunnerAreNoneEither) {
  setenv("GITHUB_ACTIONS", "true", 1);
  EXPECT_EQ(without_commands("a ##[error]b\n  ::x\r::y\n:z"), "a #\\#[error]b\n  ./::x\r./::y\n:z");
  unsetenv("GITHUB_ACTIONS");
  EXPECT_EQ(without_commands("::x ##[y]"), "::x ##[y]");
}

}  // namespace
}  // namespace vq::cli
