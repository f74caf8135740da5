// The program on a terminal: the bar, colours and the width.
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using Environment = std::map<std::string, std::string>;

// What a program shows on a terminal of so many columns, to which both its standard output and error go.
std::string shown(const std::vector<std::string>& words, const Environment& environment,
                  unsigned short columns) {
  Terminal terminal(columns);
  const ProgramResult result = run_program(words, {.environment = environment, .prepare = [&] {
                                                     const int screen = terminal.open_screen();
                                                     dup2(screen, STDOUT_FILENO);
                                                     dup2(screen, STDERR_FILENO);
                                                   }});
  EXPECT_EQ(result.code, 0);
  return terminal.shown();
}

const std::string kClip = testdata("clips/sky_640x360_8b.mp4");

size_t longest_line(const std::string& text) {
  size_t longest = 0;
  for (const std::string& line : lines_of(text)) {
    std::istringstream parts(line);
    for (std::string part; std::getline(parts, part, '\r');) longest = std::max(longest, part.size());
  }
  return longest;
}

TEST(Terminal, ShowsABarThatGoesAwayAndAColouredSummary) {
  const std::string text = shown({kClip}, {{"TERM", "xterm"}}, 100);
  EXPECT_THAT(text, HasSubstr("\r"));
  EXPECT_THAT(text, HasSubstr("\x1b[K"));
  EXPECT_THAT(text, HasSubstr("\x1b[33m"));  // a score that annoys
  EXPECT_THAT(text, HasSubstr("metric "));
}

TEST(Terminal, HasNoColourWhereNobodyWantsIt) {
  for (const Environment& environment :
       {Environment{{"TERM", "xterm"}, {"NO_COLOR", "1"}}, {{"TERM", "dumb"}}})
    EXPECT_THAT(shown({kClip}, environment, 100), Not(HasSubstr("\x1b[3")));
}

// Calls whose lines are long: a name in deep folders, many columns, long sentences.
std::vector<std::vector<std::string>> calls_with_long_lines(const std::string& folder) {
  const std::string deep = folder + "/encodes_of_the_first_season/x264_veryslow";
  std::filesystem::create_directories(deep);
  std::vector<std::string> videos, reports;
  for (const std::string name : {"an-episode-of-a-series", "another-episode"}) {
    videos.push_back(deep + "/" + name + ".mp4");
    std::filesystem::create_symlink(testdata("clips/small_256x144_8b.mp4"), videos.back());
    reports.push_back(deep + "/" + name + ".json");
    write_file(reports.back(), read_file(testdata("golden/reports/subsample_4.json")));
  }
  return {{videos[0], "-r", videos[1], "--full-ref", "--segments", "5"},
          {"compare", videos[0], videos[1]},
          {"compare", "-q", reports[0], reports[1]},
          {"devices"},
          {"features"},
          {"features", "cambi"},
          {"gate", videos[0], "--backends", "cpu,scalar"},
          {"diff", reports[0], reports[1]},
          {"fingerprint", videos[0], videos[1]},
          {"info", videos[0]},
          {"align", videos[0], videos[1]}};
}

// Messages are single lines, which a terminal breaks.
std::string without_messages(const std::string& text) {
  std::string others;
  for (const std::string& line : lines_of(text)) {
    const size_t start = line.find_last_of('\r', line.size() < 2 ? 0 : line.size() - 2);
    if (line.compare(start == std::string::npos ? 0 : start + 1, 7, "cambi: ") != 0) others += line + "\n";
  }
  return others;
}

TEST(Terminal, LinesFitIt) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& words : calls_with_long_lines(folder.path())) {
    for (const unsigned short columns : {40, 60, 80, 120}) {
      const std::string text = without_messages(shown(words, {{"TERM", "dumb"}}, columns));
      EXPECT_LE(longest_line(text), columns) << text;
    }
  }
}

TEST(Terminal, TheHelpFitsIt) {
  const std::vector<std::vector<std::string>> calls = {
      {"-h"}, {"--help"}, {"help", "compare"}, {"info", "--help"}};
  for (const std::vector<std::string>& words : calls) {
    for (const unsigned short columns : {50, 80, 120, 200}) {
      const std::string text = shown(words, {{"TERM", "dumb"}}, columns);
      EXPECT_LE(longest_line(text), std::min<size_t>(columns, 120)) << text;
    }
  }
}

TEST(Terminal, NothingIsShortenedElsewhere) {
  const TemporaryFolder folder;
  for (const std::vector<std::string>& words : calls_with_long_lines(folder.path())) {
    const ProgramResult result = run_program(words);
    // Comparisons leave out what all names have in common, such as the extension.
    const std::string name = std::filesystem::path(words.back()).stem().string();
    if (words.back().starts_with('/')) {
      EXPECT_THAT(result.out, HasSubstr(name)) << words[0];
    }
    EXPECT_THAT(result.out, Not(HasSubstr("..."))) << words[0];
  }
}

TEST(Terminal, QuietShowsNothing) { EXPECT_EQ(shown({kClip, "-q"}, {{"TERM", "xterm"}}, 100), ""); }

}  // namespace
}  // namespace vq::cli::test
