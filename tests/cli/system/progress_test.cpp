#include "cli/system/progress.h"

#include <nlohmann/json.hpp>

#include "tests/support/golden_text.h"

namespace vq::cli {
namespace {

// A clock that is set by hand and a terminal that keeps what is written.
struct Desk {
  double now = 100;
  int columns = 120;
  std::vector<std::string> writes;

  ProgressPort port() {
    return {[this] { return now; }, [this](std::string_view text) { writes.emplace_back(text); },
            [this] { return columns; }};
  }
  std::string take() {
    std::string all;
    for (const std::string& text : writes) all += text;
    writes.clear();
    return all;
  }
};

// `count` frames of the given score, evenly over `seconds`.
void score_frames(Progress& progress, Desk& desk, int count, double seconds, double score = 1) {
  for (int i = 0; i < count; ++i) {
    desk.now += seconds / count;
    progress.frame(score);
  }
}

TEST(ProgressForms, WordsAndTheirMeaning) {
  EXPECT_EQ(parse_progress_form("json"), ProgressForm::kJson);
  EXPECT_EQ(parse_progress_form("auto"), ProgressForm::kAuto);
  EXPECT_EQ(parse_progress_form("Bar"), std::nullopt);
  EXPECT_EQ(resolve_progress_form(ProgressForm::kAuto, true, false), ProgressForm::kBar);
  EXPECT_EQ(resolve_progress_form(ProgressForm::kAuto, false, false), ProgressForm::kPlain);
  EXPECT_EQ(resolve_progress_form(ProgressForm::kBar, false, false), ProgressForm::kBar);
  EXPECT_EQ(resolve_progress_form(ProgressForm::kAuto, true, true), ProgressForm::kNone);
  EXPECT_EQ(resolve_progress_form(ProgressForm::kJson, false, true), ProgressForm::kJson);
}

TEST(ProgressForms, ColoursNeedATerminalAndConsent) {
  EXPECT_TRUE(wants_colour(true, nullptr, "xterm"));
  EXPECT_TRUE(wants_colour(true, "", nullptr));
  EXPECT_FALSE(wants_colour(true, "1", "xterm"));
  EXPECT_FALSE(wants_colour(true, nullptr, "dumb"));
  EXPECT_FALSE(wants_colour(false, nullptr, "xterm"));
}

// The last line of a bar on so many columns, without the return before it.
class ProgressLines : public ::testing::Test {
 protected:
  void add(const std::string& title, int columns, const ProgressSettings& settings,
           const std::function<void(Progress&, Desk&)>& run) {
    Desk desk;
    desk.columns = columns;
    Progress progress(settings, desk.port());
    run(progress, desk);
    std::string line = desk.writes.empty() ? "" : desk.writes.back();
    std::erase(line, '\r');
    golden_.add(title, line);
  }
  vq::test::GoldenTexts golden_{"system/progress.txt"};
};

TEST_F(ProgressLines, AreAsReviewed) {
  constexpr ProgressForm kBar = ProgressForm::kBar;
  add("everything", 100, {kBar, 200, false}, [](Progress& progress, Desk& desk) {
    progress.frame(1);
    desk.now += 5;
    progress.frame(4);
    for (int i = 2; i < 49; ++i) progress.frame(1);
    desk.now += 5;
    progress.frame(1.5);
  });
  add("everything on 80 columns", 80, {kBar, 1440, false}, [](Progress& progress, Desk& desk) {
    for (int i = 0; i < 605; ++i) progress.frame(17.25);
    desk.now += 15;
    progress.frame(17.25);
  });
  const auto one_frame = [](Progress& progress, Desk& desk) { score_frames(progress, desk, 1, 1, 2); };
  for (const int columns : {54, 30, 10})
    add(std::to_string(columns) + " columns", columns, {kBar, 200, false}, one_frame);
  add("of several", 120, {.form = kBar, .total = 10, .label = "2/3 a.mkv"}, one_frame);
  add("of several on 30 columns", 30, {.form = kBar, .total = 10, .label = "2/3 a.mkv"}, one_frame);
  add("no total", 120, {kBar, std::nullopt, false}, one_frame);
  add("more frames than declared", 120, {kBar, 1, false},
      [](Progress& progress, Desk& desk) { score_frames(progress, desk, 3, 3); });
  add("hours", 120, {ProgressForm::kPlain, 1000, false},
      [](Progress& progress, Desk& desk) { score_frames(progress, desk, 1, 10); });
  add("JSON", 120, {.form = ProgressForm::kJson, .total = 8, .label = "1/2 \"a\\x1b.mkv"},
      [](Progress& progress, Desk& desk) {
        score_frames(progress, desk, 1, 0.5, 1.25);
        score_frames(progress, desk, 1, 0.01, 3);
      });
  add("JSON, nothing is known", 120, {ProgressForm::kJson, std::nullopt, false},
      [](Progress& progress, Desk&) { progress.finish(); });
}

TEST(ProgressBar, DrawsAtMostTenTimesASecond) {
  Desk desk;
  Progress progress({ProgressForm::kBar, 1000, false}, desk.port());
  score_frames(progress, desk, 1000, 2);
  EXPECT_LE(desk.writes.size(), 21u);
  EXPECT_GE(desk.writes.size(), 15u);
}

TEST(ProgressBar, FitsEveryWidth) {
  for (int columns = 1; columns <= 130; ++columns) {
    Desk desk;
    desk.columns = columns;
    Progress progress({ProgressForm::kBar, 100000, true}, desk.port());
    score_frames(progress, desk, 1, 3600, 2);
    ASSERT_EQ(desk.writes.size(), 1u);
    EXPECT_LE(desk.writes[0].size(), 1u + std::max(columns - 1, 1)) << desk.writes[0];
  }
}

TEST(ProgressBar, IsErasedAtTheEndAndForMessages) {
  Desk desk;
  {
    Progress progress({ProgressForm::kBar, std::nullopt, false}, desk.port());
    desk.now += 2;
    progress.frame(2);
    EXPECT_EQ(desk.take(), "\r1 frame  0.5 fps  now 2.00  mean 2.00  max 2.00");
    progress.clear();
    EXPECT_EQ(desk.take(), "\r" + std::string(47, ' ') + "\r");
    progress.clear();
    EXPECT_EQ(desk.take(), "");
    desk.now += 2;
    progress.frame(2);
    EXPECT_THAT(desk.take(), HasSubstr("2 frames"));
    progress.finish();
    EXPECT_EQ(desk.take(), "\r" + std::string(48, ' ') + "\r");
    desk.now += 2;
    progress.frame(3);
  }
  EXPECT_EQ(desk.take(), "");
  {
    Progress progress({ProgressForm::kBar, std::nullopt, false}, desk.port());
    progress.frame(2);
    desk.writes.clear();
  }
  EXPECT_THAT(desk.take(), HasSubstr(" \r"));
}

TEST(ProgressBar, IsLeftWhereNoMemoryIsLeftToEraseIt) {
  Desk desk;
  bool fails = false;
  ProgressPort port = desk.port();
  port.write = [&fails, write = port.write](std::string_view text) {
    if (fails) throw std::bad_alloc();
    write(text);
  };
  {
    Progress progress({ProgressForm::kBar, std::nullopt, false}, port);
    desk.now += 2;
    progress.frame(2);
    fails = true;
  }
  EXPECT_THAT(desk.take(), HasSubstr("1 frame"));
}

TEST(ProgressBar, AShorterLineCoversTheLongerOne) {
  Desk desk;
  Progress progress({ProgressForm::kBar, std::nullopt, false}, desk.port());
  desk.now += 1;
  progress.frame(1000);
  const size_t before = desk.take().size();
  desk.columns = 40;
  desk.now += 1;
  progress.frame(0);
  EXPECT_EQ(desk.take().size(), 40u);  // as much of it as the line holds, and the return
  EXPECT_GT(before, 40u);
}

TEST(ProgressBar, ErasesTheRestWhereTheTerminalCan) {
  Desk desk;
  Progress progress({.form = ProgressForm::kBar, .can_erase = true}, desk.port());
  progress.frame(2);
  EXPECT_THAT(desk.take(), ::testing::EndsWith("max 2.00\x1b[K"));
  progress.clear();
  EXPECT_EQ(desk.take(), "\r\x1b[K");
}

TEST(ProgressBar, DoesNotGrowAndShrinkWithTheDigits) {
  Desk desk;
  desk.columns = 80;
  Progress progress({ProgressForm::kBar, 1000, false}, desk.port());
  size_t narrowest = 100;
  for (const double score : {9.5, 10.5, 9.5, 100.5, 1.0}) {
    desk.now += 1;
    progress.frame(score);
    const std::string line = desk.take();
    const size_t width = line.find(']') - line.find('[');
    EXPECT_LE(width, narrowest);
    narrowest = width;
  }
}

// Of what is better high the lowest is shown.
TEST(ProgressBar, ColoursOnlyNoteworthyScores) {
  const struct {
    Better better;
    double noteworthy, first, second;
    std::string line;
  } cases[] = {
      {Better::kLower, 5, 4.9, 5, "\x1b[33mnow 5.00\x1b[0m  mean 4.95  \x1b[33mmax 5.00\x1b[0m"},
      {Better::kHigher, 30, 29, 40, "now 40.00  mean 34.50  \x1b[33mmin 29.00\x1b[0m"},
  };
  for (const auto& [better, noteworthy, first, second, line] : cases) {
    Desk desk;
    Progress progress(
        {.form = ProgressForm::kBar, .colour = true, .metric = {.better = better, .noteworthy = noteworthy}},
        desk.port());
    progress.frame(first);
    EXPECT_EQ(desk.take().find("\x1b") != std::string::npos, better == Better::kHigher);
    desk.now += 1;
    progress.frame(second);
    EXPECT_EQ(desk.take(), "\r2 frames  2.0 fps  " + line);
  }
}

TEST(ProgressPlain, ALineEveryTenSeconds) {
  Desk desk;
  Progress progress({ProgressForm::kPlain, 200, true}, desk.port());
  score_frames(progress, desk, 9, 9);
  EXPECT_THAT(desk.writes, IsEmpty());
  score_frames(progress, desk, 20, 20, 6);
  progress.finish();
  EXPECT_THAT(desk.writes, ElementsAre("5%  10/200  1.0 fps  3:10 left  now 6.00  mean 1.50  max 6.00\n",
                                       "10%  20/200  1.0 fps  3:00 left  now 6.00  mean 3.75  max 6.00\n"));
}

TEST(ProgressJson, OneObjectALineAndALastOne) {
  Desk desk;
  Progress progress({ProgressForm::kJson, 8, false}, desk.port());
  desk.now += 0.5;
  progress.frame(1.25);
  desk.now += 0.01;
  progress.frame(3);
  progress.finish();
  progress.finish();
  ASSERT_EQ(desk.writes.size(), 2u);
  const auto last = nlohmann::json::parse(desk.writes[1]);
  EXPECT_EQ(last["frames"], 2);
  EXPECT_EQ(last["mean"], 2.125);
  EXPECT_EQ(last["max"], 3.0);
  EXPECT_EQ(last["done"], true);
}

TEST(StepProgress, PlainLinesSayWhatBeginsAndThenHowFarItIs) {
  Desk desk;
  StepProgress progress({ProgressForm::kPlain}, desk.port());
  for (size_t made = 0; made <= 6; ++made) {
    progress.step("picture", made, 6);
    desk.now += 6;
  }
  EXPECT_THAT(desk.writes,
              ElementsAre("making 6 pictures\n", "making 6 pictures  2/6\n", "making 6 pictures  4/6\n"));
}

TEST(StepProgress, ABarIsDrawnAtEachStepAndErasedAfterTheLast) {
  Desk desk;
  StepProgress progress({ProgressForm::kBar}, desk.port());
  progress.step("picture", 0, 2);
  progress.step("picture", 1, 2);
  ASSERT_EQ(desk.writes.size(), 2u);
  EXPECT_THAT(desk.writes[0], HasSubstr("making 2 pictures"));
  EXPECT_THAT(desk.writes[1], HasSubstr("1/2"));
  desk.take();
  progress.step("picture", 2, 2);
  EXPECT_THAT(desk.take(), Not(HasSubstr("making")));
}

TEST(ProgressNone, SaysNothing) {
  Desk desk;
  for (const ProgressForm form : {ProgressForm::kJson, ProgressForm::kNone}) {
    StepProgress progress({form}, desk.port());
    for (const size_t made : {0, 1}) progress.step("picture", made, 1);
  }
  {
    Progress progress({ProgressForm::kNone, 8, true}, desk.port());
    score_frames(progress, desk, 8, 80);
    progress.clear();
    progress.finish();
  }
  EXPECT_THAT(desk.writes, IsEmpty());
}

}  // namespace
}  // namespace vq::cli
