// The GitHub Action, as the runner calls it: its script with the environment that action.yml gives it.
#include <regex>

#include "cli/pages/page_assets.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using Pairs = std::map<std::string, std::string>;

// A build has the sources that it was made from.
const std::string kAction = testdata("../.github/actions/cambi/");

// The lines "NAME: ${{ inputs.KEY }}" and "value: ${{ steps.score.outputs.KEY }}" of action.yml.
Pairs references(const std::string& pattern) {
  Pairs found;
  const std::string text = read_file(kAction + "action.yml");
  const std::regex line(pattern);
  for (std::sregex_iterator i(text.begin(), text.end(), line), end; i != end; ++i) found[(*i)[1]] = (*i)[2];
  return found;
}

class Action : public FolderTest {
 protected:
  // With these inputs, and otherwise none, as the defaults are.
  ProgramResult run(const Pairs& inputs) {
    std::filesystem::remove(in_folder("output"));
    const std::string program = cambi_program(), path = std::getenv("PATH");
    ProgramOptions options{.program = "/bin/bash"};
    options.environment = {{"PATH", program.substr(0, program.rfind('/')) + ":" + path},
                           {"GITHUB_OUTPUT", in_folder("output")},
                           {"GITHUB_STEP_SUMMARY", in_folder("summary")},
                           {"GITHUB_ACTIONS", "true"}};
    for (const auto& [variable, key] : references(R"((ACTION_\w+): \$\{\{ inputs\.([\w-]+) \}\})")) {
      const auto input = inputs.find(key);
      options.environment[variable] = input == inputs.end() ? "" : input->second;
    }
    options.environment["ACTION_RESULTS"] = in_folder("results");
    options.environment["ACTION_PAGE"] = has_pages() ? "true" : "false";
    return run_program({kAction + "score.sh"}, options);
  }

  Pairs outputs() const {
    Pairs pairs;
    for (const std::string& line : lines_of(read_file(in_folder("output"))))
      pairs[line.substr(0, line.find('='))] = line.substr(line.find('=') + 1);
    return pairs;
  }

  const std::string video_ = testdata("clips/sky_640x360_8b.mp4"),
                    source_ = testdata("clips/sky_640x360_8b_ref.mp4");
};

TEST_F(Action, ScoresAndTellsTheRunner) {
  const ProgramResult scored = run({{"video", video_},
                                    {"reference", source_},
                                    {"arguments", "--feature psnr --feature 'cambi=topk=0.5'"}});
  ASSERT_EQ(scored.code, 0) << scored.err;
  Pairs told = outputs();
  EXPECT_EQ(told["exit-code"], "0");
  EXPECT_EQ(told["crossed"], "false");
  EXPECT_EQ(told["report"], in_folder("results/cambi.json"));
  EXPECT_EQ(told["junit"], in_folder("results/cambi.xml"));
  EXPECT_EQ(told["page"], has_pages() ? in_folder("results/cambi.html") : "");
  const auto report = read_json(told["report"]);
  const auto scores = json::parse(told["scores"]);
  EXPECT_EQ(scores["psnr_y"], report["pooled_metrics"]["psnr_y"]["mean"]);
  EXPECT_TRUE(scores.contains("cambi_topk_0.5")) << told["scores"];
  EXPECT_THAT(read_file(in_folder("summary")), HasSubstr("psnr_y"));
}

TEST_F(Action, FailsWhereAThresholdIsCrossed) {
  const ProgramResult crossed =
      run({{"video", video_}, {"fail-above", "mean>100\n\nmax>0.5\n"}, {"fail-below", ""}});
  EXPECT_EQ(crossed.code, 7);
  EXPECT_THAT(crossed.err, HasSubstr("::error"));
  EXPECT_EQ(outputs()["crossed"], "true");
  EXPECT_EQ(outputs()["exit-code"], "7");
  EXPECT_THAT(read_file(in_folder("results/cambi.xml")), HasSubstr("max&gt;0.5"));
  EXPECT_EQ(run({{"video", video_},
                 {"reference", source_},
                 {"arguments", "--feature psnr"},
                 {"fail-below", "psnr_y:mean<99"}})
                .code,
            7);
}

TEST_F(Action, LeavesNothingOfAnEarlierStep) {
  ASSERT_EQ(run({{"video", video_}}).code, 0);
  EXPECT_EQ(run({{"video", in_folder("none.mp4")}}).code, 2);
  Pairs told = outputs();
  EXPECT_EQ(told["exit-code"], "2");
  EXPECT_EQ(told["report"], "");
  EXPECT_EQ(told["page"], "");
  EXPECT_EQ(told["scores"], "{}");
  EXPECT_EQ(told["junit"], in_folder("results/cambi.xml"));  // which tells of the failure
}

TEST_F(Action, TakesABaseline) {
  ASSERT_EQ(run({{"video", video_}}).code, 0);
  std::filesystem::copy_file(in_folder("results/cambi.json"), in_folder("good.json"));
  EXPECT_EQ(run({{"video", video_}, {"baseline", in_folder("good.json")}, {"fail-above", "mean>+0.1"}}).code,
            0);
  EXPECT_EQ(run({{"video", source_}, {"baseline", in_folder("good.json")}, {"fail-above", "mean>-100"}}).code,
            7);
}

TEST_F(Action, NothingInItsInputsIsACommand) {
  const ProgramResult scored =
      run({{"video", video_}, {"arguments", "-q '--junit=$(touch " + in_folder("made") + ")'"}});
  EXPECT_FALSE(std::filesystem::exists(in_folder("made"))) << scored.err;
}

// Each input reaches the script, and each output comes from it.
TEST(ActionFile, NamesWhatTheScriptKnows) {
  const std::string script = read_file(kAction + "score.sh"), action = read_file(kAction + "action.yml");
  const Pairs inputs = references(R"((ACTION_\w+): \$\{\{ inputs\.([\w-]+) \}\})");
  EXPECT_EQ(inputs.size(), 8U);
  for (const auto& [variable, key] : inputs) {
    EXPECT_THAT(script, HasSubstr(variable));
    EXPECT_THAT(action, HasSubstr("\n  " + key + ":\n"));
  }
  const Pairs outputs = references(
      R"(\n  ([\w-]+):\n    description: .*\n    value: \$\{\{ steps\.score\.outputs\.([\w-]+) \}\})");
  EXPECT_EQ(outputs.size(), 6U);
  for (const auto& [name, key] : outputs) {
    EXPECT_EQ(name, key);
    EXPECT_THAT(script, HasSubstr("echo \"" + key + "="));
  }
}

}  // namespace
}  // namespace vq::cli::test
