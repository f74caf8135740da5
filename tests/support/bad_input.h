// What the tests of bad input and bad luck share: every run is made with one thread, and with four that
// several decoders share, unless thread_counts_ says otherwise; the two must agree, and after every run the
// folder must hold exactly what it should.
#pragma once

#include <sys/resource.h>

#include "tests/support/run_program.h"

namespace vq::cli::test {

std::string clip(const std::string& name);
// The lines of standard error that are errors, warnings, and neither.
struct MessageLines {
  Words errors, warnings, others;
};
MessageLines message_lines(const std::string& err);

// Has the ffmpeg tool make a file. `arguments` is what follows its name, for a shell.
void run_ffmpeg(const std::string& arguments);

// Not looked at under sanitizers, which take memory of their own, nor in a process that has run so many tests
// that it is larger itself, since up to its start the program is a copy of that; ctest has a process for the
// test that calls this.
inline void expect_peak_below(int64_t bytes, const ProgramResult& result) {
  rusage own = {};
  getrusage(RUSAGE_SELF, &own);
  if (!kSanitized && int64_t{own.ru_maxrss} * 1024 < bytes) {
    EXPECT_LT(result.peak_bytes, bytes);
  }
}

// A command line that is refused: with the code, and with one line of error that has all the parts. Sentences
// are in tests/program/messages.
struct Refusal {
  Words words;
  int code;
  Words parts;
};

class BadInputTest : public FolderTest {
 protected:
  BadInputTest();

  // The report that runs write; it exists and holds kOld.
  const std::string& out() const { return out_; }
  std::string partial() const { return out_ + ".partial"; }
  // Everything in the folder and below it, with a digest of files.
  std::vector<std::pair<std::string, std::string>> state() const;

  // Nothing in the folder changes.
  void refused(const Refusal& refusal, const ProgramOptions& options = {}) const;
  void refused(const std::vector<Refusal>& refusals, const ProgramOptions& options = {}) const;
  void refused(const Words& words, int code, const Words& parts, const ProgramOptions& options = {}) const {
    refused(Refusal{words, code, parts}, options);
  }
  // The same, but `frames` frames were scored before: their scores are in FILE.partial, and equal those of a
  // run that stops there by itself.
  void cut_short(const Refusal& refusal, size_t frames) const;
  void cut_short(const Words& words, int code, const Words& parts, size_t frames) const {
    cut_short(Refusal{words, code, parts}, frames);
  }
  // Ends with 0 and a report, which is returned; both numbers of threads write the same. There is a warning
  // for each of the texts, in that order, and no other.
  json scored(const Words& words, const Words& warnings = {}, const ProgramOptions& options = {}) const;
  // The scores of the first metric.
  static std::vector<double> scores_of(const json& report);

  // One run that writes a report to out() unless there is an -o among the words.
  ProgramResult run(const Words& words, int threads, const ProgramOptions& options = {}) const;

  static constexpr const char* kOld = "what was here before";

  // Of scored(), refused() and cut_short().
  std::vector<int> thread_counts_ = {1, 4};

 private:
  void check_failure(const ProgramResult& result, int code, const Words& parts) const;

  const std::string out_ = in_folder("report.json");
};

// Runs the program as a user without rights, where the test is run by root.
void give_up_rights();

}  // namespace vq::cli::test
