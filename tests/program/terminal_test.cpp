// The program on a terminal: the bar, colours and the width.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "tests/support/paths.h"
#include "tests/support/run_program.h"

namespace vq::cli::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Environment = std::map<std::string, std::string>;

// What a program shows on a terminal of so many columns, to which both its standard output and error go.
std::string shown(const std::vector<std::string>& words, const Environment& environment, unsigned short columns) {
  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0) throw std::runtime_error("no terminal");
  const winsize size{24, columns, 0, 0};
  ioctl(terminal, TIOCSWINSZ, &size);
  const std::string name = ptsname(terminal);
  const int held = open(name.c_str(), O_RDWR | O_NOCTTY);  // so that reading goes on until it is closed
  std::string text;
  std::thread reader([&] {
    char buffer[4096];
    for (ssize_t count; (count = read(terminal, buffer, sizeof buffer)) > 0;)
      text.append(buffer, static_cast<size_t>(count));
  });
  const ProgramResult result = run_program(words, {.environment = environment, .prepare = [&] {
                                                     const int screen = open(name.c_str(), O_RDWR | O_NOCTTY);
                                                     dup2(screen, STDOUT_FILENO);
                                                     dup2(screen, STDERR_FILENO);
                                                   }});
  close(held);
  reader.join();
  close(terminal);
  EXPECT_EQ(result.code, 0);
  return text;
}

const std::string kClip = testdata("clips/sky_640x360_8b.mp4");

size_t longest_line(const std::string& text) {
  size_t longest = 0;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line, '\n');) {
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
  for (const Environment& environment : {Environment{{"TERM", "xterm"}, {"NO_COLOR", "1"}}, {{"TERM", "dumb"}}})
    EXPECT_THAT(shown({kClip}, environment, 100), Not(HasSubstr("\x1b[3")));
}

TEST(Terminal, LinesOfTablesFitIt) {
  const TemporaryFolder folder;
  std::vector<std::string> words = {"compare", "-q"};
  for (const char* name : {"an-episode-of-a-series.json", "another.json"}) {
    words.push_back(folder.path() + "/" + name);
    write_file(words.back(), read_file(testdata("golden/reports/subsample_4.json")));
  }
  const std::string narrow = shown(words, {{"TERM", "dumb"}}, 60), wide = shown(words, {{"TERM", "dumb"}}, 120);
  EXPECT_LE(longest_line(narrow), 60U) << narrow;
  EXPECT_GT(longest_line(wide), longest_line(narrow)) << wide;
  EXPECT_LE(longest_line(wide), 120U);
}

TEST(Terminal, QuietShowsNothing) {
  EXPECT_EQ(shown({kClip, "-q"}, {{"TERM", "xterm"}}, 100), "");
}

}  // namespace
}  // namespace vq::cli::test
