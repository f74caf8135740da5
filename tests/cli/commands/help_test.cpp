// The help, the manual page and the completions tell of the same flags.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <regex>
#include <set>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

const std::string kSource = testdata("..");

std::string help_of(std::vector<std::string> words) {
  words.push_back("--help");
  const test::ProgramResult result = test::run_program(words);
  EXPECT_EQ(result.code, 0);
  return result.out;
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  std::set<std::string> found;
  const std::regex expression(pattern);
  for (std::sregex_iterator it(text.begin(), text.end(), expression), end; it != end; ++it) {
    found.insert((*it)[1].str());
  }
  return found;
}

// Long flags as the help declares them, at the start of a line or after the short form.
std::set<std::string> flags_of(const std::string& help) {
  return matches(help, R"((?:\n  |\n  -\w,)(--[\w-]+))");
}

std::set<std::string> subcommands() {
  const std::string help = help_of({});
  const size_t start = help.find("Subcommands"), end = help.find("Examples:");
  return matches(help.substr(start, end - start), R"(\n  ([a-z]+) )");
}

std::set<std::string> all_flags() {
  std::set<std::string> flags = flags_of(help_of({}));
  for (const char* subcommand : {"compare", "diff", "features", "gate", "info", "report"}) {
    flags.merge(flags_of(help_of({subcommand})));
  }
  return flags;
}

std::set<std::string> missing_from(const std::string& text, const std::set<std::string>& words) {
  const std::set<std::string> known = matches(text, R"((--[\w-]+))");
  std::set<std::string> missing;
  for (const std::string& word : words) {
    if (!known.contains(word)) missing.insert(word);
  }
  return missing;
}

std::string manual() {
  return std::regex_replace(test::read_file(kSource + "/docs/cambi.1"), std::regex(R"(\\-)"), "-");
}

TEST(Help, HasGroupsExamplesAndExitCodes) {
  const std::string help = help_of({});
  for (const char* heading : {"Inputs:", "Outputs:", "Running:", "Features:", "Heatmaps:", "Examples:",
                              "Exit codes:", "Subcommands"}) {
    EXPECT_THAT(help, HasSubstr(heading));
  }
  EXPECT_GT(all_flags().size(), 50U);
  EXPECT_THAT(help, ::testing::Not(HasSubstr("TEXT")));
  EXPECT_THAT(subcommands(),
              ::testing::IsSupersetOf({"compare", "diff", "features", "gate", "info", "report"}));
}

TEST(Help, TheManualHasEveryFlagAndSubcommand) {
  EXPECT_THAT(missing_from(manual(), all_flags()), IsEmpty());
  for (const std::string& subcommand : subcommands()) EXPECT_THAT(manual(), HasSubstr("cambi " + subcommand));
}

TEST(Help, CompletionsHaveEveryFlagAndSubcommand) {
  for (const char* file : {"/docs/completions/cambi.bash", "/docs/completions/_cambi"}) {
    const std::string text = test::read_file(kSource + file);
    EXPECT_THAT(missing_from(text, all_flags()), IsEmpty()) << file;
    for (const std::string& subcommand : subcommands()) EXPECT_THAT(text, HasSubstr(subcommand)) << file;
  }
}

// What bash offers for a command line whose last word is being written.
std::string completed(const std::string& words) {
  const std::string script = "source " + kSource + "/docs/completions/cambi.bash; COMP_WORDS=(" + words +
                             "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _cambi; echo ${COMPREPLY[*]}";
  FILE* pipe = ::popen(("bash -c '" + script + "'").c_str(), "r");
  std::string out;
  char buffer[4096];
  while (std::fgets(buffer, sizeof buffer, pipe) != nullptr) out += buffer;
  EXPECT_EQ(::pclose(pipe), 0);
  return out;
}

TEST(Help, BashCompletes) {
  EXPECT_EQ(completed("cambi --heatmap-f"), "--heatmap-format --heatmap-frames\n");
  EXPECT_EQ(completed("cambi a.mkv --eotf p"), "pq\n");
  EXPECT_EQ(completed("cambi compa"), "compare\n");
  EXPECT_EQ(completed("cambi compare --b"), "--bitdepth --backend --by\n");
  EXPECT_EQ(completed("cambi diff --"), "--places --help\n");
  EXPECT_THAT(completed("cambi " + testdata("clips/dusk_9")), HasSubstr("dusk_960x540_10b_hlg.mp4"));
}

TEST(Help, TheCompletionsOfZshCanBeRead) {
  EXPECT_EQ(std::system(("zsh -n " + kSource + "/docs/completions/_cambi").c_str()), 0);
}

TEST(Help, IsReachedByTheWordsPeopleTry) {
  const std::string full = help_of({});
  EXPECT_EQ(test::run_program({"help"}).out, full);
  const test::ProgramResult brief = test::run_program({"-h"});
  EXPECT_EQ(brief.code, 0);
  EXPECT_LT(std::count(brief.out.begin(), brief.out.end(), '\n'), 25);
  EXPECT_THAT(brief.out, HasSubstr("cambi --help"));
  EXPECT_EQ(test::run_program({"version"}).out, test::run_program({"--version"}).out);
  for (const std::string subcommand : {"compare", "devices", "diff", "features", "gate", "info", "report"}) {
    const std::string help = help_of({subcommand});
    EXPECT_THAT(help, HasSubstr("cambi " + subcommand)) << subcommand;
    EXPECT_EQ(test::run_program({"help", subcommand}).out, help);
    EXPECT_EQ(test::run_program({subcommand, "-h"}).out, help);
  }
  const test::ProgramResult unknown = test::run_program({"help", "comapre"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("Did you mean \"compare\"?"));
}

// What the short help names must be there.
TEST(Help, TheShortOneIsAPartOfTheFullOne) {
  const std::string brief = test::run_program({"-h"}).out;
  EXPECT_THAT(missing_from(help_of({}), matches(brief, R"((--[a-z][\w-]+))")), IsEmpty());
}

TEST(Help, BareCommandsPrintTheirUsage) {
  for (const char* subcommand : {"compare", "diff", "gate", "info", "report"}) {
    const test::ProgramResult result = test::run_program({subcommand});
    EXPECT_EQ(result.code, 1) << subcommand;
    EXPECT_EQ(result.out, "");
    EXPECT_THAT(result.err, HasSubstr("cambi " + std::string(subcommand)));
    EXPECT_THAT(result.err, HasSubstr("\ncambi: error: " + std::string(subcommand) + " needs "));
  }
  const test::ProgramResult nothing = test::run_program({});
  EXPECT_EQ(nothing.code, 1);
  EXPECT_THAT(nothing.err, HasSubstr("cambi VIDEO "));
}

TEST(Help, WhatIsNoVideoIsExplained) {
  const test::ProgramResult address = test::run_program({"https://example.org/a.mp4"});
  EXPECT_EQ(address.code, 2);
  EXPECT_THAT(address.err, HasSubstr("files and pipes, not from the network"));
}

TEST(Help, AMisspeltSubcommandIsToldApartFromAFile) {
  const test::ProgramResult result = test::run_program({"featurs", "cambi"});
  EXPECT_EQ(result.code, 1);
  EXPECT_EQ(result.err,
            "cambi: error: \"featurs\" is neither a file nor a subcommand. Did you mean \"features\"?\n");
  EXPECT_EQ(test::run_program({"no-such-clip.mkv"}).code, 2);
}

}  // namespace
}  // namespace vq::cli
