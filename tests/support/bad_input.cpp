#include "tests/support/bad_input.h"

namespace vq::cli::test {

std::string clip(const std::string& name) { return testdata("clips/") + name; }

MessageLines message_lines(const std::string& err) {
  MessageLines lines;
  for (const std::string& line : lines_of(err)) {
    Words& kind = line.starts_with("cambi: error: ")     ? lines.errors
                  : line.starts_with("cambi: warning: ") ? lines.warnings
                                                         : lines.others;
    kind.push_back(line);
  }
  return lines;
}

void run_ffmpeg(const std::string& arguments) {
  static std::map<std::string, std::string> made;  // of no other file, so once in a process will do
  const std::string recipe = arguments.substr(0, arguments.rfind(' ')),
                    path = arguments.substr(arguments.rfind(' ') + 1),
                    key = recipe + fs::path(path).extension().string();
  if (const auto found = made.find(key); found != made.end()) return write_file(path, found->second);
  const std::string command = "ffmpeg -nostdin -y -v error " + arguments;
  if (std::system(command.c_str()) != 0) throw std::runtime_error("failed: " + command);
  const bool depends_on_files = recipe.find('/') != recipe.npos;
  if (!depends_on_files && fs::is_regular_file(path)) made[key] = read_file(path);
}

void give_up_rights() {
  constexpr uid_t kNobody = 65534;
  if (geteuid() == 0 && (setgid(kNobody) != 0 || setuid(kNobody) != 0)) _exit(126);
}

BadInputTest::BadInputTest() {
  write_file(out_, kOld);
  chmod(folder_.path().c_str(), 0755);  // for runs without rights
}

std::vector<std::pair<std::string, std::string>> BadInputTest::state() const {
  constexpr uintmax_t kLargest = 16 << 20;  // larger files are only told by their size
  std::vector<std::pair<std::string, std::string>> entries;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path())) {
    std::string what = "not a file";
    if (entry.is_regular_file()) {
      what = std::to_string(entry.file_size()) + " bytes";
      if (entry.file_size() <= kLargest)
        what += ", hash " + std::to_string(std::hash<std::string>()(read_file(entry.path())));
    }
    entries.emplace_back(entry.path().lexically_relative(folder_.path()), what);
  }
  std::ranges::sort(entries);
  return entries;
}

ProgramResult BadInputTest::run(const Words& words, int threads, const ProgramOptions& options) const {
  Words all = words;
  const bool to_file = !contains(words, "-o");
  if (to_file) all.insert(all.end(), {"-o", out_});
  if (!contains(words, "--threads")) {
    all.insert(all.end(), {"--threads", std::to_string(threads)});
    // As far as the video can be taken apart: whatever is wrong, one decoder has the last word.
    if (threads > 1) all.push_back("--decoders=3");
  }
  return run_program(all, options);
}

void BadInputTest::check_failure(const ProgramResult& result, int code, const Words& parts) const {
  EXPECT_FALSE(result.signalled);
  EXPECT_EQ(result.code, code);
  const MessageLines lines = message_lines(result.err);
  ASSERT_EQ(lines.errors.size(), 1U) << result.err;
  for (const std::string& part : parts) EXPECT_THAT(lines.errors[0], HasSubstr(part));
  for (const char c : result.err) EXPECT_TRUE(c == '\n' || (c >= ' ' && c != 0x7F) || c < 0) << int{c};
}

void BadInputTest::refused(const std::vector<Refusal>& refusals, const ProgramOptions& options) const {
  for (const Refusal& refusal : refusals) refused(refusal, options);
}

void BadInputTest::refused(const Refusal& refusal, const ProgramOptions& options) const {
  SCOPED_TRACE(::testing::PrintToString(refusal.words));
  const auto before = state();
  std::string first;
  for (const int threads : thread_counts_) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    const ProgramResult result = run(refusal.words, threads, options);
    check_failure(result, refusal.code, refusal.parts);
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(state(), before);
    const MessageLines lines = message_lines(result.err);
    if (first.empty() && !lines.errors.empty()) first = lines.errors[0];
    EXPECT_EQ(lines.errors.empty() ? "" : lines.errors[0], first);
  }
}

void BadInputTest::cut_short(const Refusal& refusal, size_t frames) const {
  SCOPED_TRACE(::testing::PrintToString(refusal.words));
  const Words& words = refusal.words;
  const auto before = state();
  std::string first_error;
  json first_report;
  for (const int threads : thread_counts_) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    const ProgramResult result = run(words, threads);
    check_failure(result, refusal.code, refusal.parts);
    EXPECT_EQ(result.out, "");
    ASSERT_TRUE(fs::exists(partial())) << result.err;
    json report = json::parse(read_file(partial()));
    report.erase("fps");
    EXPECT_EQ(report.at("frames").size(), frames);
    fs::remove(partial());
    EXPECT_EQ(state(), before);
    const std::string error = message_lines(result.err).errors.at(0);
    if (first_error.empty()) {
      first_error = error;
      first_report = report;
    }
    EXPECT_EQ(error, first_error);
    EXPECT_EQ(report, first_report);
  }

  Words counted = {"--frame_cnt", std::to_string(frames)};
  std::remove_copy(words.begin(), words.end(), std::back_inserter(counted), "--strict");
  const ProgramResult stopped = run(counted, 1);
  ASSERT_EQ(stopped.code, 0) << stopped.err;
  EXPECT_EQ(json::parse(read_file(out_)).at("frames"), first_report.at("frames"));
  write_file(out_, kOld);
}

json BadInputTest::scored(const Words& words, const Words& warnings, const ProgramOptions& options) const {
  json first;
  for (const int threads : thread_counts_) {
    SCOPED_TRACE(std::to_string(threads) + " threads");
    const ProgramResult result = run(words, threads, options);
    EXPECT_FALSE(result.signalled);
    EXPECT_EQ(result.code, 0) << result.err;
    const MessageLines lines = message_lines(result.err);
    EXPECT_EQ(lines.errors.size(), 0U);
    EXPECT_EQ(lines.warnings.size(), warnings.size()) << result.err;
    for (size_t i = 0; i < std::min(warnings.size(), lines.warnings.size()); ++i)
      EXPECT_THAT(lines.warnings[i], HasSubstr(warnings[i]));
    if (result.code != 0) return {};
    json report = json::parse(read_file(out_));
    report.erase("fps");
    report.erase("run");
    for (const double score : scores_of(report)) EXPECT_TRUE(std::isfinite(score) && score >= 0) << score;
    if (first.is_null()) first = report;
    EXPECT_EQ(report, first);
  }
  for (const auto& [name, content] : state()) EXPECT_THAT(name, Not(HasSubstr(".tmp")));
  return first;
}

std::vector<double> BadInputTest::scores_of(const json& report) {
  std::vector<double> scores;
  if (!report.contains("frames")) return scores;
  for (const json& frame : report.at("frames")) scores.push_back(frame.at("metrics").front().get<double>());
  return scores;
}

}  // namespace vq::cli::test
