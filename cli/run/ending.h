// The end of a command: reports are judged, files are written, people and continuous integration are told how
// it came out, and the exit code follows from that.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/inputs/run_options.h"
#include "cli/reports/ci_formats.h"
#include "cli/system/messages.h"
#include "cli/system/output_file.h"
#include "core/error.h"
#include "engine/report/report.h"
#include "engine/report/threshold.h"

namespace vq::cli {

// Judges the report by the options' thresholds; remarks on the baseline become warnings of the report, and
// are returned. Needs: thresholds on metrics of the report. Throws Error{kMismatch} for a baseline that lacks
// one.
std::vector<std::string> judge_report(Report& report, const RunOptions& arguments,
                                      const std::optional<Baseline>& baseline);

// The baseline that the options name.
std::optional<Baseline> baseline_of(const RunOptions& arguments);

// Lines about thresholds of a video: those that are crossed, and those that could not be judged. Empty if
// there are none.
std::string crossed_line(const std::string& video, std::span<const ThresholdFacts> thresholds);
std::string unjudged_line(const std::string& video, std::span<const ThresholdFacts> thresholds);

// What a command says of itself to people and to continuous integration.
struct EndingOptions {
  std::optional<std::string> junit = {};  // the JUnit file
  bool github = false;                    // the summary of the step, and annotations
  bool quiet = false;
  // Its subjects as the user named them: each has a suite, and so has a command without any.
  std::vector<std::string> files = {};
  std::vector<std::string> outputs = {}, other_inputs = {};
  std::vector<std::string> expressions = {};  // of thresholds
};
// Those of a run; `files`: instead of its own video.
EndingOptions ending_options(const RunOptions& arguments, std::vector<std::string> files = {});

class Ending {
 public:
  explicit Ending(Messages& messages, EndingOptions options = {})
      : messages_(messages), options_(std::move(options)) {}
  // Once more is known.
  void set_options(EndingOptions options) { options_ = std::move(options); }

  // Does the command's work and returns its exit code. Unless the outcome was written already, what the work
  // throws is written as a failure of all its files, and then thrown. A JUnit file that is another file of
  // the command as well is left alone, and what cannot be written is a warning: the failure is the error to
  // tell.
  int run(const std::function<int()>& work);
  // The same for work that ends with this error instead of a result. Returns the code.
  int fail(const std::string& message, int code);
  int refuse(const std::string& message);  // for videos that do not fit together

  // The JUnit file, if it is asked for.
  std::vector<OutputText> junit(std::span<const JunitSuite> suites) const;
  // Writes all files and the JUnit file, or none. Throws Error{kOutput}.
  void write(std::vector<OutputText> outputs, std::span<const JunitSuite> suites = {},
             std::string_view verb = "wrote");
  // Files that were written otherwise, the JUnit file among them; lines as of written_lines().
  void wrote(const std::vector<std::string>& lines);

  // The descriptor for text that is for people: standard error if an output takes standard output; none if
  // that is closed and outputs are all that was wanted.
  std::optional<int> place_for_people() const;
  // Prints the text there, and names the files unless the command is quiet. A reader who leaves is an error,
  // ClosedPipe, if the text is the result and there is no output.
  enum class Text { kResult, kBesideResult };
  void show(const std::string& text, Text kind = Text::kBesideResult);
  // Adds to the summary of the step. One that cannot be written is a warning.
  void add_to_step(const std::string& markdown);

  // Results that the exit code follows from. A video's thresholds, and if they are not kept, errors about
  // them:
  void judged(const std::string& video, std::span<const ThresholdFacts> thresholds);
  // without a word:
  void count(std::span<const ThresholdFacts> thresholds);
  void count_failed(ErrorKind kind);
  void count_refused() { lacks_verdict_ = true; }
  // What was compared differs; an annotation says so.
  void differs(const std::string& line);
  // The code of the first failure; a mismatch if a pair is refused or a threshold was not judged; a
  // threshold's if one is crossed or something differs.
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
