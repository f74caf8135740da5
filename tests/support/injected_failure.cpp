#include "tests/support/injected_failure.h"

#include <filesystem>

#include "tests/support/paths.h"

namespace vq::cli::test {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

json without_fps(const std::string& text) {
  json report = json::parse(text);
  report.erase("fps");
  return report;
}

}  // namespace

InjectedFailure::Outcome InjectedFailure::run_with(const Failure& failure, int at, const Words& words) const {
  const std::string mark = marks_.path() + "/mark";
  ProgramOptions options{.time_limit_s = 60};
  // The sanitizers want to come first, see memory of operator new released by their own, and start a program
  // that shows names, whose calls would fail as well. glibc keeps the text of the last error of dlopen().
  const std::string leaks = failure.call == "dlopen" ? ":detect_leaks=0" : "";
  options.environment = {
      {"LD_PRELOAD", failing_calls_module()},
      {"CAMBI_FAIL_CALL", failure.call},
      {"CAMBI_FAIL_AT", std::to_string(at)},
      {"CAMBI_FAIL_ERRNO", std::to_string(failure.error)},
      {"CAMBI_FAIL_MARK", mark},
      {"ASAN_OPTIONS",
       "symbolize=0:verify_asan_link_order=0:alloc_dealloc_mismatch=0:allocator_may_return_null=1" + leaks}};
  if (failure.from_then_on) options.environment["CAMBI_FAIL_ON"] = "1";
  Outcome outcome;
  write_file(out(), kOld);
  outcome.result = run_program(words, options);
  outcome.happened = fs::remove(mark);
  const std::string text = read_file(out());
  if (text != kOld) outcome.report = without_fps(text);
  if (fs::exists(partial())) outcome.kept = without_fps(read_file(partial())).at("frames").size();
  for (const std::string& name : names()) {
    if (name.ends_with(".partial")) fs::remove(in_folder(name));
  }
  return outcome;
}

int InjectedFailure::fail_each(const Failure& failure, const Words& words, const std::vector<int>& codes,
                               int step) const {
  const Outcome clean = run_with({"none"}, 0, words);
  EXPECT_EQ(clean.result.code, 0) << clean.result.err;
  const Words before = names();
  int failures = 0;
  for (int at = 0;; at += step) {
    SCOPED_TRACE(failure.call + " " + std::to_string(at));
    const Outcome outcome = run_with(failure, at, words);
    const ProgramResult& result = outcome.result;
    EXPECT_FALSE(result.signalled) << result.code << result.err;
    EXPECT_EQ(names(), before);
    if (result.code == 0) {
      EXPECT_EQ(outcome.report, clean.report);
    } else {
      ++failures;
      EXPECT_THAT(codes, ::testing::Contains(result.code)) << result.err;
      // Whole or not there: after it has its place, only what is told on the terminal can still fail.
      EXPECT_TRUE(outcome.report.is_null() || outcome.report == clean.report);
      EXPECT_EQ(message_lines(result.err).errors.size(), 1U) << result.err;
    }
    if (!outcome.happened || HasFailure()) return failures;
  }
}

Words InjectedFailure::scoring(const std::string& video, int threads) const {
  return {video, "-o", out(), "--precision", "max", "--threads", std::to_string(threads)};
}

Words InjectedFailure::names() const {
  Words names;
  for (const auto& entry : state()) names.push_back(entry.first);
  return names;
}

}  // namespace vq::cli::test
