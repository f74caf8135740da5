// The end of a command: reports are judged, files are written, people and continuous integration are told how
// it came out, and the exit code follows from that.
#pragma once

#include "cli/inputs/run_options.h"
#include "cli/reports/ci_formats.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "core/error.h"
#include "engine/report/report.h"
#include "engine/report/threshold.h"

namespace vq::cli {

// Judges the report by the options' thresholds, but for a sample, which is judged already; remarks on the
// baseline become warnings of the report, and are returned. Needs: thresholds on metrics of the report.
// Throws Error{kMismatch} for a baseline that lacks one.
std::vector<std::string> judge_report(Report& report, const RunOptions& arguments,
                                      const std::optional<Baseline>& baseline);

std::optional<Baseline> baseline_of(const RunOptions& arguments);

// Lines about thresholds of a video: those that are crossed, and those that could not be judged. Empty if
// there are none.
std::string crossed_line(const std::string& video, std::span<const ThresholdFacts> thresholds);
std::string unjudged_line(const std::string& video, std::span<const ThresholdFacts> thresholds);

struct EndingOptions {
  std::optional<std::string> junit = {};  // the JUnit file
  bool github = false;                    // the summary of the step, and annotations
  bool quiet = false;
  // The command's subjects as typed. JUnit gets a suite for each, or one unnamed suite if there are none.
  std::vector<std::string> files = {};
  std::vector<std::string> outputs = {}, other_inputs = {};
  std::vector<std::string> expressions = {};  // of thresholds
};
// The options of a run. `files` replaces the run's own video, unless it is empty.
EndingOptions ending_options(const RunOptions& arguments, std::vector<std::string> files = {});

class Ending {
 public:
  explicit Ending(Messages& messages, EndingOptions options = {})
      : messages_(messages), options_(std::move(options)) {}
  void set_options(EndingOptions options) { options_ = std::move(options); }

  // Runs the work and returns its exit code. If it throws before results were written, a failure is recorded
  // for every file (step summary, JUnit), then rethrown. ClosedPipe alone is rethrown without a record. The
  // JUnit file is skipped if it is also an input or an output; failing to write it only warns.
  int run(const std::function<int()>& work);
  // Prints the error, records it like an exception in run(), and returns `code`.
  int fail(const std::string& message, int code);
  // Does the same for videos that do not fit together, and returns the code of a mismatch.
  int refuse(const std::string& message);

  // If it is asked for.
  std::vector<OutputText> junit(std::span<const JunitSuite> suites) const;
  // Writes all files and the JUnit file, or none. Throws Error{kOutput}.
  void write(std::vector<OutputText> outputs, std::span<const JunitSuite> suites = {},
             std::string_view verb = "wrote");
  // To be called when all files, including the JUnit file, were written otherwise than by write(). `lines`
  // are those of written_lines(), which show() prints.
  void wrote(const std::vector<std::string>& lines);

  // The descriptor for text that is for people: standard error if an output takes standard output; none if
  // that is closed and outputs are all that was wanted.
  std::optional<int> place_for_people() const;
  // Prints the text at place_for_people(), and names the files that were written unless the command is quiet.
  // Throws ClosedPipe if the reader has gone, the text is the result, and no file is written.
  enum class Text { kResult, kBesideResult };
  void show(const std::string& text, Text kind = Text::kBesideResult);
  // Adds to the summary of the step. If it cannot be written, that is only a warning.
  void add_to_step(const std::string& markdown);

  // Counts a video's thresholds and prints an error for those crossed or not judged.
  void judged(const std::string& video, std::span<const ThresholdFacts> thresholds);
  void count(std::span<const ThresholdFacts> thresholds);
  void count_failed(ErrorKind kind);
  void count_refused() { lacks_verdict_ = true; }
  // Counts a difference between what was compared. On GitHub the line is an annotation as well.
  void differs(const std::string& line);
  // In this order: the code of the first failure; that of a mismatch, if a pair was refused or a threshold
  // was not judged; that of a threshold, if one was crossed or something differs; 0.
  int code() const;

 private:
  template <typename MakeSuite>
  void write_failure(const std::string& message, const MakeSuite& make_suite);
  bool is_free(const std::string& path) const;

  Messages& messages_;
  EndingOptions options_;
  std::vector<std::string> written_;  // lines to show
  bool is_told_ = false;              // the outcome is written
  std::optional<int> failed_;
  bool lacks_verdict_ = false, crosses_ = false;
};

}  // namespace vq::cli
